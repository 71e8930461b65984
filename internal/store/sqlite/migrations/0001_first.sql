-- +goose Up

-- The next id of each kind; a block of them is reserved at a time.
CREATE TABLE sequences (
	name TEXT PRIMARY KEY,
	next INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO sequences (name, next) VALUES ('groups', 1), ('jobs', 1), ('runs', 1), ('attempts', 1);

CREATE TABLE executor_groups (
	id         INTEGER PRIMARY KEY,
	namespace  TEXT    NOT NULL,
	group_key  TEXT    NOT NULL,
	title      TEXT    NOT NULL,
	created_at INTEGER NOT NULL,
	UNIQUE (namespace, group_key)
) STRICT;

CREATE TABLE executors (
	group_id      INTEGER NOT NULL REFERENCES executor_groups (id),
	address       TEXT    NOT NULL,
	lease_until   INTEGER NOT NULL,
	registered_at INTEGER NOT NULL,
	seen_at       INTEGER NOT NULL,
	PRIMARY KEY (group_id, address)
) STRICT, WITHOUT ROWID;

CREATE INDEX executors_lease ON executors (lease_until);
CREATE INDEX executors_address ON executors (address);

-- tombstone is 0 while the job lives, and its own id when it is deleted, which
-- frees the key. next_at is set only while the job is enabled.
CREATE TABLE jobs (
	id         INTEGER PRIMARY KEY,
	tombstone  INTEGER NOT NULL CHECK (tombstone = 0 OR tombstone = id),
	version    INTEGER NOT NULL,
	group_id   INTEGER NOT NULL REFERENCES executor_groups (id),
	enabled    INTEGER NOT NULL CHECK (enabled = 0 OR enabled = 1),
	next_at    INTEGER CHECK (next_at IS NULL OR (enabled = 1 AND tombstone = 0)),
	last_at    INTEGER,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	schedule   TEXT    NOT NULL,
	misfire    TEXT    NOT NULL,
	route      TEXT    NOT NULL,
	overlap    TEXT    NOT NULL,
	on_crash   TEXT    NOT NULL,
	timeout_ms INTEGER NOT NULL,
	retry      TEXT    NOT NULL,
	children   TEXT    NOT NULL,
	namespace  TEXT    NOT NULL,
	job_key    TEXT    NOT NULL,
	title      TEXT    NOT NULL,
	handler    TEXT    NOT NULL,
	param      TEXT    NOT NULL
) STRICT;

CREATE UNIQUE INDEX jobs_key ON jobs (namespace, tombstone, job_key);
CREATE INDEX jobs_next ON jobs (next_at);

-- ready_at is set exactly while the run waits for a dispatcher: it is due_at, or
-- later while a server has claimed the run.
-- The values are compared one by one because IN (…) builds a table at each write.
CREATE TABLE runs (
	id          INTEGER PRIMARY KEY,
	job_id      INTEGER NOT NULL,
	job_version INTEGER NOT NULL,
	group_id    INTEGER NOT NULL,
	planned_at  INTEGER NOT NULL,
	cause       TEXT    NOT NULL CHECK (cause = 'schedule' OR cause = 'parent' OR cause = 'manual' OR cause = 'api'
		OR cause = 'misfire' OR cause = 'retry' OR cause = 'backfill'),
	cause_id    INTEGER NOT NULL,
	state       TEXT    NOT NULL CHECK (state = 'planned' OR state = 'dispatched' OR state = 'running'
		OR state = 'succeeded' OR state = 'queued' OR state = 'waiting_retry' OR state = 'failed'
		OR state = 'timed_out' OR state = 'cancelled' OR state = 'lost' OR state = 'skipped'),
	ready_at    INTEGER,
	due_at      INTEGER NOT NULL,
	tries       INTEGER NOT NULL DEFAULT 0,
	undelivered INTEGER NOT NULL DEFAULT 0,
	attempt_id  INTEGER NOT NULL DEFAULT 0,
	created_at  INTEGER NOT NULL,
	ended_at    INTEGER,
	reason      TEXT    NOT NULL DEFAULT '',
	message     TEXT    NOT NULL DEFAULT '',
	param       TEXT,
	CHECK ((ready_at IS NOT NULL) = (state = 'planned' OR state = 'queued' OR state = 'waiting_retry'))
) STRICT;

CREATE UNIQUE INDEX runs_firing ON runs (job_id, planned_at, cause, cause_id);
CREATE INDEX runs_job ON runs (job_id, id);
CREATE INDEX runs_ready ON runs (group_id, ready_at);

-- open_on is the address exactly while the attempt is open; check_at is set
-- exactly while nobody knows whether the executor took it.
CREATE TABLE attempts (
	id           INTEGER PRIMARY KEY,
	run_id       INTEGER NOT NULL,
	job_id       INTEGER NOT NULL,
	number       INTEGER NOT NULL,
	address      TEXT    NOT NULL,
	state        TEXT    NOT NULL CHECK (state = 'dispatched' OR state = 'running' OR state = 'succeeded'
		OR state = 'failed' OR state = 'timed_out' OR state = 'cancelled' OR state = 'lost' OR state = 'skipped'),
	check_at     INTEGER,
	open_on      TEXT,
	triggered_at INTEGER NOT NULL,
	accepted_at  INTEGER,
	ended_at     INTEGER,
	message      TEXT    NOT NULL DEFAULT '',
	CHECK ((open_on IS NOT NULL) = (state = 'dispatched' OR state = 'running')),
	CHECK ((check_at IS NOT NULL) = (state = 'dispatched'))
) STRICT;

CREATE INDEX attempts_run ON attempts (run_id);
CREATE INDEX attempts_open ON attempts (open_on, check_at);
