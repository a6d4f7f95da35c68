-- Versions up to forgotten were removed on purpose, the last time at forgotten_at: see forget.go.
ALTER TABLE urls ADD COLUMN forgotten    INTEGER NOT NULL DEFAULT 0;
ALTER TABLE urls ADD COLUMN forgotten_at INTEGER;
CREATE INDEX items_page ON items (page, version);
