-- +goose Up

-- Which causes and states there are, and which may follow which, is said in one
-- place, and not here. shard_total is 0 for a run that is not a part of another.
CREATE TABLE runs_new (
	id          INTEGER PRIMARY KEY,
	job_id      INTEGER NOT NULL,
	job_version INTEGER NOT NULL,
	group_id    INTEGER NOT NULL,
	planned_at  INTEGER NOT NULL,
	cause       TEXT    NOT NULL,
	cause_id    INTEGER NOT NULL,
	shard_index INTEGER NOT NULL DEFAULT 0,
	shard_total INTEGER NOT NULL DEFAULT 0,
	state       TEXT    NOT NULL,
	ready_at    INTEGER,
	due_at      INTEGER NOT NULL,
	tries       INTEGER NOT NULL DEFAULT 0,
	undelivered INTEGER NOT NULL DEFAULT 0,
	attempt_id  INTEGER NOT NULL DEFAULT 0,
	priority    INTEGER NOT NULL DEFAULT 1,
	expires_at  INTEGER,
	created_at  INTEGER NOT NULL,
	ended_at    INTEGER,
	avoid       TEXT    NOT NULL DEFAULT '',
	addresses   TEXT    NOT NULL DEFAULT '',
	reason      TEXT    NOT NULL DEFAULT '',
	message     TEXT    NOT NULL DEFAULT '',
	param       TEXT,
	CHECK ((ready_at IS NOT NULL) = (state = 'planned' OR state = 'queued' OR state = 'waiting_retry')),
	CHECK (shard_index >= 0 AND (shard_index < shard_total OR shard_total = 0))
) STRICT;

INSERT INTO runs_new (id, job_id, job_version, group_id, planned_at, cause, cause_id, state, ready_at, due_at, tries,
	undelivered, attempt_id, priority, expires_at, created_at, ended_at, avoid, addresses, reason, message, param)
	SELECT id, job_id, job_version, group_id, planned_at, cause, cause_id, state, ready_at, due_at, tries,
	undelivered, attempt_id, priority, expires_at, created_at, ended_at, avoid, addresses, reason, message, param FROM runs;
DROP TABLE runs;
ALTER TABLE runs_new RENAME TO runs;

CREATE UNIQUE INDEX runs_firing ON runs (job_id, planned_at, cause, cause_id, shard_index);
CREATE INDEX runs_job ON runs (job_id, id);
CREATE INDEX runs_ready ON runs (group_id, priority, ready_at) WHERE ready_at > 0;
CREATE INDEX runs_expires ON runs (expires_at) WHERE expires_at > 0 AND ready_at > 0;

-- open_on is the address exactly while the attempt is open; it is empty for one
-- that no executor has. check_at is set exactly while nobody knows whether the
-- executor took it. open_job is the job while the attempt is open and counts as
-- one of its running ones.
CREATE TABLE attempts_new (
	id           INTEGER PRIMARY KEY,
	run_id       INTEGER NOT NULL,
	job_id       INTEGER NOT NULL,
	number       INTEGER NOT NULL,
	address      TEXT    NOT NULL,
	state        TEXT    NOT NULL,
	open_job     INTEGER,
	open_on      TEXT,
	check_at     INTEGER,
	triggered_at INTEGER NOT NULL,
	accepted_at  INTEGER,
	ended_at     INTEGER,
	message      TEXT    NOT NULL DEFAULT '',
	CHECK ((open_on IS NOT NULL) = (state = 'dispatched' OR state = 'running')),
	CHECK (open_job IS NULL OR open_on IS NOT NULL),
	CHECK ((check_at IS NOT NULL) = (state = 'dispatched'))
) STRICT;

INSERT INTO attempts_new (id, run_id, job_id, number, address, state, open_job, open_on, check_at, triggered_at,
	accepted_at, ended_at, message)
	SELECT id, run_id, job_id, number, address, state, CASE WHEN open_on IS NULL THEN NULL ELSE job_id END, open_on,
	check_at, triggered_at, accepted_at, ended_at, message FROM attempts;
DROP TABLE attempts;
ALTER TABLE attempts_new RENAME TO attempts;

