-- Contents that have left their lineage, to date those that return: see past.go.
CREATE TABLE past (
  url     INTEGER NOT NULL REFERENCES urls,
  lineage INTEGER NOT NULL,
  key     INTEGER NOT NULL, -- six bytes of the hash, as in contents
  since   INTEGER NOT NULL, -- the version in which the lineage first had the content
  PRIMARY KEY (url, lineage, key)
) WITHOUT ROWID;
-- The version up to which past is complete; 0: it has to be filled.
ALTER TABLE urls ADD COLUMN past INTEGER NOT NULL DEFAULT 0;
