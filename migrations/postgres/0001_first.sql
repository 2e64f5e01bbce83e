-- Times are microseconds since the epoch, ids are text. What is read whole is JSON, kept as text so
-- that it is given back byte for byte; what is searched is a column. Ids and keys are compared byte
-- by byte, whatever the database's own collation is.

-- The facts of a conversation that lists, look-ups and claims need. Its document is in a table of its
-- own, so that an arriving input rewrites a hundred bytes and not all that is known. Whoever changes
-- anything of a conversation locks its row here first: that is what puts the changes in an order.
CREATE TABLE conversations (
    id              TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    tenant          TEXT COLLATE "C" NOT NULL,
    stakeholder_key TEXT COLLATE "C",
    label           TEXT    NOT NULL,
    reply_token     TEXT COLLATE "C" NOT NULL UNIQUE,
    wake_at         BIGINT,
    last_activity   BIGINT  NOT NULL,
    open_needs      BIGINT  NOT NULL,
    held_since      BIGINT,
    fence           BIGINT  NOT NULL DEFAULT 0,
    owner           TEXT COLLATE "C",
    lease_until     BIGINT,
    quarantine      TEXT,
    quarantined_at  BIGINT,
    CHECK ((owner IS NULL) = (lease_until IS NULL))
);

-- The claim reads this from its beginning up to now: those that wait are never touched.
CREATE INDEX conversations_due ON conversations (wake_at)
    WHERE wake_at IS NOT NULL AND quarantine IS NULL;
CREATE INDEX conversations_by_key ON conversations (tenant, stakeholder_key)
    WHERE stakeholder_key IS NOT NULL;
CREATE INDEX conversations_latest ON conversations (tenant, last_activity, id);
CREATE INDEX conversations_held ON conversations (tenant, last_activity, id)
    WHERE held_since IS NOT NULL;
CREATE INDEX conversations_of_tenant ON conversations (tenant, id);

CREATE TABLE documents (
    conversation TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES conversations (id),
    document     TEXT NOT NULL
);

-- How a conversation began: what its journal is replayed onto.
CREATE TABLE openings (
    conversation TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES conversations (id),
    opening      TEXT NOT NULL
);

CREATE TABLE contacts (
    tenant       TEXT COLLATE "C" NOT NULL,
    channel      TEXT COLLATE "C" NOT NULL,
    address      TEXT COLLATE "C" NOT NULL,
    conversation TEXT COLLATE "C" NOT NULL REFERENCES conversations (id),
    PRIMARY KEY (tenant, channel, address, conversation)
);

CREATE TABLE needs (
    id              TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    tenant          TEXT COLLATE "C" NOT NULL,
    conversation    TEXT COLLATE "C" NOT NULL REFERENCES conversations (id),
    idempotency_key TEXT COLLATE "C",
    request_hash    TEXT   NOT NULL,
    registered_at   BIGINT NOT NULL,
    registration    TEXT   NOT NULL,
    outcome         TEXT
);

CREATE UNIQUE INDEX needs_by_idempotency_key ON needs (tenant, idempotency_key)
    WHERE idempotency_key IS NOT NULL;
CREATE INDEX needs_of_tenant ON needs (tenant, id);

-- What happened outside. Within a conversation, the places are in the order of the commits, because
-- each is drawn under the lock of the conversation's row; across conversations they are not. The
-- body is emptied once the input is folded, because the journal has it then; the row stays, because
-- its key keeps the same input from coming twice.
CREATE TABLE inputs (
    seq          BIGINT  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    conversation TEXT COLLATE "C" NOT NULL REFERENCES conversations (id),
    tenant       TEXT COLLATE "C" NOT NULL,
    dedupe_key   TEXT COLLATE "C" NOT NULL,
    at           BIGINT  NOT NULL,
    folded       BOOLEAN NOT NULL DEFAULT FALSE,
    body         TEXT    NOT NULL
);

CREATE UNIQUE INDEX inputs_once ON inputs (tenant, dedupe_key);
CREATE INDEX inputs_unfolded ON inputs (conversation, seq) WHERE NOT folded;

CREATE TABLE journal (
    conversation TEXT COLLATE "C" NOT NULL REFERENCES conversations (id),
    revision     BIGINT NOT NULL,
    at           BIGINT NOT NULL,
    operation    TEXT   NOT NULL,
    judgement    TEXT,
    usage        TEXT,
    PRIMARY KEY (conversation, revision)
);

