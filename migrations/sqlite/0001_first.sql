-- Times are microseconds since the epoch, ids are text. What is read whole is JSON; what is searched
-- is a column.

-- The facts of a conversation that lists, look-ups and claims need. Its document is in a table of its
-- own, so that an arriving input rewrites a hundred bytes and not all that is known.
CREATE TABLE conversations (
    id              TEXT    NOT NULL PRIMARY KEY,
    tenant          TEXT    NOT NULL,
    stakeholder_key TEXT,
    label           TEXT    NOT NULL,
    reply_token     TEXT    NOT NULL UNIQUE,
    wake_at         INTEGER,
    last_activity   INTEGER NOT NULL,
    open_needs      INTEGER NOT NULL,
    held_since      INTEGER,
    fence           INTEGER NOT NULL DEFAULT 0,
    owner           TEXT,
    lease_until     INTEGER,
    quarantine      TEXT,
    quarantined_at  INTEGER,
    CHECK ((owner IS NULL) = (lease_until IS NULL))
) STRICT, WITHOUT ROWID;

-- The claim reads this from its beginning up to now: those that wait are never touched.
CREATE INDEX conversations_due ON conversations (wake_at)
    WHERE wake_at IS NOT NULL AND quarantine IS NULL;
CREATE INDEX conversations_by_key ON conversations (tenant, stakeholder_key)
    WHERE stakeholder_key IS NOT NULL;
CREATE INDEX conversations_latest ON conversations (tenant, last_activity);
CREATE INDEX conversations_held ON conversations (tenant, last_activity)
    WHERE held_since IS NOT NULL;

CREATE TABLE documents (
    conversation TEXT NOT NULL PRIMARY KEY REFERENCES conversations (id),
    document     TEXT NOT NULL
) STRICT;

-- How a conversation began: what its journal is replayed onto.
CREATE TABLE openings (
    conversation TEXT NOT NULL PRIMARY KEY REFERENCES conversations (id),
    opening      TEXT NOT NULL
) STRICT;

CREATE TABLE contacts (
    tenant       TEXT NOT NULL,
    channel      TEXT NOT NULL,
    address      TEXT NOT NULL,
    conversation TEXT NOT NULL REFERENCES conversations (id),
    PRIMARY KEY (tenant, channel, address, conversation)
) STRICT, WITHOUT ROWID;

CREATE TABLE needs (
    id              TEXT    NOT NULL PRIMARY KEY,
    tenant          TEXT    NOT NULL,
    conversation    TEXT    NOT NULL REFERENCES conversations (id),
    idempotency_key TEXT,
    request_hash    TEXT    NOT NULL,
    registered_at   INTEGER NOT NULL,
    registration    TEXT    NOT NULL,
    outcome         TEXT
) STRICT;

CREATE UNIQUE INDEX needs_by_idempotency_key ON needs (tenant, idempotency_key)
    WHERE idempotency_key IS NOT NULL;
CREATE INDEX needs_of_tenant ON needs (tenant, id);

-- What happened outside, in one order for all. The body is emptied once the input is folded, because
-- the journal has it then; the row stays, because its key keeps the same input from coming twice.
CREATE TABLE inputs (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation TEXT    NOT NULL REFERENCES conversations (id),
    tenant       TEXT    NOT NULL,
    dedupe_key   TEXT    NOT NULL,
    at           INTEGER NOT NULL,
    folded       INTEGER NOT NULL DEFAULT 0,
    body         TEXT    NOT NULL
) STRICT;

CREATE UNIQUE INDEX inputs_once ON inputs (tenant, dedupe_key);
CREATE INDEX inputs_unfolded ON inputs (conversation, seq) WHERE folded = 0;

CREATE TABLE journal (
    conversation TEXT    NOT NULL REFERENCES conversations (id),
    revision     INTEGER NOT NULL,
    at           INTEGER NOT NULL,
    operation    TEXT    NOT NULL,
    judgement    TEXT,
    usage        TEXT
) STRICT;

CREATE UNIQUE INDEX journal_in_order ON journal (conversation, revision);

