-- The search index of an archive: derived, and made again from nothing where it is
-- missing. Numbers of URLs are those of the archive.

-- One row. The versions of the archive up to done are taken in, but those of URLs
-- that could not be read. The witness is a
-- version that was there, with the checksum of its row: without it the archive is
-- another one, or an older state of it.
CREATE TABLE mark (
  done    INTEGER NOT NULL,
  witness INTEGER NOT NULL,
  sum     BLOB
);
INSERT INTO mark (done, witness) VALUES (0, 0);

CREATE TABLE urls (
  id      INTEGER PRIMARY KEY,
  url     TEXT NOT NULL UNIQUE,
  indexed INTEGER NOT NULL, -- the last version taken in
  unread  INTEGER NOT NULL DEFAULT 0 -- 1: the next one could not be read
);
CREATE INDEX urls_unread ON urls (id) WHERE unread;

-- Ids are in order of since, by and large: see spanIDs.
CREATE TABLE spans (
  id      INTEGER PRIMARY KEY,
  url     INTEGER NOT NULL REFERENCES urls,
  lineage INTEGER NOT NULL,
  hash    BLOB NOT NULL,
  first   INTEGER NOT NULL,
  since   INTEGER NOT NULL,
  gone    INTEGER, -- NULL: it stands
  until   INTEGER
);
CREATE INDEX spans_standing ON spans (url) WHERE gone IS NULL;

-- The words of the span with the same id, cut and folded by us, so that to the
-- tokenizer all that is no ASCII is a letter. Facets are what it is filtered by.
CREATE VIRTUAL TABLE words USING fts5(text, topic, facets, content = '', tokenize = 'ascii');
