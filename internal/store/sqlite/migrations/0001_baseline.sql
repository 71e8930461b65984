-- +goose Up

-- The first schema. Columns that end in _at are instants, in milliseconds UTC, and those that
-- end in _ms are durations; 0 or NULL means none, as the column's type allows. Numbers come
-- from sequences. PostgreSQL and MySQL have the same tables.
--
-- Of two indexes that seem equally good SQLite takes the one that was made last, so the
-- order of indexes counts. A statement uses a partial index only if it repeats its condition
-- in the same words.

--
-- The database
--

-- The next number of each kind; servers reserve blocks. The version of a set of objects is a
-- sequence too: rules counts the changes of calendars and pauses, callers those of executor
-- tokens, identity those of users and API tokens, alarm_book those of rules, channels and
-- silences, secret_book those of secrets. alarm_definitions numbers all three of alarm_book.
CREATE TABLE sequences (
	name TEXT PRIMARY KEY,
	next INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO sequences (name, next) VALUES
	('alarm_book', 1), ('alarm_definitions', 1), ('alarm_events', 1), ('api_tokens', 1), ('backfills', 1),
	('calendars', 1), ('callers', 1), ('group_tokens', 1), ('groups', 1), ('identity', 1),
	('jobs', 1), ('log_blob_parts', 1), ('log_packs', 1), ('pauses', 1), ('rules', 1), ('runs', 1),
	('secret_book', 1), ('secrets', 1), ('sessions', 1), ('users', 1), ('workflow_runs', 1), ('workflows', 1);

-- The history that the sequences belong to, as the database names it. A promoted standby and
-- a restored copy name another one. Empty until a server has read it.
CREATE TABLE database_origin (
	id   INTEGER PRIMARY KEY,
	name TEXT    NOT NULL
) STRICT;

INSERT INTO database_origin (id, name) VALUES (1, '');

-- The checksums of the migrations as they were when they were applied.
CREATE TABLE schema_steps (
	number   INTEGER PRIMARY KEY,
	name     TEXT NOT NULL,
	checksum TEXT NOT NULL
);

--
-- Servers
--

-- Heartbeats of servers. All instants but started_at are by the database's clock. life is
-- another one after each start.
CREATE TABLE servers (
	name           TEXT    NOT NULL PRIMARY KEY,
	life           TEXT    NOT NULL,
	address        TEXT    NOT NULL,
	version        TEXT    NOT NULL,
	started_at     INTEGER NOT NULL,
	beat_at        INTEGER NOT NULL,
	lease_until    INTEGER NOT NULL,
	stopped_at     INTEGER NOT NULL DEFAULT 0,
	draining       INTEGER NOT NULL DEFAULT 0,
	watching_until INTEGER NOT NULL DEFAULT 0,
	figures        TEXT    NOT NULL
);

-- The leader of each task that one server does for all. term grows with each leader.
CREATE TABLE leads (
	name        TEXT    NOT NULL PRIMARY KEY,
	holder      TEXT    NOT NULL,
	lease_until INTEGER NOT NULL,
	term        INTEGER NOT NULL
);

-- Leases with a fencing token: a write names the fence of its lease, and fails when a later
-- holder has another one.
CREATE TABLE leases (
	name   TEXT    PRIMARY KEY,
	holder TEXT    NOT NULL,
	until  INTEGER NOT NULL,
	fence  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The change stream between servers, written while one of them watches: one row for each
-- transaction, in the order of commits, without gaps.
CREATE TABLE changes (
	id         INTEGER PRIMARY KEY,
	changed_at INTEGER NOT NULL,
	changes    TEXT    NOT NULL
);

--
-- Groups and executors
--

-- Executors register by the key alone, so it is unique in the whole installation. labels and
-- rewrites are JSON; rewrites are the rules for addresses. own_token_only refuses the
-- executor token of the installation.
CREATE TABLE executor_groups (
	id             INTEGER PRIMARY KEY,
	namespace      TEXT    NOT NULL,
	group_key      TEXT    NOT NULL,
	title          TEXT    NOT NULL,
	labels         TEXT    NOT NULL DEFAULT '{}',
	version        INTEGER NOT NULL DEFAULT 1,
	created_at     INTEGER NOT NULL,
	own_token_only INTEGER NOT NULL DEFAULT 0 CHECK (own_token_only = 0 OR own_token_only = 1),
	rewrites       TEXT    NOT NULL DEFAULT '[]',
	UNIQUE (namespace, group_key)
) STRICT;

CREATE UNIQUE INDEX executor_groups_key ON executor_groups (group_key);
CREATE INDEX executor_groups_rewrites ON executor_groups (group_key) WHERE rewrites <> '[]';

-- The tokens of the executors of a group. hash is the SHA-256 of the token in hex. sealed is
-- the token, encrypted with a key outside the database for this group and hash, for protocols
-- in which servers show it to executors.
CREATE TABLE group_tokens (
	id           INTEGER PRIMARY KEY,
	group_id     INTEGER NOT NULL REFERENCES executor_groups (id),
	label        TEXT    NOT NULL,
	hash         TEXT    NOT NULL UNIQUE,
	sealed       TEXT    NOT NULL DEFAULT '',
	created_at   INTEGER NOT NULL,
	last_used_at INTEGER
) STRICT;

CREATE INDEX group_tokens_group ON group_tokens (group_id);

-- Executors under a lease, and addresses that a user entered: with manual = 1, or with a
-- dialect that was set, the row outlives its lease.
CREATE TABLE executors (
	group_id       INTEGER NOT NULL REFERENCES executor_groups (id),
	address        TEXT    NOT NULL,
	-- The address that the executor sent, when a rewrite replaced it.
	registered_as  TEXT    NOT NULL DEFAULT '',
	manual         INTEGER NOT NULL DEFAULT 0 CHECK (manual = 0 OR manual = 1),
	lease_until    INTEGER NOT NULL,
	registered_at  INTEGER NOT NULL,
	seen_at        INTEGER NOT NULL,
	started_at     INTEGER,
	draining       INTEGER NOT NULL DEFAULT 0,
	-- The token of the last heartbeat: one of group_tokens, 0 for the installation's, -1 for
	-- a well-known one that is admitted.
	token_id       INTEGER NOT NULL DEFAULT 0,
	-- The protocol, and its source: 'probed', 'seen' or 'set'. Both empty while unknown.
	dialect        TEXT    NOT NULL DEFAULT '',
	dialect_by     TEXT    NOT NULL DEFAULT '',
	-- JSON lists; handlers are names that jobs may use.
	features       TEXT    NOT NULL DEFAULT '[]',
	handlers       TEXT    NOT NULL DEFAULT '[]',
	-- JSON; empty for executors that do not report it.
	workload       TEXT    NOT NULL DEFAULT '',
	-- One of each start of the process, and since when; empty for executors without one.
	incarnation    TEXT    NOT NULL DEFAULT '',
	incarnation_at INTEGER,
	-- One of each data folder, and since when it is at the address.
	instance       TEXT    NOT NULL DEFAULT '',
	instance_at    INTEGER NOT NULL DEFAULT 0,
	-- Other processes at the same address with their last heartbeats, as JSON; when the lease
	-- of the last of them ends, and when a heartbeat was last refused.
	others         TEXT    NOT NULL DEFAULT '',
	crowded_until  INTEGER NOT NULL DEFAULT 0,
	rival_at       INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (group_id, address)
) STRICT, WITHOUT ROWID;

CREATE INDEX executors_lease ON executors (lease_until);
CREATE INDEX executors_address ON executors (address);
CREATE INDEX executors_manual ON executors (group_id) WHERE manual = 1;

-- One document that an executor sent about itself. It is too long for each heartbeat.
CREATE TABLE executor_facts (
	group_id INTEGER NOT NULL,
	address  TEXT    NOT NULL,
	kind     TEXT    NOT NULL,
	told_at  INTEGER NOT NULL,
	facts    TEXT    NOT NULL,
	PRIMARY KEY (group_id, address),
	FOREIGN KEY (group_id, address) REFERENCES executors (group_id, address) ON DELETE CASCADE
);

--
-- Calendars and pauses
--

CREATE TABLE calendars (
	id         INTEGER PRIMARY KEY,
	namespace  TEXT    NOT NULL,
	cal_key    TEXT    NOT NULL,
	title      TEXT    NOT NULL,
	rules      TEXT    NOT NULL, -- JSON
	version    INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	UNIQUE (namespace, cal_key)
) STRICT;

CREATE TABLE pauses (
	id         INTEGER PRIMARY KEY,
	pause_key  TEXT    NOT NULL UNIQUE,
	definition TEXT    NOT NULL, -- JSON
	version    INTEGER NOT NULL DEFAULT 1,
	created_at INTEGER NOT NULL
) STRICT;

--
-- Jobs
--

-- tombstone is 0 while the job exists and its own id once it is deleted, which frees the key.
-- template is the job whose handler this one runs. Long texts are last: lists do not read
-- them.
CREATE TABLE jobs (
	id               INTEGER PRIMARY KEY,
	tombstone        INTEGER NOT NULL CHECK (tombstone = 0 OR tombstone = id),
	version          INTEGER NOT NULL,
	group_id         INTEGER NOT NULL REFERENCES executor_groups (id),
	template         INTEGER NOT NULL DEFAULT 0,
	template_version INTEGER NOT NULL DEFAULT 0,
	priority         INTEGER NOT NULL DEFAULT 1, -- 0 high, 1 normal, 2 low
	-- How long a run waits for its first attempt; NULL for ever.
	expire_ms        INTEGER,
	-- The delay of a schedule that counts from the end of the run before; 0 for others.
	after_ms         INTEGER NOT NULL DEFAULT 0,
	timeout_ms       INTEGER NOT NULL,
	concurrency      INTEGER NOT NULL DEFAULT 0,
	overlap_queue    INTEGER NOT NULL DEFAULT 0, -- runs that may wait; 0 for the default
	shards           INTEGER NOT NULL DEFAULT 0, -- of a broadcast; 0 for one for each executor
	-- The job stops after stop_after failures in a row; failures is how many there are.
	stop_after       INTEGER NOT NULL DEFAULT 0,
	failures         INTEGER NOT NULL DEFAULT 0,
	created_at       INTEGER NOT NULL,
	updated_at       INTEGER NOT NULL,
	namespace        TEXT    NOT NULL,
	job_key          TEXT    NOT NULL,
	title            TEXT    NOT NULL,
	misfire          TEXT    NOT NULL,
	route            TEXT    NOT NULL,
	overlap          TEXT    NOT NULL,
	overlap_scope    TEXT    NOT NULL DEFAULT 'executor',
	on_crash         TEXT    NOT NULL,
	-- JSON from here on, but for param and description.
	schedule         TEXT    NOT NULL,
	misfire_limits   TEXT    NOT NULL DEFAULT '{}',
	retry            TEXT    NOT NULL,
	children         TEXT    NOT NULL,
	labels           TEXT    NOT NULL DEFAULT '{}',
	delivery         TEXT    NOT NULL DEFAULT '{}',
	logs             TEXT    NOT NULL DEFAULT '{}', -- what is kept of them
	alarm_emails     TEXT    NOT NULL DEFAULT '[]',
	inputs           TEXT    NOT NULL DEFAULT '[]', -- values that runs may be given
	param            TEXT    NOT NULL,
	handler          TEXT    NOT NULL,
	description      TEXT    NOT NULL DEFAULT ''
) STRICT;

CREATE UNIQUE INDEX jobs_key ON jobs (namespace, tombstone, job_key);
CREATE INDEX jobs_template ON jobs (template) WHERE template > 0;
CREATE INDEX jobs_group ON jobs (group_id) WHERE tombstone = 0;
CREATE INDEX jobs_place ON jobs (namespace, group_id, tombstone, job_key);
CREATE INDEX jobs_buried ON jobs (group_id) WHERE tombstone > 0;
CREATE INDEX jobs_buried_key ON jobs (namespace, job_key, tombstone) WHERE tombstone > 0;

-- What each firing changes, in a row so narrow that a page holds those of many jobs. next_at
-- is the next firing that is not planned. look_at is when a planner reads the job: at
-- next_at, or at another time when a pause or a changed rule asks for it. A fixed delay has
-- no next_at while it awaits the end of a run.
CREATE TABLE job_plans (
	job_id      INTEGER PRIMARY KEY,
	enabled     INTEGER NOT NULL CHECK (enabled = 0 OR enabled = 1),
	next_at     INTEGER CHECK (next_at IS NULL OR enabled = 1),
	look_at     INTEGER CHECK ((look_at IS NULL) = (next_at IS NULL)),
	last_at     INTEGER,
	awaits      INTEGER NOT NULL DEFAULT 0 CHECK (awaits = 0 OR (enabled = 1 AND next_at IS NULL)),
	fired       INTEGER NOT NULL DEFAULT 0,
	held_by     TEXT    NOT NULL DEFAULT '', -- the key of a pause
	stop_reason TEXT    NOT NULL DEFAULT ''
) STRICT;

CREATE INDEX job_plans_look ON job_plans (look_at);
-- Few jobs are paused, so most firings do not write into this index.
CREATE INDEX job_plans_held ON job_plans (held_by) WHERE held_by <> '';

-- The calendars that a job's schedule names.
CREATE TABLE job_calendars (
	calendar_id INTEGER NOT NULL REFERENCES calendars (id),
	job_id      INTEGER NOT NULL,
	PRIMARY KEY (calendar_id, job_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX job_calendars_job ON job_calendars (job_id);

-- The versions of a job that users saved. document is the job as JSON without its source.
-- code is the revision whose source it has, 0 for none; digest is the SHA-256 of the source
-- in hex; recoded marks a revision that brought another source.
CREATE TABLE job_revisions (
	job_id    INTEGER NOT NULL,
	number    INTEGER NOT NULL,
	saved_at  INTEGER NOT NULL,
	recoded   INTEGER NOT NULL CHECK (recoded = 0 OR recoded = 1),
	deleted   INTEGER NOT NULL CHECK (deleted = 0 OR deleted = 1),
	code      INTEGER NOT NULL,
	digest    TEXT    NOT NULL,
	by_kind   TEXT    NOT NULL,
	by_name   TEXT    NOT NULL,
	operation TEXT    NOT NULL,
	note      TEXT    NOT NULL,
	changed   TEXT    NOT NULL,
	document  TEXT    NOT NULL,
	PRIMARY KEY (job_id, number)
) STRICT;

CREATE INDEX job_revisions_code ON job_revisions (job_id, number) WHERE recoded > 0;
CREATE INDEX job_revisions_deleted ON job_revisions (saved_at) WHERE deleted > 0;

-- Sources of scripts, compressed. Revisions in a row with the same source share one.
CREATE TABLE job_codes (
	job_id INTEGER NOT NULL,
	number INTEGER NOT NULL,
	source BLOB    NOT NULL,
	PRIMARY KEY (job_id, number)
) STRICT;

--
-- Runs
--

-- package job knows the causes, the states and their order; the checks here are of columns
-- that depend on each other. The row holds the attempt that is under way, or was the last one:
-- a run that is over at its first attempt is one row.
CREATE TABLE runs (
	id          INTEGER PRIMARY KEY,
	job_id      INTEGER NOT NULL,
	job_version INTEGER NOT NULL,
	group_id    INTEGER NOT NULL,
	planned_at  INTEGER NOT NULL,
	cause       TEXT    NOT NULL,
	cause_id    INTEGER NOT NULL,
	-- shard_total is 0 for a run that is no shard of a broadcast.
	shard_index INTEGER NOT NULL DEFAULT 0,
	shard_total INTEGER NOT NULL DEFAULT 0,
	state       TEXT    NOT NULL,
	-- Set exactly while the run waits for a dispatcher: due_at, or later while a server has
	-- claimed the run.
	ready_at    INTEGER,
	due_at      INTEGER NOT NULL,
	tries       INTEGER NOT NULL DEFAULT 0,
	undelivered INTEGER NOT NULL DEFAULT 0,
	-- The last attempt, and its executor; empty if no executor had it. triggered_at is NULL
	-- while there is none, and once it was moved to the table attempts: a run that is to be tried
	-- again has none. It has ended when the run has, with the message of the run, and in
	-- attempt_state; NULL is the state of the run.
	attempt_id    INTEGER NOT NULL DEFAULT 0,
	address       TEXT    NOT NULL DEFAULT '',
	triggered_at  INTEGER,
	accepted_at   INTEGER,
	attempt_state TEXT,
	-- open_on is the address exactly while the attempt is open; empty if no executor has it.
	-- open_job is the job while the attempt counts for its concurrency. check_at is set exactly
	-- while it is unknown whether the executor accepted it.
	open_on     TEXT,
	open_job    INTEGER,
	check_at    INTEGER,
	priority    INTEGER NOT NULL DEFAULT 1,
	expires_at  INTEGER,
	created_at  INTEGER NOT NULL,
	started_at  INTEGER, -- when an executor first accepted it
	ended_at    INTEGER,
	asked_by    TEXT    NOT NULL DEFAULT '', -- the user
	-- The executor that a shard prefers, the one that the next attempt avoids, and the only
	-- ones that are allowed, as JSON.
	home        TEXT    NOT NULL DEFAULT '',
	avoid       TEXT    NOT NULL DEFAULT '',
	addresses   TEXT    NOT NULL DEFAULT '',
	reason      TEXT    NOT NULL DEFAULT '',
	message     TEXT    NOT NULL DEFAULT '',
	param       TEXT,
	-- All lines of a small log that came with the outcome of the first attempt, which ended the
	-- run, and until when it is kept, if the job sets that; NULL for other logs: see run_logs.
	log_text    TEXT,
	log_expires INTEGER,
	-- A misfire fills the slot of its schedule: the slot has one run under either cause.
	firing      TEXT GENERATED ALWAYS AS (CASE cause WHEN 'misfire' THEN 'schedule' ELSE cause END) VIRTUAL,
	CHECK ((ready_at IS NOT NULL) = (state = 'planned' OR state = 'queued' OR state = 'waiting_retry')),
	CHECK ((open_on IS NOT NULL) = (state = 'dispatched' OR state = 'running' OR state = 'stopping')),
	CHECK (open_job IS NULL OR open_on IS NOT NULL),
	CHECK ((check_at IS NOT NULL) = (state = 'dispatched') OR state = 'stopping'),
	CHECK (triggered_at IS NOT NULL OR open_on IS NULL AND accepted_at IS NULL AND attempt_state IS NULL),
	CHECK (shard_index >= 0 AND (shard_index < shard_total OR shard_total = 0))
) STRICT;

-- Runs of a schedule that succeed write into none of the partial indexes once they have been
-- dispatched. With IS NOT NULL in place of > 0 SQLite would compile each statement again for
-- each value.
-- By spans of ids, so that the entries of runs that are written at about the same time lie in few
-- pages, whatever jobs they are of: each page is written whole. See job_spans.
CREATE INDEX runs_job ON runs (id >> 14, job_id, id);
CREATE INDEX runs_expires ON runs (expires_at) WHERE expires_at > 0 AND ready_at > 0;
CREATE INDEX runs_group ON runs (group_id, id);
CREATE INDEX runs_cause ON runs (cause, id) WHERE cause <> 'schedule';
CREATE INDEX runs_asked ON runs (asked_by, id) WHERE asked_by > '';
CREATE INDEX runs_log ON runs (log_expires) WHERE log_expires > 0;
-- It has all columns that a sorted list reads.
CREATE INDEX runs_bad ON runs (state, id, job_id, group_id, planned_at, created_at, started_at, ended_at, tries, shard_total)
	WHERE state <> 'succeeded' AND ended_at > 0;
CREATE UNIQUE INDEX runs_firing ON runs (planned_at, job_id, firing, cause_id, shard_index);
CREATE INDEX runs_open ON runs (open_on, check_at, attempt_id) WHERE open_on > '';
CREATE INDEX runs_busy ON runs (open_job) WHERE open_job > 0;
-- The first attempt is found by the id of its run, a later one by this.
CREATE INDEX runs_again ON runs (attempt_id) WHERE tries > 1;
-- The last one, so that SQLite finds ready runs by it and not by runs_group.
CREATE INDEX runs_ready ON runs (group_id, priority, ready_at) WHERE ready_at > 0;

-- The spans of ids, id >> 14, in which a job has runs: by these and runs_job its runs are found.
-- The other databases have an index by job and id instead.
CREATE TABLE job_spans (
	job  INTEGER NOT NULL,
	span INTEGER NOT NULL,
	PRIMARY KEY (job, span)
) STRICT, WITHOUT ROWID;

-- The earlier attempts of runs that were tried again, as they ended. Rows are written once and
-- never change. The first attempt of a run has the id of the run.
CREATE TABLE attempts (
	id           INTEGER PRIMARY KEY,
	run_id       INTEGER NOT NULL,
	job_id       INTEGER NOT NULL,
	number       INTEGER NOT NULL,
	address      TEXT    NOT NULL,
	state        TEXT    NOT NULL,
	triggered_at INTEGER NOT NULL,
	accepted_at  INTEGER,
	ended_at     INTEGER NOT NULL,
	message      TEXT    NOT NULL
) STRICT;

CREATE INDEX attempts_run ON attempts (run_id);
CREATE INDEX attempts_job ON attempts (job_id, run_id);

-- Runs that wait for other runs of their job, in the order in which they were made. let_go
-- marks one that may start; it keeps its place until it is dispatched.
CREATE TABLE blocked (
	job_id  INTEGER NOT NULL,
	made_at INTEGER NOT NULL,
	run_id  INTEGER NOT NULL,
	let_go  INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (job_id, made_at, run_id)
) STRICT, WITHOUT ROWID;

-- When runs time out, for jobs with a limit for all attempts together: length_ms after the
-- first one.
CREATE TABLE deadlines (
	ends_at   INTEGER NOT NULL,
	run_id    INTEGER NOT NULL,
	length_ms INTEGER NOT NULL,
	PRIMARY KEY (ends_at, run_id)
) STRICT, WITHOUT ROWID;

-- Cancellations of runs that executors have: one for each run that is stopping, and for a
-- short time after. told_at is when the executor first acknowledged it, absent_at since when
-- it denies to have the attempt.
CREATE TABLE stops (
	run_id     INTEGER PRIMARY KEY,
	attempt_id INTEGER NOT NULL,
	asked_at   INTEGER NOT NULL,
	told_at    INTEGER,
	absent_at  INTEGER,
	calls      INTEGER NOT NULL,
	look_at    INTEGER NOT NULL
) STRICT;

CREATE INDEX stops_look ON stops (look_at);

-- Runs that were split into shards. total is the number that shards receive, shards how
-- many were made, open how many have not ended. look_at is set exactly while a server has
-- work to do on it. cancel is the reason of a cancellation; empty for none.
CREATE TABLE broadcasts (
	run_id     INTEGER PRIMARY KEY,
	job_id     INTEGER NOT NULL,
	attempt_id INTEGER NOT NULL,
	total      INTEGER NOT NULL,
	shards     INTEGER NOT NULL,
	open       INTEGER NOT NULL,
	failed     INTEGER NOT NULL,
	cancel     TEXT    NOT NULL,
	look_at    INTEGER,
	CHECK (open >= 0 AND open <= shards AND shards <= total),
	CHECK (failed >= 0 AND failed + open <= shards)
) STRICT;

CREATE INDEX broadcasts_look ON broadcasts (look_at);
CREATE INDEX broadcasts_job ON broadcasts (job_id, run_id);
CREATE INDEX broadcasts_open ON broadcasts (run_id) WHERE open > 0;

-- Outcomes that arrived after the end of their attempt and contradict it: a few for each
-- attempt, numbered as they came.
CREATE TABLE evidence (
	attempt_id INTEGER NOT NULL,
	number     INTEGER NOT NULL,
	came_at    INTEGER NOT NULL,
	state      TEXT    NOT NULL,
	message    TEXT    NOT NULL,
	note       TEXT    NOT NULL,
	PRIMARY KEY (attempt_id, number)
) STRICT, WITHOUT ROWID;

-- Runs that failed after their last attempt. A row lives as long as its run. A letter that
-- was closed before it was redriven keeps when and why.
CREATE TABLE dead_letters (
	run_id        INTEGER PRIMARY KEY,
	job_id        INTEGER NOT NULL,
	group_id      INTEGER NOT NULL,
	namespace     TEXT    NOT NULL,
	state         TEXT    NOT NULL,
	status        TEXT    NOT NULL,
	ended_at      INTEGER NOT NULL,
	redriven_run  INTEGER,
	closed_at     INTEGER,
	closed_reason TEXT    NOT NULL,
	message       TEXT    NOT NULL,
	CHECK ((redriven_run IS NOT NULL) = (status = 'redriven')),
	CHECK (closed_at IS NOT NULL OR status <> 'closed')
) STRICT;

CREATE INDEX dead_letters_status ON dead_letters (status, run_id);
CREATE INDEX dead_letters_job ON dead_letters (job_id, run_id);

-- What runs of the cause trial try. handler is empty for the job's own. A row lives as long
-- as its run.
CREATE TABLE trials (
	run_id     INTEGER PRIMARY KEY,
	job_id     INTEGER NOT NULL,
	made_at    INTEGER NOT NULL,
	timeout_ms INTEGER NOT NULL,
	owner      TEXT    NOT NULL,
	by_kind    TEXT    NOT NULL,
	by_name    TEXT    NOT NULL,
	handler    TEXT    NOT NULL
) STRICT;

CREATE INDEX trials_made ON trials (made_at);

-- look_at is when a server goes on with the backfill, set exactly while it is running. step
-- grows with each claim and each change. open_runs is JSON.
CREATE TABLE backfills (
	id             INTEGER PRIMARY KEY,
	job_id         INTEGER NOT NULL,
	step           INTEGER NOT NULL,
	look_at        INTEGER,
	state          TEXT    NOT NULL CHECK (state = 'running' OR state = 'finished' OR state = 'cancelled'),
	reason         TEXT    NOT NULL,
	from_at        INTEGER NOT NULL,
	to_at          INTEGER NOT NULL,
	slots          INTEGER NOT NULL,
	first_at       INTEGER NOT NULL,
	last_at        INTEGER NOT NULL,
	parallel       INTEGER NOT NULL,
	spacing_ms     INTEGER NOT NULL,
	skip_succeeded INTEGER NOT NULL,
	param          TEXT,
	cursor_at      INTEGER,
	made           INTEGER NOT NULL,
	skipped        INTEGER NOT NULL,
	succeeded      INTEGER NOT NULL,
	failed         INTEGER NOT NULL,
	open_runs      TEXT    NOT NULL,
	created_at     INTEGER NOT NULL,
	started_at     INTEGER,
	ended_at       INTEGER,
	CHECK ((look_at IS NOT NULL) = (state = 'running'))
) STRICT;

CREATE INDEX backfills_look ON backfills (look_at);
CREATE INDEX backfills_job ON backfills (job_id, id);

--
-- Workflows
--

-- nodes is JSON, total the number of nodes in it.
CREATE TABLE workflows (
	id           INTEGER PRIMARY KEY,
	namespace    TEXT    NOT NULL,
	workflow_key TEXT    NOT NULL,
	title        TEXT    NOT NULL,
	nodes        TEXT    NOT NULL,
	total        INTEGER NOT NULL,
	version      INTEGER NOT NULL,
	created_at   INTEGER NOT NULL,
	updated_at   INTEGER NOT NULL,
	UNIQUE (namespace, workflow_key)
) STRICT;

-- nodes is that of the workflow when the run began. look_at is when a server goes on with
-- the run, set exactly while it is open. step grows with each claim and each change.
CREATE TABLE workflow_runs (
	id           INTEGER PRIMARY KEY,
	workflow_id  INTEGER NOT NULL,
	namespace    TEXT    NOT NULL,
	workflow_key TEXT    NOT NULL,
	version      INTEGER NOT NULL,
	nodes        TEXT    NOT NULL,
	step         INTEGER NOT NULL,
	look_at      INTEGER,
	state        TEXT    NOT NULL CHECK (state = 'running' OR state = 'cancelling' OR state = 'succeeded'
		OR state = 'failed' OR state = 'cancelled'),
	reason       TEXT    NOT NULL,
	planned_at   INTEGER,
	param        TEXT    NOT NULL,
	generation   INTEGER NOT NULL,
	total        INTEGER NOT NULL,
	done         INTEGER NOT NULL,
	failed       INTEGER NOT NULL,
	created_at   INTEGER NOT NULL,
	ended_at     INTEGER,
	CHECK ((look_at IS NOT NULL) = (state = 'running' OR state = 'cancelling'))
) STRICT;

CREATE INDEX workflow_runs_look ON workflow_runs (look_at);
CREATE INDEX workflow_runs_key ON workflow_runs (namespace, workflow_key, id);

-- place is the node's index in nodes. run_id is 0 before its first run.
CREATE TABLE workflow_nodes (
	workflow_run_id INTEGER NOT NULL REFERENCES workflow_runs (id),
	place           INTEGER NOT NULL,
	job_id          INTEGER NOT NULL,
	state           TEXT    NOT NULL CHECK (state = 'waiting' OR state = 'running' OR state = 'succeeded'
		OR state = 'failed' OR state = 'skipped' OR state = 'cancelled'),
	run_id          INTEGER NOT NULL,
	generation      INTEGER NOT NULL,
	reason          TEXT    NOT NULL,
	result          TEXT    NOT NULL,
	started_at      INTEGER,
	ended_at        INTEGER,
	PRIMARY KEY (workflow_run_id, place),
	CHECK (state <> 'running' OR run_id > 0)
) STRICT, WITHOUT ROWID;

CREATE INDEX workflow_nodes_run ON workflow_nodes (run_id);

--
-- Statistics
--

-- Runs that ended on a day, by job. Days are UTC, counted from 1970-01-01, and come first in
-- the key: the rows that are written are adjacent, and so are those that are removed. timed
-- counts the attempts in run_ms; late_ms is the sum over all attempts.
CREATE TABLE stats_daily (
	day         INTEGER NOT NULL,
	job_id      INTEGER NOT NULL,
	succeeded   INTEGER NOT NULL,
	failed      INTEGER NOT NULL,
	timed_out   INTEGER NOT NULL,
	cancelled   INTEGER NOT NULL,
	lost        INTEGER NOT NULL,
	skipped     INTEGER NOT NULL,
	attempts    INTEGER NOT NULL,
	timed       INTEGER NOT NULL,
	run_ms      INTEGER NOT NULL,
	run_ms_max  INTEGER NOT NULL,
	late_ms     INTEGER NOT NULL,
	late_ms_max INTEGER NOT NULL,
	PRIMARY KEY (day, job_id)
) STRICT, WITHOUT ROWID;

-- Runs that ended in an interval, by group. width is its length in milliseconds: a minute,
-- kept for some hours, or half an hour, kept for five weeks. t0 to t27 are the histogram of
-- the durations in run_ms, l0 to l27 that of lateness, which minutes alone have. The first
-- bucket is below 1 ms, and each further one ends at twice the one before.
CREATE TABLE spreads (
	width       INTEGER NOT NULL,
	begins_at   INTEGER NOT NULL,
	namespace   TEXT    NOT NULL,
	group_key   TEXT    NOT NULL,
	succeeded   INTEGER NOT NULL DEFAULT 0,
	failed      INTEGER NOT NULL DEFAULT 0,
	timed_out   INTEGER NOT NULL DEFAULT 0,
	cancelled   INTEGER NOT NULL DEFAULT 0,
	lost        INTEGER NOT NULL DEFAULT 0,
	skipped     INTEGER NOT NULL DEFAULT 0,
	attempts    INTEGER NOT NULL DEFAULT 0,
	timed       INTEGER NOT NULL DEFAULT 0,
	run_ms      INTEGER NOT NULL DEFAULT 0,
	run_ms_max  INTEGER NOT NULL DEFAULT 0,
	late_ms     INTEGER NOT NULL DEFAULT 0,
	late_ms_max INTEGER NOT NULL DEFAULT 0,
	t0 INTEGER NOT NULL DEFAULT 0, t1 INTEGER NOT NULL DEFAULT 0, t2 INTEGER NOT NULL DEFAULT 0, t3 INTEGER NOT NULL DEFAULT 0,
	t4 INTEGER NOT NULL DEFAULT 0, t5 INTEGER NOT NULL DEFAULT 0, t6 INTEGER NOT NULL DEFAULT 0, t7 INTEGER NOT NULL DEFAULT 0,
	t8 INTEGER NOT NULL DEFAULT 0, t9 INTEGER NOT NULL DEFAULT 0, t10 INTEGER NOT NULL DEFAULT 0, t11 INTEGER NOT NULL DEFAULT 0,
	t12 INTEGER NOT NULL DEFAULT 0, t13 INTEGER NOT NULL DEFAULT 0, t14 INTEGER NOT NULL DEFAULT 0, t15 INTEGER NOT NULL DEFAULT 0,
	t16 INTEGER NOT NULL DEFAULT 0, t17 INTEGER NOT NULL DEFAULT 0, t18 INTEGER NOT NULL DEFAULT 0, t19 INTEGER NOT NULL DEFAULT 0,
	t20 INTEGER NOT NULL DEFAULT 0, t21 INTEGER NOT NULL DEFAULT 0, t22 INTEGER NOT NULL DEFAULT 0, t23 INTEGER NOT NULL DEFAULT 0,
	t24 INTEGER NOT NULL DEFAULT 0, t25 INTEGER NOT NULL DEFAULT 0, t26 INTEGER NOT NULL DEFAULT 0, t27 INTEGER NOT NULL DEFAULT 0,
	l0 INTEGER NOT NULL DEFAULT 0, l1 INTEGER NOT NULL DEFAULT 0, l2 INTEGER NOT NULL DEFAULT 0, l3 INTEGER NOT NULL DEFAULT 0,
	l4 INTEGER NOT NULL DEFAULT 0, l5 INTEGER NOT NULL DEFAULT 0, l6 INTEGER NOT NULL DEFAULT 0, l7 INTEGER NOT NULL DEFAULT 0,
	l8 INTEGER NOT NULL DEFAULT 0, l9 INTEGER NOT NULL DEFAULT 0, l10 INTEGER NOT NULL DEFAULT 0, l11 INTEGER NOT NULL DEFAULT 0,
	l12 INTEGER NOT NULL DEFAULT 0, l13 INTEGER NOT NULL DEFAULT 0, l14 INTEGER NOT NULL DEFAULT 0, l15 INTEGER NOT NULL DEFAULT 0,
	l16 INTEGER NOT NULL DEFAULT 0, l17 INTEGER NOT NULL DEFAULT 0, l18 INTEGER NOT NULL DEFAULT 0, l19 INTEGER NOT NULL DEFAULT 0,
	l20 INTEGER NOT NULL DEFAULT 0, l21 INTEGER NOT NULL DEFAULT 0, l22 INTEGER NOT NULL DEFAULT 0, l23 INTEGER NOT NULL DEFAULT 0,
	l24 INTEGER NOT NULL DEFAULT 0, l25 INTEGER NOT NULL DEFAULT 0, l26 INTEGER NOT NULL DEFAULT 0, l27 INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (width, begins_at, namespace, group_key)
) STRICT, WITHOUT ROWID;

-- What transactions have counted and is not yet in the two tables above. A transaction
-- writes one row, servers add rows to those tables and remove them some seconds later.
-- Nothing refers to an id, so it may be given again. version is the encoding of deltas.
CREATE TABLE stats_deltas (
	id      INTEGER PRIMARY KEY,
	version INTEGER NOT NULL,
	deltas  BLOB    NOT NULL
) STRICT;

--
-- Logs of runs
--

-- lines and bytes are what is stored, from line 1 on. ended_at is set from the end of the
-- attempt on, look_at exactly while lines of an ended attempt are still to be copied,
-- expires_at if the job sets how long its logs are kept. whole_text has all lines of a small
-- log that came with the outcome and is not in the row of its run; NULL for logs in chunks.
CREATE TABLE run_logs (
	attempt_id   INTEGER PRIMARY KEY,
	run_id       INTEGER NOT NULL,
	job_id       INTEGER NOT NULL,
	group_id     INTEGER NOT NULL,
	address      TEXT    NOT NULL,
	triggered_at INTEGER NOT NULL,
	ended_at     INTEGER,
	look_at      INTEGER,
	expires_at   INTEGER,
	lines        INTEGER NOT NULL DEFAULT 0,
	bytes        INTEGER NOT NULL DEFAULT 0,
	state        TEXT    NOT NULL,
	note         TEXT    NOT NULL DEFAULT '',
	whole_text   TEXT,
	CHECK (look_at IS NULL OR (ended_at IS NOT NULL AND state = 'open'))
) STRICT;

CREATE INDEX run_logs_job ON run_logs (job_id, attempt_id);
CREATE INDEX run_logs_owed ON run_logs (look_at) WHERE look_at > 0;
CREATE INDEX run_logs_expires ON run_logs (expires_at) WHERE expires_at > 0;

-- Where lines are: lines of them from first_line on, size bytes at position pos of a pack,
-- raw bytes when they are unpacked.
CREATE TABLE log_chunks (
	attempt_id INTEGER NOT NULL,
	first_line INTEGER NOT NULL,
	lines      INTEGER NOT NULL,
	first_at   INTEGER NOT NULL,
	last_at    INTEGER NOT NULL,
	raw        INTEGER NOT NULL,
	pack_id    INTEGER NOT NULL,
	pos        INTEGER NOT NULL,
	size       INTEGER NOT NULL,
	PRIMARY KEY (attempt_id, first_line)
) STRICT, WITHOUT ROWID;

CREATE INDEX log_chunks_pack ON log_chunks (pack_id);

-- Blobs of chunks. live is how many of the bytes were in use when they were last counted;
-- check_at is when they are counted again.
CREATE TABLE log_packs (
	id         INTEGER PRIMARY KEY,
	name       TEXT    NOT NULL,
	size       INTEGER NOT NULL,
	live       INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	check_at   INTEGER
) STRICT;

CREATE UNIQUE INDEX log_packs_name ON log_packs (name);
CREATE INDEX log_packs_check ON log_packs (check_at) WHERE check_at > 0;

-- The bytes of all packs, in one row.
CREATE TABLE log_total (
	id    INTEGER PRIMARY KEY CHECK (id = 1),
	bytes INTEGER NOT NULL
) STRICT;

INSERT INTO log_total (id, bytes) VALUES (1, 0);

-- Packs of servers with the log store database. A blob is cut into parts of 64 KiB with
-- consecutive ids from first_part on; the last one is shorter. An empty blob has none. sum
-- is the CRC-32C of the blob.
CREATE TABLE log_blobs (
	name       TEXT    PRIMARY KEY,
	first_part INTEGER NOT NULL,
	size       INTEGER NOT NULL,
	sum        INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	CHECK (size >= 0)
) STRICT;

CREATE TABLE log_blob_parts (
	id   INTEGER PRIMARY KEY,
	data BLOB    NOT NULL,
	CHECK (LENGTH(data) BETWEEN 1 AND 65536)
) STRICT;

--
-- Alarms
--

-- definition is JSON; the other columns overrule it. secrets is JSON, encrypted with a key
-- outside the database; empty for none. A channel with is_default sends to the addresses
-- that jobs name. Its health is no part of the version.
CREATE TABLE alarm_channels (
	id         INTEGER PRIMARY KEY,
	namespace  TEXT    NOT NULL,
	chan_key   TEXT    NOT NULL,
	definition TEXT    NOT NULL,
	is_default INTEGER NOT NULL CHECK (is_default = 0 OR is_default = 1),
	secrets    TEXT    NOT NULL,
	version    INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	ok_at      INTEGER NOT NULL DEFAULT 0,
	failed_at  INTEGER NOT NULL DEFAULT 0,
	failure    TEXT    NOT NULL DEFAULT '',
	failures   INTEGER NOT NULL DEFAULT 0,
	UNIQUE (namespace, chan_key)
) STRICT;

CREATE UNIQUE INDEX alarm_channels_default ON alarm_channels (namespace) WHERE is_default > 0;

CREATE TABLE alarm_rules (
	id         INTEGER PRIMARY KEY,
	namespace  TEXT    NOT NULL,
	rule_key   TEXT    NOT NULL,
	definition TEXT    NOT NULL,
	version    INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	UNIQUE (namespace, rule_key)
) STRICT;

-- The channels that a rule names, those of its escalations too.
CREATE TABLE alarm_rule_channels (
	channel_id INTEGER NOT NULL REFERENCES alarm_channels (id),
	rule_id    INTEGER NOT NULL REFERENCES alarm_rules (id),
	PRIMARY KEY (channel_id, rule_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX alarm_rule_channels_rule ON alarm_rule_channels (rule_id);

CREATE TABLE alarm_silences (
	id         INTEGER PRIMARY KEY,
	namespace  TEXT    NOT NULL,
	definition TEXT    NOT NULL,
	ends_at    INTEGER NOT NULL, -- 0 for never
	created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX alarm_silences_namespace ON alarm_silences (namespace, id);

-- Events that rules are matched with, as JSON. Ids grow in the order of commits, so a reader
-- that continues from an id misses none.
CREATE TABLE alarm_events (
	id   INTEGER PRIMARY KEY,
	at   INTEGER NOT NULL,
	body TEXT    NOT NULL
) STRICT;

-- Lasting conditions that have been reported. source is that of their events, subject the id
-- of a job or of a group, body the last event.
CREATE TABLE watched (
	source  TEXT    NOT NULL,
	subject INTEGER NOT NULL,
	told_at INTEGER NOT NULL,
	body    TEXT    NOT NULL,
	PRIMARY KEY (source, subject)
) STRICT, WITHOUT ROWID;

-- One row: the last event that was matched, the last id given in the tables below, and the
-- alarm_book that alarms were last compared with. tag distinguishes messages of this
-- database from those of others.
CREATE TABLE alarm_cursor (
	id          INTEGER PRIMARY KEY CHECK (id = 1),
	event_id    INTEGER NOT NULL,
	last_id     INTEGER NOT NULL,
	definitions INTEGER NOT NULL,
	tag         TEXT    NOT NULL
) STRICT;

INSERT INTO alarm_cursor (id, event_id, last_id, definitions, tag) VALUES (1, 0, 0, 0, LOWER(HEX(RANDOMBLOB(4))));

-- firing_on is the job, or the group as a negative number, and look_at when the alarm is
-- evaluated without an event; both are set exactly while it fires. Alarms with the same
-- bunch_key share messages. told is 1 when a message has counted it.
CREATE TABLE alarms (
	id          INTEGER PRIMARY KEY,
	namespace   TEXT    NOT NULL,
	rule_id     INTEGER NOT NULL,
	rule_key    TEXT    NOT NULL,
	kind        TEXT    NOT NULL,
	severity    TEXT    NOT NULL,
	group_id    INTEGER NOT NULL,
	group_key   TEXT    NOT NULL,
	job_id      INTEGER NOT NULL,
	job_key     TEXT    NOT NULL,
	labels      TEXT    NOT NULL,
	recipients  TEXT    NOT NULL,
	state       TEXT    NOT NULL,
	reason      TEXT    NOT NULL,
	first_at    INTEGER NOT NULL,
	last_at     INTEGER NOT NULL,
	ended_at    INTEGER,
	events      INTEGER NOT NULL,
	run_id      INTEGER NOT NULL,
	noted_at    INTEGER, -- when it was acknowledged
	noted_by    TEXT    NOT NULL,
	silenced_by INTEGER NOT NULL,
	bunch_key   TEXT    NOT NULL,
	told        INTEGER NOT NULL,
	held        INTEGER NOT NULL,
	firing_on   INTEGER,
	look_at     INTEGER,
	CHECK ((state = 'firing') = (firing_on IS NOT NULL)),
	CHECK ((state = 'firing') = (look_at IS NOT NULL)),
	CHECK ((state = 'resolved') = (ended_at IS NOT NULL))
) STRICT;

CREATE UNIQUE INDEX alarms_firing ON alarms (firing_on, rule_id, kind);
CREATE INDEX alarms_look ON alarms (look_at);
CREATE INDEX alarms_ended ON alarms (ended_at);
CREATE INDEX alarms_state ON alarms (state, id);
CREATE INDEX alarms_job ON alarms (job_id, id);
CREATE INDEX alarms_bunch ON alarms (bunch_key, look_at);

-- The events of an alarm.
CREATE TABLE alarm_entries (
	event_id INTEGER NOT NULL,
	alarm_id INTEGER NOT NULL,
	at       INTEGER NOT NULL,
	run_id   INTEGER NOT NULL,
	job_key  TEXT    NOT NULL,
	state    TEXT    NOT NULL,
	reason   TEXT    NOT NULL,
	PRIMARY KEY (event_id, alarm_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX alarm_entries_alarm ON alarm_entries (alarm_id, event_id);
CREATE INDEX alarm_entries_run ON alarm_entries (run_id);

-- What a rule remembers of a subject between events. look_at is set while time alone can
-- raise an alarm.
CREATE TABLE alarm_states (
	subject INTEGER NOT NULL,
	rule_id INTEGER NOT NULL,
	kind    TEXT    NOT NULL,
	look_at INTEGER,
	seen_at INTEGER NOT NULL,
	body    TEXT    NOT NULL,
	PRIMARY KEY (subject, rule_id, kind)
) STRICT, WITHOUT ROWID;

CREATE INDEX alarm_states_look ON alarm_states (look_at);
CREATE INDEX alarm_states_seen ON alarm_states (seen_at);

-- Alarms that share the messages of a channel. look_at is when the next message is due, or
-- the row can be removed.
CREATE TABLE alarm_bunches (
	id         INTEGER PRIMARY KEY,
	bunch_key  TEXT    NOT NULL,
	channel_id INTEGER NOT NULL,
	look_at    INTEGER,
	body       TEXT    NOT NULL
) STRICT;

CREATE UNIQUE INDEX alarm_bunches_key ON alarm_bunches (bunch_key, channel_id);
CREATE INDEX alarm_bunches_look ON alarm_bunches (look_at);

-- Messages to channels. open_on is the channel and look_at when a server may send it, both
-- set exactly while it is pending. Messages with the same line are sent in order.
-- message_key is the idempotency key. fence counts the claims.
CREATE TABLE alarm_notifications (
	id          INTEGER PRIMARY KEY,
	message_key TEXT    NOT NULL UNIQUE,
	namespace   TEXT    NOT NULL,
	rule_id     INTEGER NOT NULL,
	rule_key    TEXT    NOT NULL,
	channel_id  INTEGER NOT NULL,
	channel_key TEXT    NOT NULL,
	recipients  TEXT    NOT NULL,
	bunch_key   TEXT    NOT NULL,
	status      TEXT    NOT NULL,
	state       TEXT    NOT NULL,
	alarms      INTEGER NOT NULL,
	events      INTEGER NOT NULL,
	tries       INTEGER NOT NULL,
	title       TEXT    NOT NULL,
	error       TEXT    NOT NULL,
	due_at      INTEGER NOT NULL,
	created_at  INTEGER NOT NULL,
	ended_at    INTEGER,
	line        TEXT    NOT NULL,
	dedup       TEXT    NOT NULL,
	fence       INTEGER NOT NULL,
	body        TEXT    NOT NULL,
	open_on     INTEGER,
	look_at     INTEGER,
	CHECK ((status = 'pending') = (look_at IS NOT NULL)),
	CHECK ((status = 'pending') = (open_on IS NOT NULL)),
	CHECK ((status = 'pending') = (ended_at IS NULL))
) STRICT;

CREATE INDEX alarm_notifications_look ON alarm_notifications (look_at);
CREATE INDEX alarm_notifications_open ON alarm_notifications (open_on, line, id);
CREATE INDEX alarm_notifications_channel ON alarm_notifications (channel_id, ended_at);
CREATE INDEX alarm_notifications_ended ON alarm_notifications (ended_at);
CREATE INDEX alarm_notifications_status ON alarm_notifications (status, id);
CREATE INDEX alarm_notifications_bunch ON alarm_notifications (bunch_key, created_at);

--
-- Users
--

-- password is a slow hash, and subject the user's name at the identity provider; empty for
-- none. grants and provided are JSON. administers caches whether grants make an enabled
-- person an administrator of the installation. epoch grows when all sessions must end.
CREATE TABLE users (
	id          INTEGER PRIMARY KEY,
	kind        TEXT    NOT NULL CHECK (kind = 'user' OR kind = 'service'),
	name        TEXT    NOT NULL UNIQUE,
	title       TEXT    NOT NULL,
	email       TEXT    NOT NULL,
	disabled    INTEGER NOT NULL CHECK (disabled = 0 OR disabled = 1),
	must_change INTEGER NOT NULL CHECK (must_change = 0 OR must_change = 1),
	password    TEXT    NOT NULL,
	subject     TEXT    NOT NULL,
	grants      TEXT    NOT NULL,
	provided    TEXT    NOT NULL,
	administers INTEGER NOT NULL CHECK (administers = 0 OR administers = 1),
	epoch       INTEGER NOT NULL,
	created_at  INTEGER NOT NULL,
	updated_at  INTEGER NOT NULL,
	seen_at     INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE UNIQUE INDEX users_subject ON users (subject) WHERE subject > '';
CREATE INDEX users_administers ON users (id) WHERE administers > 0;

-- token_key is the public part of the token, digest the SHA-256 of the whole in hex. limits
-- is JSON; empty for none. expires_at is 0 for never.
CREATE TABLE api_tokens (
	id         INTEGER PRIMARY KEY,
	user_id    INTEGER NOT NULL REFERENCES users (id),
	token_key  TEXT    NOT NULL UNIQUE,
	digest     TEXT    NOT NULL,
	label      TEXT    NOT NULL,
	limits     TEXT    NOT NULL,
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL,
	used_at    INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX api_tokens_user ON api_tokens (user_id, id);

-- Sessions of browsers. hash is the SHA-256 in hex of a secret that only the browser has;
-- epoch is that of the user when it began.
CREATE TABLE sessions (
	id         INTEGER PRIMARY KEY,
	user_id    INTEGER NOT NULL,
	hash       TEXT    NOT NULL UNIQUE,
	way        TEXT    NOT NULL,
	epoch      INTEGER NOT NULL,
	address    TEXT    NOT NULL,
	agent      TEXT    NOT NULL,
	created_at INTEGER NOT NULL,
	seen_at    INTEGER NOT NULL,
	ends_at    INTEGER NOT NULL
) STRICT;

CREATE INDEX sessions_user ON sessions (user_id, id);
CREATE INDEX sessions_end ON sessions (ends_at);
CREATE INDEX sessions_seen ON sessions (seen_at);

-- Networks from which an account has signed in: failed attempts from others do not slow it
-- down there.
CREATE TABLE sign_in_places (
	account TEXT    NOT NULL,
	network TEXT    NOT NULL,
	seen_at INTEGER NOT NULL,
	PRIMARY KEY (account, network)
) STRICT, WITHOUT ROWID;

CREATE INDEX sign_in_places_account ON sign_in_places (account, seen_at);
CREATE INDEX sign_in_places_seen ON sign_in_places (seen_at);

-- The rate limit of failed sign-ins. meter is a hash of an account, a network or both, of
-- 196,608 values; done_at is when its failures no longer count.
CREATE TABLE sign_in_tries (
	meter   INTEGER PRIMARY KEY,
	done_at INTEGER NOT NULL
) STRICT;

CREATE INDEX sign_in_tries_done ON sign_in_tries (done_at);

--
-- Secrets
--

-- groups are the keys of the groups whose jobs may use the secret, as JSON; [] for all.
-- sealed is the value, encrypted with a key outside the database, size its bytes, marks the
-- number of texts that are masked in logs because of it. used_at is no part of the version.
CREATE TABLE secrets (
	id          INTEGER PRIMARY KEY,
	namespace   TEXT    NOT NULL,
	secret_key  TEXT    NOT NULL,
	title       TEXT    NOT NULL,
	groups      TEXT    NOT NULL,
	version     INTEGER NOT NULL,
	sealed      TEXT    NOT NULL,
	size        INTEGER NOT NULL,
	marks       INTEGER NOT NULL,
	created_by  TEXT    NOT NULL,
	updated_by  TEXT    NOT NULL,
	created_at  INTEGER NOT NULL,
	updated_at  INTEGER NOT NULL,
	replaced_at INTEGER NOT NULL,
	used_at     INTEGER NOT NULL DEFAULT 0,
	UNIQUE (namespace, secret_key)
) STRICT;

-- Replaced values, which logs still mask for a while. until_at is when the value was last
-- valid.
CREATE TABLE secret_pasts (
	id         INTEGER PRIMARY KEY,
	namespace  TEXT    NOT NULL,
	secret_key TEXT    NOT NULL,
	sealed     TEXT    NOT NULL,
	size       INTEGER NOT NULL,
	marks      INTEGER NOT NULL,
	until_at   INTEGER NOT NULL
) STRICT;

CREATE INDEX secret_pasts_until ON secret_pasts (until_at, id);

--
-- Audit
--

-- Append-only, in the transaction of the change. seq has no gaps, and previous is the digest
-- of the line before. was and became are JSON; empty for none.
CREATE TABLE audit (
	seq        INTEGER PRIMARY KEY,
	at         INTEGER NOT NULL,
	actor_id   INTEGER NOT NULL,
	credential INTEGER NOT NULL,
	actor_kind TEXT    NOT NULL,
	actor      TEXT    NOT NULL,
	address    TEXT    NOT NULL,
	operation  TEXT    NOT NULL,
	right_used TEXT    NOT NULL,
	kind       TEXT    NOT NULL,
	namespace  TEXT    NOT NULL,
	group_key  TEXT    NOT NULL,
	object_key TEXT    NOT NULL,
	was        TEXT    NOT NULL,
	became     TEXT    NOT NULL,
	previous   TEXT    NOT NULL,
	digest     TEXT    NOT NULL
) STRICT;

CREATE INDEX audit_at ON audit (at, seq);
CREATE INDEX audit_actor ON audit (actor, seq);
CREATE INDEX audit_operation ON audit (operation, seq);
CREATE INDEX audit_namespace ON audit (namespace, seq);
CREATE INDEX audit_object ON audit (kind, object_key, seq);

-- Idempotency keys of the API with their replies. number counts those of a caller, which
-- bounds them. line is that of the audit, 0 for none; reply is empty until it is known.
CREATE TABLE once_keys (
	caller     TEXT    NOT NULL,
	once_key   TEXT    NOT NULL,
	number     INTEGER NOT NULL,
	request    TEXT    NOT NULL,
	operation  TEXT    NOT NULL,
	line       INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	reply      TEXT    NOT NULL,
	PRIMARY KEY (caller, once_key)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX once_keys_number ON once_keys (caller, number);
CREATE INDEX once_keys_created ON once_keys (created_at);