-- What was said, by both sides.
CREATE TABLE messages (
    id           TEXT    NOT NULL PRIMARY KEY,
    conversation TEXT    NOT NULL REFERENCES conversations (id),
    tenant       TEXT    NOT NULL,
    direction    TEXT    NOT NULL CHECK (direction IN ('inbound', 'outbound')),
    channel      TEXT    NOT NULL,
    at           INTEGER NOT NULL,
    address      TEXT    NOT NULL,
    subject      TEXT    NOT NULL,
    text         TEXT    NOT NULL,
    transport_id TEXT
) STRICT;

CREATE INDEX messages_in_order ON messages (conversation, at);
CREATE INDEX messages_of_ours ON messages (tenant, transport_id)
    WHERE direction = 'outbound' AND transport_id IS NOT NULL;

CREATE TABLE outbox (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    message      TEXT    NOT NULL UNIQUE REFERENCES messages (id),
    conversation TEXT    NOT NULL REFERENCES conversations (id),
    tenant       TEXT    NOT NULL,
    channel      TEXT    NOT NULL,
    state        TEXT    NOT NULL CHECK (state IN
        ('queued', 'claimed', 'transmitting', 'sent', 'refused', 'unknown', 'withdrawn')),
    owner        TEXT,
    lease_until  INTEGER,
    attempts     INTEGER NOT NULL DEFAULT 0,
    due_at       INTEGER NOT NULL,
    last_error   TEXT,
    sender       TEXT    NOT NULL,
    recipient    TEXT    NOT NULL,
    transport_id TEXT,
    bytes        BLOB    NOT NULL,
    CHECK ((state IN ('claimed', 'transmitting')) = (owner IS NOT NULL)),
    CHECK ((owner IS NULL) = (lease_until IS NULL))
) STRICT;

CREATE INDEX outbox_due ON outbox (due_at, seq) WHERE state = 'queued';
CREATE INDEX outbox_leased ON outbox (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX outbox_on_its_way ON outbox (conversation, seq)
    WHERE state IN ('queued', 'claimed', 'transmitting');
CREATE INDEX outbox_open ON outbox (tenant, seq)
    WHERE state IN ('queued', 'claimed', 'transmitting', 'unknown');

CREATE TABLE blobs (
    id           TEXT    NOT NULL PRIMARY KEY,
    tenant       TEXT    NOT NULL,
    conversation TEXT    NOT NULL REFERENCES conversations (id),
    at           INTEGER NOT NULL,
    name         TEXT    NOT NULL,
    media_type   TEXT    NOT NULL,
    bytes        BLOB    NOT NULL
) STRICT;

CREATE TABLE events (
    seq    INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT    NOT NULL,
    need   TEXT    NOT NULL REFERENCES needs (id),
    at     INTEGER NOT NULL,
    event  TEXT    NOT NULL
) STRICT;

CREATE INDEX events_of_need ON events (need, seq);

-- Messages that belong to no conversation.
CREATE TABLE unmatched (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    id         TEXT    NOT NULL UNIQUE,
    tenant     TEXT    NOT NULL,
    dedupe_key TEXT    NOT NULL,
    at         INTEGER NOT NULL,
    sender     TEXT    NOT NULL,
    subject    TEXT    NOT NULL,
    why        TEXT    NOT NULL,
    raw        BLOB    NOT NULL
) STRICT;

CREATE UNIQUE INDEX unmatched_once ON unmatched (tenant, dedupe_key);
CREATE INDEX unmatched_of_tenant ON unmatched (tenant, seq);

CREATE TABLE api_keys (
    id         TEXT    NOT NULL PRIMARY KEY,
    tenant     TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    scope      TEXT    NOT NULL,
    hash       TEXT    NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT;

CREATE INDEX api_keys_of_tenant ON api_keys (tenant, id);

-- One row that a health check writes, to know that writing works.
CREATE TABLE health (
    id     INTEGER PRIMARY KEY CHECK (id = 1),
    checks INTEGER NOT NULL
) STRICT;

INSERT INTO health (id, checks) VALUES (1, 0);
