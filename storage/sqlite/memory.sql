-- Memory of URLs (see plat.Memory); a separate table, rewritten by every visit, keeps the
-- rows of urls short.
CREATE TABLE memories (
  url  INTEGER PRIMARY KEY REFERENCES urls,
  data BLOB NOT NULL
);
