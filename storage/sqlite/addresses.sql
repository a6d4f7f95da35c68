-- URLs that lead to the same page: see storage.Addresses and addresses.go. main is the id of the
-- URL under which the page is archived, NULL: its own; print is the fingerprint of the last version.
ALTER TABLE urls ADD COLUMN main  INTEGER;
ALTER TABLE urls ADD COLUMN print INTEGER;
CREATE INDEX urls_main  ON urls (main) WHERE main IS NOT NULL;
CREATE INDEX urls_print ON urls (host, print) WHERE print IS NOT NULL;
