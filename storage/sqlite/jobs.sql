-- The list of all jobs: see storage.Jobs and jobs.go. A job is a row of urls with a due; at is
-- when its time comes, NULL in the backlog of its host; died, without a due, is when the URL was
-- given up.
ALTER TABLE urls ADD COLUMN at        INTEGER;
ALTER TABLE urls ADD COLUMN attempts  INTEGER NOT NULL DEFAULT 0; -- failed ones, of the job
ALTER TABLE urls ADD COLUMN throttled INTEGER NOT NULL DEFAULT 0;
ALTER TABLE urls ADD COLUMN died      INTEGER;
ALTER TABLE hosts ADD COLUMN urgency REAL;    -- the highest priority of jobs that can be visited, or higher; NULL: there are none
ALTER TABLE hosts ADD COLUMN since   INTEGER NOT NULL DEFAULT 0; -- when it was loaded, or became ready
ALTER TABLE hosts ADD COLUMN next    INTEGER; -- when the time of another job comes, or earlier; NULL: never
ALTER TABLE hosts ADD COLUMN clock   INTEGER NOT NULL DEFAULT 0; -- it must not be visited before
ALTER TABLE hosts ADD COLUMN backlog INTEGER NOT NULL DEFAULT 0; -- numbers of URLs
ALTER TABLE hosts ADD COLUMN timed   INTEGER NOT NULL DEFAULT 0;
ALTER TABLE hosts ADD COLUMN dead    INTEGER NOT NULL DEFAULT 0;

-- Files of before: what their rows say.
UPDATE urls SET at = due WHERE due IS NOT NULL AND settled IS NOT NULL;
UPDATE urls SET died = last, attempts = 1 WHERE due IS NULL AND settled IS NOT NULL AND visits > 0
  AND outcome NOT IN ('', 'new', 'changed', 'unchanged', 'blank', 'fetched');
UPDATE hosts SET (urgency, next, backlog, timed, dead) = (SELECT max(priority) FILTER (WHERE due IS NOT NULL AND at IS NULL), min(at),
  count(*) FILTER (WHERE due IS NOT NULL AND at IS NULL), count(at), count(died) FROM urls WHERE host = hosts.id);

CREATE INDEX urls_backlog ON urls (host, priority DESC, id) WHERE due IS NOT NULL AND at IS NULL;
CREATE INDEX urls_timed   ON urls (host, at) WHERE at IS NOT NULL;
CREATE INDEX urls_at      ON urls (at) WHERE at IS NOT NULL;
CREATE INDEX urls_dead    ON urls (died) WHERE died IS NOT NULL;
CREATE INDEX hosts_ready  ON hosts (urgency DESC, since, id) WHERE urgency IS NOT NULL;
CREATE INDEX hosts_next   ON hosts (next) WHERE next IS NOT NULL;

-- Short texts by name: see storage.Notes.
CREATE TABLE notes (
  name TEXT PRIMARY KEY,
  text TEXT NOT NULL
) WITHOUT ROWID;
