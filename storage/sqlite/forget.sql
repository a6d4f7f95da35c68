-- Versions up to forgotten were removed on purpose, the last time at forgotten_at: see forget.go.
ALTER TABLE urls ADD COLUMN forgotten    INTEGER NOT NULL DEFAULT 0;
ALTER TABLE urls ADD COLUMN forgotten_at INTEGER;
-- Bytes that stored_bytes has not.
ALTER TABLE urls ADD COLUMN picture_bytes  INTEGER NOT NULL DEFAULT 0;
ALTER TABLE urls ADD COLUMN resource_bytes INTEGER NOT NULL DEFAULT 0;
CREATE INDEX items_page ON items (page, version);
