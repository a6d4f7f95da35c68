-- Subscriptions, their items, and what is to be told of them: see storage.Subscriptions and
-- storage.Outbox. The counts of a subscription are changed with its items, in one transaction:
-- a list of ten thousand would have to count a million items.
CREATE TABLE subscriptions (
  id      INTEGER PRIMARY KEY,
  name    TEXT    NOT NULL UNIQUE, -- plat.Subscription.ID
  url     TEXT    NOT NULL,
  title   TEXT    NOT NULL,
  depth   INTEGER NOT NULL,
  folder  TEXT    NOT NULL, -- its Group
  paused  INTEGER NOT NULL,
  made    INTEGER,
  details TEXT    NOT NULL, -- see details
  broken  TEXT    NOT NULL DEFAULT '',
  since   INTEGER,
  entries INTEGER NOT NULL DEFAULT 0,
  read_to INTEGER, -- NULL: nothing was read
  items   INTEGER NOT NULL DEFAULT 0,
  latest  INTEGER, -- NULL: there are no items
  unread  INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX subscriptions_url    ON subscriptions (url);
CREATE INDEX subscriptions_folder ON subscriptions (folder) WHERE folder <> '';

CREATE TABLE tags (
  tag          TEXT    NOT NULL,
  subscription INTEGER NOT NULL REFERENCES subscriptions,
  PRIMARY KEY (tag, subscription)
) WITHOUT ROWID;

-- The pages of a subscription, and what package watch remembers of them, apart from what lists
-- read.
CREATE TABLE followed (
  id           INTEGER PRIMARY KEY,
  subscription INTEGER NOT NULL REFERENCES subscriptions,
  place        INTEGER NOT NULL,
  url          TEXT    NOT NULL, -- it need not be in urls yet
  depth        INTEGER NOT NULL,
  examined     INTEGER NOT NULL
);
CREATE UNIQUE INDEX followed_page ON followed (subscription, url);
CREATE TABLE followed_memories (
  page INTEGER PRIMARY KEY REFERENCES followed,
  data BLOB NOT NULL
);

CREATE TABLE items (
  id           INTEGER PRIMARY KEY,
  name         TEXT    NOT NULL UNIQUE, -- plat.Item.ID
  subscription INTEGER NOT NULL REFERENCES subscriptions,
  kind         TEXT    NOT NULL,
  title        TEXT    NOT NULL,
  url          TEXT    NOT NULL,
  excerpt      TEXT    NOT NULL,
  dated        INTEGER,
  page         TEXT    NOT NULL,
  version      INTEGER NOT NULL,
  lineage      INTEGER NOT NULL,
  seen         INTEGER NOT NULL
);
CREATE INDEX items_subscription ON items (subscription, seen);
CREATE INDEX items_seen         ON items (seen);

CREATE TABLE channels (
  name     TEXT PRIMARY KEY,
  url      TEXT NOT NULL,
  disabled TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE messages (
  id           INTEGER PRIMARY KEY,
  name         TEXT    NOT NULL UNIQUE, -- plat.Message.ID
  channel      TEXT    NOT NULL,
  subscription TEXT    NOT NULL, -- subscriptions.name, empty: of several
  items        TEXT    NOT NULL, -- names, a JSON array
  made         INTEGER NOT NULL,
  due          INTEGER NOT NULL,
  attempts     INTEGER NOT NULL,
  error        TEXT    NOT NULL,
  tried        INTEGER, -- when the last attempt failed
  first        INTEGER NOT NULL DEFAULT 0 -- 1: of its channel and subscription
);
CREATE INDEX        messages_order ON messages (channel, subscription, made, name);
CREATE UNIQUE INDEX messages_first ON messages (channel, subscription) WHERE first = 1;
CREATE INDEX        messages_due   ON messages (due) WHERE first = 1;

-- Messages that were sent: at is when.
CREATE TABLE sent (
  name TEXT PRIMARY KEY,
  at   INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX sent_at ON sent (at);
