-- The search index of an archive: derived data, rebuilt if missing. URL ids are those of
-- the archive.

-- One row. The versions of the archive up to done are indexed, except those of unreadable
-- URLs. The witness is a version of the archive, with the checksum of its row: if it is
-- missing there, the archive is a different one, or an older state of it.
CREATE TABLE mark (
  done    INTEGER NOT NULL,
  witness INTEGER NOT NULL,
  sum     BLOB,
  epoch   INTEGER NOT NULL -- another one whenever something is removed: what was read before is not written
);
INSERT INTO mark (done, witness, epoch) VALUES (0, 0, random());

CREATE TABLE urls (
  id      INTEGER PRIMARY KEY,
  url     TEXT NOT NULL UNIQUE,
  indexed INTEGER NOT NULL, -- the last version indexed
  unread  INTEGER NOT NULL DEFAULT 0 -- 1: the next version could not be read
);
CREATE INDEX urls_unread ON urls (id) WHERE unread;

-- Ids are approximately in order of since: see spanIDs.
CREATE TABLE spans (
  id      INTEGER PRIMARY KEY,
  url     INTEGER NOT NULL REFERENCES urls,
  lineage INTEGER NOT NULL,
  hash    BLOB NOT NULL,
  first   INTEGER NOT NULL,
  since   INTEGER NOT NULL,
  gone    INTEGER, -- NULL: present in the last version
  until   INTEGER
);
CREATE INDEX spans_standing ON spans (url) WHERE gone IS NULL;

-- The words of the span with the same id, already segmented and folded; the ascii
-- tokenizer treats all other characters as letters. Facets are the filter terms.
CREATE VIRTUAL TABLE words USING fts5(text, topic, facets, content = '', contentless_delete = 1, tokenize = 'ascii');
