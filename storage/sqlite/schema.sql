-- Instants are Unix milliseconds; rows refer to each other by integer ids. More
-- tables are in resource.sql and memory.sql.

CREATE TABLE hosts (
  id   INTEGER PRIMARY KEY,
  host TEXT NOT NULL UNIQUE
);

CREATE TABLE urls (
  id           INTEGER PRIMARY KEY,
  url          TEXT NOT NULL UNIQUE,
  host         INTEGER NOT NULL REFERENCES hosts,
  first        INTEGER NOT NULL, -- 0 while there are no visits, as last
  last         INTEGER NOT NULL,
  visits       INTEGER NOT NULL DEFAULT 0,
  changes      INTEGER NOT NULL DEFAULT 0,
  head         INTEGER NOT NULL DEFAULT 0, -- number of the last version
  level        INTEGER NOT NULL DEFAULT 0,
  status       INTEGER NOT NULL,
  outcome      TEXT NOT NULL,
  page_bytes   INTEGER NOT NULL DEFAULT 0,
  stored_bytes INTEGER NOT NULL DEFAULT 0,
  pack         INTEGER NOT NULL DEFAULT 0, -- the last written for this URL
  due          INTEGER, -- NULL: never
  settled      INTEGER, -- NULL: no job was
  priority     REAL    NOT NULL DEFAULT 0,
  plan         TEXT    NOT NULL DEFAULT '' -- see plat.Plan
);
CREATE INDEX urls_host ON urls (host);

-- A version's row holds everything but the contents: see tree.go. Rows are appended, so
-- that pages fill up, and found through the index.
CREATE TABLE versions (
  id    INTEGER PRIMARY KEY,
  url   INTEGER NOT NULL REFERENCES urls,
  n     INTEGER NOT NULL,
  taken INTEGER NOT NULL,
  data  BLOB NOT NULL
);
CREATE UNIQUE INDEX versions_url ON versions (url, n);
CREATE INDEX versions_taken ON versions (taken, url);

-- A pack holds the contents and the layout that one commit added: see pack.go.
CREATE TABLE packs (
  id      INTEGER PRIMARY KEY,
  parent  INTEGER NOT NULL, -- the pack whose chain is this one's dictionary; 0 is none
  written INTEGER NOT NULL,
  data    BLOB NOT NULL
);

-- The packs that may contain a content, by six bytes of its hash.
CREATE TABLE contents (
  key  INTEGER NOT NULL,
  pack INTEGER NOT NULL REFERENCES packs,
  PRIMARY KEY (key, pack)
) WITHOUT ROWID;

CREATE TABLE pictures (
  id      INTEGER PRIMARY KEY,
  hash    BLOB NOT NULL UNIQUE,
  type    TEXT NOT NULL,
  written INTEGER NOT NULL,
  data    BLOB NOT NULL
);

-- Up to some dozens of visits per row: see visits.go.
CREATE TABLE visits (
  url   INTEGER NOT NULL REFERENCES urls,
  start INTEGER NOT NULL, -- time of the first
  data  BLOB NOT NULL,
  PRIMARY KEY (url, start)
) WITHOUT ROWID;

-- Inverted index from words of topics, and labels, to the URLs that ever had such a block;
-- a word is stored as four bytes of its hash.
CREATE TABLE words (
  word INTEGER NOT NULL,
  url  INTEGER NOT NULL REFERENCES urls,
  PRIMARY KEY (word, url)
) WITHOUT ROWID;