-- The last two hold open attempts only. Statements that go by them say so in the
-- same words.
CREATE INDEX attempts_run ON attempts (run_id);
CREATE INDEX attempts_open ON attempts (open_on, check_at) WHERE open_on > '';
CREATE INDEX attempts_busy ON attempts (open_job) WHERE open_job > 0;

-- What each firing of a job changes, in a row that is as narrow as can be: those of
-- many jobs lie in one page. next_at is the next firing not yet planned. look_at is
-- when a planner looks at the job: at next_at, or earlier or later when a change of
-- rules or a pause says so. A fixed delay has no next_at while it awaits the end of
-- a run of its schedule. Only enabled jobs have any of the three.
CREATE TABLE job_plans (
	job_id      INTEGER PRIMARY KEY,
	enabled     INTEGER NOT NULL CHECK (enabled = 0 OR enabled = 1),
	next_at     INTEGER CHECK (next_at IS NULL OR enabled = 1),
	look_at     INTEGER CHECK ((look_at IS NULL) = (next_at IS NULL)),
	last_at     INTEGER,
	awaits      INTEGER NOT NULL DEFAULT 0 CHECK (awaits = 0 OR (enabled = 1 AND next_at IS NULL)),
	fired       INTEGER NOT NULL DEFAULT 0,
	held_by     TEXT    NOT NULL DEFAULT '',
	stop_reason TEXT    NOT NULL DEFAULT ''
) STRICT;

INSERT INTO job_plans SELECT id, enabled, next_at, look_at, last_at, awaits, fired, held_by, stop_reason FROM jobs;

CREATE INDEX job_plans_look ON job_plans (look_at);
-- Few jobs are held at a time, so that a firing writes nothing into this index.
CREATE INDEX job_plans_held ON job_plans (held_by) WHERE held_by <> '';

CREATE TABLE jobs_new (
	id               INTEGER PRIMARY KEY,
	tombstone        INTEGER NOT NULL CHECK (tombstone = 0 OR tombstone = id),
	version          INTEGER NOT NULL,
	group_id         INTEGER NOT NULL REFERENCES executor_groups (id),
	priority         INTEGER NOT NULL DEFAULT 1,
	expire_ms        INTEGER,
	after_ms         INTEGER NOT NULL DEFAULT 0,
	stop_after       INTEGER NOT NULL DEFAULT 0,
	failures         INTEGER NOT NULL DEFAULT 0,
	timeout_ms       INTEGER NOT NULL,
	concurrency      INTEGER NOT NULL DEFAULT 0,
	template         INTEGER NOT NULL DEFAULT 0,
	template_version INTEGER NOT NULL DEFAULT 0,
	created_at       INTEGER NOT NULL,
	updated_at       INTEGER NOT NULL,
	namespace        TEXT    NOT NULL,
	job_key          TEXT    NOT NULL,
	title            TEXT    NOT NULL,
	misfire          TEXT    NOT NULL,
	route            TEXT    NOT NULL,
	overlap          TEXT    NOT NULL,
	on_crash         TEXT    NOT NULL,
	schedule         TEXT    NOT NULL,
	misfire_limits   TEXT    NOT NULL DEFAULT '{}',
	retry            TEXT    NOT NULL,
	children         TEXT    NOT NULL,
	labels           TEXT    NOT NULL DEFAULT '{}',
	delivery         TEXT    NOT NULL DEFAULT '{}',
	param            TEXT    NOT NULL,
	handler          TEXT    NOT NULL
) STRICT;

INSERT INTO jobs_new (id, tombstone, version, group_id, priority, expire_ms, after_ms, stop_after, failures, timeout_ms,
	concurrency, template, template_version, created_at, updated_at, namespace, job_key, title, misfire, route, overlap,
	on_crash, schedule, misfire_limits, retry, children, labels, delivery, param, handler)
	SELECT id, tombstone, version, group_id, priority, expire_ms, after_ms, stop_after, failures, timeout_ms,
	concurrency, template, template_version, created_at, updated_at, namespace, job_key, title, misfire, route, overlap,
	on_crash, schedule, misfire_limits, retry, children, labels, delivery, param, handler FROM jobs;
DROP TABLE jobs;
ALTER TABLE jobs_new RENAME TO jobs;

CREATE UNIQUE INDEX jobs_key ON jobs (namespace, tombstone, job_key);
CREATE INDEX jobs_template ON jobs (template) WHERE template > 0;
