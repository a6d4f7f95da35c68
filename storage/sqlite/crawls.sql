-- Focused crawls, the pages that they ask for, and the reports on them: see storage.Crawls.
CREATE TABLE crawls (
  id       INTEGER PRIMARY KEY,
  name     TEXT    NOT NULL UNIQUE, -- plat.Crawl.ID
  revision INTEGER NOT NULL,
  title    TEXT    NOT NULL, -- its Name
  topic    TEXT    NOT NULL,
  state    TEXT    NOT NULL,
  reason   TEXT    NOT NULL,
  made     INTEGER,
  details  TEXT    NOT NULL -- see crawlDetails
);

CREATE TABLE crawl_pages (
  id        INTEGER PRIMARY KEY,
  crawl     INTEGER NOT NULL REFERENCES crawls,
  n         INTEGER NOT NULL,
  url       TEXT    NOT NULL, -- it need not be in urls
  score     REAL    NOT NULL,
  source    TEXT    NOT NULL, -- its From
  asked     INTEGER,
  visited   INTEGER, -- NULL: not answered yet
  outcome   TEXT    NOT NULL DEFAULT '',
  relevance REAL    NOT NULL DEFAULT 0,
  version   INTEGER NOT NULL DEFAULT 0,
  title     TEXT    NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX crawl_pages_n   ON crawl_pages (crawl, n);
CREATE UNIQUE INDEX crawl_pages_url ON crawl_pages (crawl, url);

-- The readings of pages, apart from what lists read.
CREATE TABLE crawl_readings (
  page INTEGER PRIMARY KEY REFERENCES crawl_pages,
  data BLOB NOT NULL
);

CREATE TABLE crawl_reports (
  crawl INTEGER PRIMARY KEY REFERENCES crawls,
  data  BLOB NOT NULL
);
