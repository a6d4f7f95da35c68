-- Resources of pages, and the manifests that versions refer to. Data of size bytes is
-- raw, otherwise it is a Zstandard frame.

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
