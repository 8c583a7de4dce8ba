-- The tables of a store, version 2, besides `meta` (open.ts). SQLite and PostgreSQL run this file as it is.
--
-- Times are BIGINT, in milliseconds since 1970. Lists and objects are JSON in TEXT columns.
-- Secrets are either columns named hash, the SHA-256 in hexadecimal digits, or columns named sealed_…, encrypted by seal() in secrets.ts.

-- One row for each change after which gateways must read keys and accounts again. See changeRevision in sql.ts.
CREATE TABLE revisions (
  id TEXT NOT NULL PRIMARY KEY,
  mark BIGINT NOT NULL,
  at BIGINT NOT NULL
);

CREATE TABLE accounts (
  id TEXT NOT NULL PRIMARY KEY,
  -- As readEmail returns it.
  email TEXT NOT NULL UNIQUE,
  -- The best of what the operator granted and what memberships grant. pro_until is null if Pro does not end, and for free.
  tier TEXT NOT NULL CHECK (tier IN ('free', 'pro')),
  pro_until BIGINT,
  -- What the operator granted; null if nothing.
  granted_tier TEXT CHECK (granted_tier IN ('free', 'pro')),
  granted_until BIGINT,
  -- The name of its row in quota. Accounts whose email addresses count as one share it.
  counted_as TEXT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX accounts_pro_until ON accounts (pro_until);

CREATE TABLE sessions (
  hash TEXT NOT NULL PRIMARY KEY,
  account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
  network TEXT NOT NULL,
  browser TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  ends_at BIGINT NOT NULL
);
CREATE INDEX sessions_account ON sessions (account);

-- Keys, and the tokens of read-only addresses (/t/{token}/…), which are used like keys.
CREATE TABLE keys (
  hash TEXT NOT NULL PRIMARY KEY,
  -- gdr_ and 8 characters; gdt_ of a read-only address.
  prefix TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
  name TEXT,
  created_at BIGINT NOT NULL,
  -- When it stops working: it was revoked or replaced, or expires. Null if it does not end.
  ends_at BIGINT,
  -- When it was set to expire.
  expires_at BIGINT,
  -- Of a browser key: the origins of its pages, a JSON list, and its own limits.
  origins TEXT,
  minute_cap BIGINT,
  day_cap BIGINT,
  -- The session that a browser key of the account pages ends with. It counts as none of the account's keys.
  session TEXT REFERENCES sessions ON DELETE CASCADE,
  -- Of a read-only address: its game, and the only query that it serves; without it, all rows of the game.
  game TEXT,
  query TEXT
);
CREATE INDEX keys_account ON keys (account);
CREATE INDEX keys_session ON keys (session);

-- One-time links in mails: sign-up, sign-in, the claim of a membership by an account.
CREATE TABLE links (
  hash TEXT NOT NULL PRIMARY KEY,
  purpose TEXT NOT NULL,
  email TEXT NOT NULL,
  ends_at BIGINT NOT NULL
);
CREATE INDEX links_email ON links (email);

CREATE TABLE memberships (
  platform TEXT NOT NULL,
  member TEXT NOT NULL,
  -- As the platform reports it. The membership belongs to the account with this address unless another one claimed it.
  email TEXT,
  -- The account that claimed it.
  account TEXT REFERENCES accounts ON DELETE CASCADE,
  standing TEXT NOT NULL,
  -- Why the member is not Pro, in words; null for Pro.
  reason TEXT,
  charged_at BIGINT,
  -- The charge that paid_until and grace_until belong to.
  paid_at BIGINT,
  paid_until BIGINT,
  grace_until BIGINT,
  -- Until when it grants Pro, which follows from the columns above except for a gift or trial; null if it does not.
  pro_until BIGINT,
  PRIMARY KEY (platform, member)
);
CREATE INDEX memberships_email ON memberships (email);
CREATE INDEX memberships_account ON memberships (account);

-- What accounts follow: a game by its slug, all_games, new_games.
CREATE TABLE follows (
  account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
  topic TEXT NOT NULL,
  PRIMARY KEY (account, topic)
);

-- How an account gets alerts: webhook, mail, feed, or a chat service; one of each kind.
CREATE TABLE channels (
  account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
  kind TEXT NOT NULL,
  -- The address that alerts are posted to, and what pages show of it.
  sealed_address TEXT,
  shown TEXT,
  -- The secret that signs.
  sealed_secret TEXT,
  -- Of a feed: the SHA-256 of the token in its address.
  hash TEXT UNIQUE,
  disabled_at BIGINT,
  disabled_reason TEXT,
  PRIMARY KEY (account, kind)
);

-- What happened to games.
CREATE TABLE events (
  id TEXT NOT NULL PRIMARY KEY,
  game TEXT NOT NULL,
  type TEXT NOT NULL,
  at BIGINT NOT NULL,
  -- The event as channels send it, a JSON object.
  body TEXT NOT NULL,
  raised_at BIGINT NOT NULL
);
CREATE INDEX events_raised_at ON events (raised_at);

-- The occurrences of each game that were raised as events, or passed over.
CREATE TABLE occurrences (
  game TEXT NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (game, id)
);

-- Queues, see queues.ts: these columns are the same in deliveries and mails.
--   due_at        when it may be tried next
--   leased_until  until when one process holds it
--   attempts      how often it was tried
--   done_at       when it succeeded; such rows stay only as long as pages show them
--   failed_at     when it was given up
--   error         what the last attempt failed with

-- An event on its way to an account by one channel.
CREATE TABLE deliveries (
  id TEXT NOT NULL PRIMARY KEY,
  account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
  channel TEXT NOT NULL,
  -- Null for a test.
  event TEXT REFERENCES events ON DELETE CASCADE,
  due_at BIGINT NOT NULL,
  leased_until BIGINT NOT NULL DEFAULT 0,
  attempts BIGINT NOT NULL DEFAULT 0,
  tried_at BIGINT,
  done_at BIGINT,
  failed_at BIGINT,
  error TEXT
);
CREATE INDEX deliveries_due ON deliveries (done_at, failed_at, due_at);
CREATE INDEX deliveries_account ON deliveries (account, tried_at);
CREATE INDEX deliveries_event ON deliveries (event);

-- Mails about accounts that wait for a gateway that sends mails.
CREATE TABLE mails (
  id TEXT NOT NULL PRIMARY KEY,
  account TEXT REFERENCES accounts ON DELETE CASCADE,
  -- What it is about: security, game-request.
  kind TEXT NOT NULL,
  -- What it is written from: an entry of audit as JSON, or the id of the request.
  content TEXT NOT NULL,
  due_at BIGINT NOT NULL,
  leased_until BIGINT NOT NULL DEFAULT 0,
  attempts BIGINT NOT NULL DEFAULT 0,
  tried_at BIGINT,
  done_at BIGINT,
  failed_at BIGINT,
  error TEXT
);
CREATE INDEX mails_due ON mails (done_at, failed_at, due_at);
CREATE INDEX mails_account ON mails (account, kind);

CREATE TABLE requests (
  -- 1, 2, …
  id BIGINT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  link TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL CHECK (status IN ('open', 'accepted', 'declined', 'done')),
  game TEXT,
  note TEXT,
  created_at BIGINT NOT NULL
);

CREATE TABLE votes (
  request BIGINT NOT NULL REFERENCES requests ON DELETE CASCADE,
  account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
  at BIGINT NOT NULL,
  PRIMARY KEY (request, account)
);
CREATE INDEX votes_account ON votes (account);

-- What was done to accounts.
CREATE TABLE audit (
  id TEXT NOT NULL PRIMARY KEY,
  account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
  at BIGINT NOT NULL,
  event TEXT NOT NULL,
  -- What it was done to, such as the prefix of a key; never a secret.
  about TEXT,
  -- Who did it (account, operator, key-holder, platform, gateway), and from which network.
  by TEXT NOT NULL,
  network TEXT
);
CREATE INDEX audit_account ON audit (account, at);

-- The requests that count against limits, by name. See access/quota.ts.
CREATE TABLE quota (
  name TEXT NOT NULL PRIMARY KEY,
  -- When the last requests were admitted, as many as the limit of a minute, each of 13 digits, the oldest first.
  times TEXT NOT NULL,
  -- The UTC day, in days since 1970, and how many requests were admitted on it.
  day BIGINT NOT NULL,
  used BIGINT NOT NULL,
  -- The limits when the last request was counted.
  minute_cap BIGINT NOT NULL,
  day_cap BIGINT NOT NULL
);

-- Allowances that all gateways share, such as mails to an address. See limits.ts.
CREATE TABLE limits (
  name TEXT NOT NULL PRIMARY KEY,
  -- When nothing of it is used any more.
  free_at BIGINT NOT NULL
);