-- What was said, by both sides.
CREATE TABLE messages (
    seq          BIGINT GENERATED ALWAYS AS IDENTITY,
    id           TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    conversation TEXT COLLATE "C" NOT NULL REFERENCES conversations (id),
    tenant       TEXT COLLATE "C" NOT NULL,
    direction    TEXT   NOT NULL CHECK (direction IN ('inbound', 'outbound')),
    channel      TEXT   NOT NULL,
    at           BIGINT NOT NULL,
    address      TEXT   NOT NULL,
    subject      TEXT   NOT NULL,
    text         TEXT   NOT NULL,
    transport_id TEXT COLLATE "C"
);

CREATE INDEX messages_in_order ON messages (conversation, at, seq);
CREATE INDEX messages_of_ours ON messages (tenant, transport_id)
    WHERE direction = 'outbound' AND transport_id IS NOT NULL;

CREATE TABLE outbox (
    seq          BIGINT  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    message      TEXT COLLATE "C" NOT NULL UNIQUE REFERENCES messages (id),
    conversation TEXT COLLATE "C" NOT NULL REFERENCES conversations (id),
    tenant       TEXT COLLATE "C" NOT NULL,
    channel      TEXT    NOT NULL,
    state        TEXT    NOT NULL CHECK (state IN
        ('queued', 'claimed', 'transmitting', 'sent', 'refused', 'unknown', 'withdrawn')),
    owner        TEXT COLLATE "C",
    lease_until  BIGINT,
    attempts     BIGINT  NOT NULL DEFAULT 0,
    due_at       BIGINT  NOT NULL,
    last_error   TEXT,
    sender       TEXT    NOT NULL,
    recipient    TEXT    NOT NULL,
    transport_id TEXT,
    bytes        BYTEA   NOT NULL,
    CHECK ((state IN ('claimed', 'transmitting')) = (owner IS NOT NULL)),
    CHECK ((owner IS NULL) = (lease_until IS NULL))
);

CREATE INDEX outbox_due ON outbox (due_at, seq) WHERE state = 'queued';
CREATE INDEX outbox_leased ON outbox (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX outbox_on_its_way ON outbox (conversation, seq)
    WHERE state IN ('queued', 'claimed', 'transmitting');
CREATE INDEX outbox_open ON outbox (tenant, seq)
    WHERE state IN ('queued', 'claimed', 'transmitting', 'unknown');

CREATE TABLE blobs (
    id           TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    tenant       TEXT COLLATE "C" NOT NULL,
    conversation TEXT COLLATE "C" NOT NULL REFERENCES conversations (id),
    at           BIGINT NOT NULL,
    name         TEXT   NOT NULL,
    media_type   TEXT   NOT NULL,
    bytes        BYTEA  NOT NULL
);

CREATE TABLE events (
    seq    BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant TEXT COLLATE "C" NOT NULL,
    need   TEXT COLLATE "C" NOT NULL REFERENCES needs (id),
    at     BIGINT NOT NULL,
    event  TEXT   NOT NULL
);

CREATE INDEX events_of_need ON events (need, seq);

-- Messages that belong to no conversation.
CREATE TABLE unmatched (
    seq        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id         TEXT COLLATE "C" NOT NULL UNIQUE,
    tenant     TEXT COLLATE "C" NOT NULL,
    dedupe_key TEXT COLLATE "C" NOT NULL,
    at         BIGINT NOT NULL,
    sender     TEXT   NOT NULL,
    subject    TEXT   NOT NULL,
    why        TEXT   NOT NULL,
    raw        BYTEA  NOT NULL
);

CREATE UNIQUE INDEX unmatched_once ON unmatched (tenant, dedupe_key);
CREATE INDEX unmatched_of_tenant ON unmatched (tenant, seq);

CREATE TABLE api_keys (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    tenant     TEXT COLLATE "C" NOT NULL,
    name       TEXT   NOT NULL,
    scope      TEXT   NOT NULL,
    hash       TEXT COLLATE "C" NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT
);

CREATE INDEX api_keys_of_tenant ON api_keys (tenant, id);

-- One row that a health check writes, to know that writing works.
CREATE TABLE health (
    id     BIGINT PRIMARY KEY CHECK (id = 1),
    checks BIGINT NOT NULL
);

INSERT INTO health (id, checks) VALUES (1, 0);

-- Who works on this database: each counts its own beats up, and whoever sees one that has stopped
-- counting ends its claims.
CREATE TABLE replicas (
    owner TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    beats BIGINT NOT NULL
);
