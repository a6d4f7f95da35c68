-- What pages used to look as they do, and the lists of it that versions refer to.
-- Data is as it is where it has size bytes, else a Zstandard frame of them.

CREATE TABLE resources (
  id      INTEGER PRIMARY KEY,
  hash    BLOB NOT NULL UNIQUE,
  written INTEGER NOT NULL,
  size    INTEGER NOT NULL,
  data    BLOB NOT NULL
);

CREATE TABLE manifests (
  id      INTEGER PRIMARY KEY,
  hash    BLOB NOT NULL UNIQUE,
  written INTEGER NOT NULL,
  size    INTEGER NOT NULL,
  data    BLOB NOT NULL
);
