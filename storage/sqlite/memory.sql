-- What visits leave for the next, of URLs of which they do; in a table of its own, so
-- that urls stays short. It is rewritten by every visit.
CREATE TABLE memories (
  url  INTEGER PRIMARY KEY REFERENCES urls,
  data BLOB NOT NULL
);
