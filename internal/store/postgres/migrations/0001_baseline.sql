-- +goose Up

-- The first schema, with the tables of SQLite; the comments in its file describe the tables
-- and columns. Texts are compared byte by byte, as SQLite does it.

--
-- The database
--

CREATE TABLE sequences (
	name text COLLATE "C" PRIMARY KEY,
	next bigint           NOT NULL
);

INSERT INTO sequences (name, next) VALUES
	('alarm_book', 1), ('alarm_definitions', 1), ('alarm_events', 1), ('api_tokens', 1), ('backfills', 1),
	('calendars', 1), ('callers', 1), ('group_tokens', 1), ('groups', 1), ('identity', 1),
	('jobs', 1), ('log_blob_parts', 1), ('log_packs', 1), ('pauses', 1), ('rules', 1), ('runs', 1),
	('secret_book', 1), ('secrets', 1), ('sessions', 1), ('users', 1), ('workflow_runs', 1), ('workflows', 1);

CREATE TABLE database_origin (
	id   bigint           PRIMARY KEY,
	name text COLLATE "C" NOT NULL
);

INSERT INTO database_origin (id, name) VALUES (1, '');

CREATE TABLE schema_steps (
	number   bigint           PRIMARY KEY,
	name     text COLLATE "C" NOT NULL,
	checksum text COLLATE "C" NOT NULL
);

--
-- Servers
--

CREATE TABLE servers (
	name           text COLLATE "C" NOT NULL PRIMARY KEY,
	life           text COLLATE "C" NOT NULL,
	address        text COLLATE "C" NOT NULL,
	version        text COLLATE "C" NOT NULL,
	started_at     bigint           NOT NULL,
	beat_at        bigint           NOT NULL,
	lease_until    bigint           NOT NULL,
	stopped_at     bigint           NOT NULL DEFAULT 0,
	draining       bigint           NOT NULL DEFAULT 0,
	watching_until bigint           NOT NULL DEFAULT 0,
	figures        text COLLATE "C" NOT NULL
);

CREATE TABLE leads (
	name        text COLLATE "C" NOT NULL PRIMARY KEY,
	holder      text COLLATE "C" NOT NULL,
	lease_until bigint           NOT NULL,
	term        bigint           NOT NULL
);

CREATE TABLE leases (
	name   text COLLATE "C" PRIMARY KEY,
	holder text COLLATE "C" NOT NULL,
	until  bigint           NOT NULL,
	fence  bigint           NOT NULL
);

CREATE TABLE changes (
	id         bigint           PRIMARY KEY,
	changed_at bigint           NOT NULL,
	changes    text COLLATE "C" NOT NULL
);

--
-- Groups and executors
--

CREATE TABLE executor_groups (
	id             bigint           PRIMARY KEY,
	namespace      text COLLATE "C" NOT NULL,
	group_key      text COLLATE "C" NOT NULL,
	title          text COLLATE "C" NOT NULL,
	labels         text COLLATE "C" NOT NULL DEFAULT '{}',
	version        bigint           NOT NULL DEFAULT 1,
	created_at     bigint           NOT NULL,
	own_token_only bigint           NOT NULL DEFAULT 0 CHECK (own_token_only = 0 OR own_token_only = 1),
	rewrites       text COLLATE "C" NOT NULL DEFAULT '[]',
	UNIQUE (namespace, group_key)
);

CREATE UNIQUE INDEX executor_groups_key ON executor_groups (group_key);
CREATE INDEX executor_groups_rewrites ON executor_groups (group_key) WHERE rewrites <> '[]';

CREATE TABLE group_tokens (
	id           bigint           PRIMARY KEY,
	group_id     bigint           NOT NULL REFERENCES executor_groups (id),
	label        text COLLATE "C" NOT NULL,
	hash         text COLLATE "C" NOT NULL UNIQUE,
	sealed       text COLLATE "C" NOT NULL DEFAULT '',
	created_at   bigint           NOT NULL,
	last_used_at bigint
);

CREATE INDEX group_tokens_group ON group_tokens (group_id);

CREATE TABLE executors (
	group_id       bigint           NOT NULL REFERENCES executor_groups (id),
	address        text COLLATE "C" NOT NULL,
	registered_as  text COLLATE "C" NOT NULL DEFAULT '',
	manual         bigint           NOT NULL DEFAULT 0 CHECK (manual = 0 OR manual = 1),
	lease_until    bigint           NOT NULL,
	registered_at  bigint           NOT NULL,
	seen_at        bigint           NOT NULL,
	started_at     bigint,
	draining       bigint           NOT NULL DEFAULT 0,
	token_id       bigint           NOT NULL DEFAULT 0,
	dialect        text COLLATE "C" NOT NULL DEFAULT '',
	dialect_by     text COLLATE "C" NOT NULL DEFAULT '',
	features       text COLLATE "C" NOT NULL DEFAULT '[]',
	handlers       text COLLATE "C" NOT NULL DEFAULT '[]',
	workload       text COLLATE "C" NOT NULL DEFAULT '',
	incarnation    text COLLATE "C" NOT NULL DEFAULT '',
	incarnation_at bigint,
	instance       text COLLATE "C" NOT NULL DEFAULT '',
	instance_at    bigint           NOT NULL DEFAULT 0,
	others         text COLLATE "C" NOT NULL DEFAULT '',
	crowded_until  bigint           NOT NULL DEFAULT 0,
	rival_at       bigint           NOT NULL DEFAULT 0,
	PRIMARY KEY (group_id, address)
);

CREATE INDEX executors_lease ON executors (lease_until);
CREATE INDEX executors_address ON executors (address);
CREATE INDEX executors_manual ON executors (group_id) WHERE manual = 1;

CREATE TABLE executor_facts (
	group_id bigint           NOT NULL,
	address  text COLLATE "C" NOT NULL,
	kind     text COLLATE "C" NOT NULL,
	told_at  bigint           NOT NULL,
	facts    text COLLATE "C" NOT NULL,
	PRIMARY KEY (group_id, address),
	FOREIGN KEY (group_id, address) REFERENCES executors (group_id, address) ON DELETE CASCADE
);

--
-- Calendars and pauses
--

CREATE TABLE calendars (
	id         bigint           PRIMARY KEY,
	namespace  text COLLATE "C" NOT NULL,
	cal_key    text COLLATE "C" NOT NULL,
	title      text COLLATE "C" NOT NULL,
	rules      text COLLATE "C" NOT NULL,
	version    bigint           NOT NULL,
	created_at bigint           NOT NULL,
	updated_at bigint           NOT NULL,
	UNIQUE (namespace, cal_key)
);

CREATE TABLE pauses (
	id         bigint           PRIMARY KEY,
	pause_key  text COLLATE "C" NOT NULL UNIQUE,
	definition text COLLATE "C" NOT NULL,
	version    bigint           NOT NULL DEFAULT 1,
	created_at bigint           NOT NULL
);

--
-- Jobs
--

CREATE TABLE jobs (
	id               bigint           PRIMARY KEY,
	tombstone        bigint           NOT NULL CHECK (tombstone = 0 OR tombstone = id),
	version          bigint           NOT NULL,
	group_id         bigint           NOT NULL REFERENCES executor_groups (id),
	template         bigint           NOT NULL DEFAULT 0,
	template_version bigint           NOT NULL DEFAULT 0,
	priority         bigint           NOT NULL DEFAULT 1,
	expire_ms        bigint,
	after_ms         bigint           NOT NULL DEFAULT 0,
	timeout_ms       bigint           NOT NULL,
	concurrency      bigint           NOT NULL DEFAULT 0,
	overlap_queue    bigint           NOT NULL DEFAULT 0,
	shards           bigint           NOT NULL DEFAULT 0,
	stop_after       bigint           NOT NULL DEFAULT 0,
	failures         bigint           NOT NULL DEFAULT 0,
	created_at       bigint           NOT NULL,
	updated_at       bigint           NOT NULL,
	namespace        text COLLATE "C" NOT NULL,
	job_key          text COLLATE "C" NOT NULL,
	title            text COLLATE "C" NOT NULL,
	misfire          text COLLATE "C" NOT NULL,
	route            text COLLATE "C" NOT NULL,
	overlap          text COLLATE "C" NOT NULL,
	overlap_scope    text COLLATE "C" NOT NULL DEFAULT 'executor',
	on_crash         text COLLATE "C" NOT NULL,
	schedule         text COLLATE "C" NOT NULL,
	misfire_limits   text COLLATE "C" NOT NULL DEFAULT '{}',
	retry            text COLLATE "C" NOT NULL,
	children         text COLLATE "C" NOT NULL,
	labels           text COLLATE "C" NOT NULL DEFAULT '{}',
	delivery         text COLLATE "C" NOT NULL DEFAULT '{}',
	logs             text COLLATE "C" NOT NULL DEFAULT '{}',
	alarm_emails     text COLLATE "C" NOT NULL DEFAULT '[]',
	inputs           text COLLATE "C" NOT NULL DEFAULT '[]',
	param            text COLLATE "C" NOT NULL,
	handler          text COLLATE "C" NOT NULL,
	description      text COLLATE "C" NOT NULL DEFAULT ''
);

CREATE UNIQUE INDEX jobs_key ON jobs (namespace, tombstone, job_key);
CREATE INDEX jobs_template ON jobs (template) WHERE template > 0;
CREATE INDEX jobs_group ON jobs (group_id) WHERE tombstone = 0;
CREATE INDEX jobs_place ON jobs (namespace, group_id, tombstone, job_key);
CREATE INDEX jobs_buried ON jobs (group_id) WHERE tombstone > 0;
CREATE INDEX jobs_buried_key ON jobs (namespace, job_key, tombstone) WHERE tombstone > 0;

CREATE TABLE job_plans (
	job_id      bigint           PRIMARY KEY,
	enabled     bigint           NOT NULL CHECK (enabled = 0 OR enabled = 1),
	next_at     bigint           CHECK (next_at IS NULL OR enabled = 1),
	look_at     bigint           CHECK ((look_at IS NULL) = (next_at IS NULL)),
	last_at     bigint,
	awaits      bigint           NOT NULL DEFAULT 0 CHECK (awaits = 0 OR (enabled = 1 AND next_at IS NULL)),
	fired       bigint           NOT NULL DEFAULT 0,
	held_by     text COLLATE "C" NOT NULL DEFAULT '',
	stop_reason text COLLATE "C" NOT NULL DEFAULT ''
);

CREATE INDEX job_plans_look ON job_plans (look_at);
CREATE INDEX job_plans_held ON job_plans (held_by) WHERE held_by <> '';

CREATE TABLE job_calendars (
	calendar_id bigint NOT NULL REFERENCES calendars (id),
	job_id      bigint NOT NULL,
	PRIMARY KEY (calendar_id, job_id)
);

CREATE INDEX job_calendars_job ON job_calendars (job_id);

CREATE TABLE job_revisions (
	job_id    bigint           NOT NULL,
	number    bigint           NOT NULL,
	saved_at  bigint           NOT NULL,
	recoded   bigint           NOT NULL CHECK (recoded = 0 OR recoded = 1),
	deleted   bigint           NOT NULL CHECK (deleted = 0 OR deleted = 1),
	code      bigint           NOT NULL,
	digest    text COLLATE "C" NOT NULL,
	by_kind   text COLLATE "C" NOT NULL,
	by_name   text COLLATE "C" NOT NULL,
	operation text COLLATE "C" NOT NULL,
	note      text COLLATE "C" NOT NULL,
	changed   text COLLATE "C" NOT NULL,
	document  text COLLATE "C" NOT NULL,
	PRIMARY KEY (job_id, number)
);

CREATE INDEX job_revisions_code ON job_revisions (job_id, number) WHERE recoded > 0;
CREATE INDEX job_revisions_deleted ON job_revisions (saved_at) WHERE deleted > 0;

CREATE TABLE job_codes (
	job_id bigint NOT NULL,
	number bigint NOT NULL,
	source bytea  NOT NULL,
	PRIMARY KEY (job_id, number)
);

--
-- Runs
--

-- PostgreSQL writes a changed row into all indexes when one of them has a changed column. None is
-- over a column that changes on a run's way: under_way has those. bad_state is the state of a run
-- that ended without success, and again_attempt the last attempt of one that was tried again; both
-- are NULL in most rows, and so is log_expires, which jobs have whose logs are kept for a time of their
-- own. The fill factor leaves room on the page for what a row becomes.
CREATE TABLE runs (
	id          bigint           PRIMARY KEY,
	job_id      bigint           NOT NULL,
	job_version bigint           NOT NULL,
	group_id    bigint           NOT NULL,
	planned_at  bigint           NOT NULL,
	cause       text COLLATE "C" NOT NULL,
	cause_id    bigint           NOT NULL,
	shard_index bigint           NOT NULL DEFAULT 0,
	shard_total bigint           NOT NULL DEFAULT 0,
	state       text COLLATE "C" NOT NULL,
	ready_at    bigint,
	due_at      bigint           NOT NULL,
	tries       bigint           NOT NULL DEFAULT 0,
	undelivered bigint           NOT NULL DEFAULT 0,
	attempt_id  bigint           NOT NULL DEFAULT 0,
	address     text COLLATE "C" NOT NULL DEFAULT '',
	triggered_at  bigint,
	accepted_at   bigint,
	attempt_state text COLLATE "C",
	open_on     text COLLATE "C",
	open_job    bigint,
	check_at    bigint,
	priority    bigint           NOT NULL DEFAULT 1,
	expires_at  bigint,
	created_at  bigint           NOT NULL,
	started_at  bigint,
	ended_at    bigint,
	asked_by    text COLLATE "C" NOT NULL DEFAULT '',
	home        text COLLATE "C" NOT NULL DEFAULT '',
	avoid       text COLLATE "C" NOT NULL DEFAULT '',
	addresses   text COLLATE "C" NOT NULL DEFAULT '',
	reason      text COLLATE "C" NOT NULL DEFAULT '',
	message     text COLLATE "C" NOT NULL DEFAULT '',
	param       text COLLATE "C",
	log_text    text COLLATE "C",
	log_expires bigint,
	firing      text COLLATE "C" GENERATED ALWAYS AS (CASE cause WHEN 'misfire' THEN 'schedule' ELSE cause END) STORED,
	again_attempt bigint         GENERATED ALWAYS AS (CASE WHEN tries > 1 THEN attempt_id END) STORED,
	bad_state   text COLLATE "C" GENERATED ALWAYS AS (CASE WHEN ended_at > 0 AND state <> 'succeeded' THEN state END) STORED,
	CHECK ((ready_at IS NOT NULL) = (state = 'planned' OR state = 'queued' OR state = 'waiting_retry')),
	CHECK ((open_on IS NOT NULL) = (state = 'dispatched' OR state = 'running' OR state = 'stopping')),
	CHECK (open_job IS NULL OR open_on IS NOT NULL),
	CHECK ((check_at IS NOT NULL) = (state = 'dispatched') OR state = 'stopping'),
	CHECK (triggered_at IS NOT NULL OR open_on IS NULL AND accepted_at IS NULL AND attempt_state IS NULL),
	CHECK (shard_index >= 0 AND (shard_index < shard_total OR shard_total = 0))
) WITH (fillfactor = 40);

CREATE INDEX runs_job ON runs (job_id, id);
CREATE INDEX runs_group ON runs (group_id, id);
CREATE INDEX runs_cause ON runs (cause, id) WHERE cause <> 'schedule';
CREATE INDEX runs_asked ON runs (asked_by, id) WHERE asked_by > '';
CREATE INDEX runs_log ON runs (log_expires) WHERE log_expires > 0;
CREATE INDEX runs_bad ON runs (bad_state, id) WHERE bad_state > '';
CREATE INDEX runs_again ON runs (again_attempt) WHERE again_attempt > 0;
CREATE UNIQUE INDEX runs_firing ON runs (planned_at, job_id, firing, cause_id, shard_index);

-- The runs that are not over, and what of them is asked for: each statement that writes runs writes
-- this, too.
CREATE TABLE under_way (
	id         bigint PRIMARY KEY,
	job_id     bigint NOT NULL,
	group_id   bigint NOT NULL,
	priority   bigint NOT NULL,
	ready_at   bigint,
	expires_at bigint,
	open_on    text COLLATE "C",
	open_job   bigint,
	attempt_id bigint NOT NULL,
	CHECK ((ready_at IS NULL) = (open_on IS NOT NULL))
);

CREATE INDEX runs_expires ON under_way (expires_at) WHERE expires_at > 0 AND ready_at > 0;
CREATE INDEX runs_ready ON under_way (group_id, priority, ready_at) WHERE ready_at > 0;
CREATE INDEX runs_open ON under_way (open_on, attempt_id) WHERE open_on > '';
CREATE INDEX runs_busy ON under_way (open_job, id) WHERE open_job > 0;

-- OFFSET 0 keeps the order of the join, whatever the database thinks that the tables hold: from what is
-- under way to the rows of runs.
CREATE VIEW runs_under_way AS
	SELECT w.id, w.job_id, w.group_id, w.priority, w.ready_at, w.expires_at, w.open_on, w.open_job, w.attempt_id,
		r.job_version, r.planned_at, r.cause, r.cause_id, r.shard_index, r.shard_total, r.state, r.due_at, r.tries, r.undelivered, r.address,
		r.triggered_at, r.accepted_at, r.attempt_state, r.check_at, r.created_at, r.started_at, r.ended_at, r.asked_by, r.home, r.avoid,
		r.addresses, r.reason, r.message, r.param
	FROM under_way w CROSS JOIN LATERAL (SELECT * FROM runs WHERE runs.id = w.id OFFSET 0) r;

CREATE TABLE attempts (
	id           bigint           PRIMARY KEY,
	run_id       bigint           NOT NULL,
	job_id       bigint           NOT NULL,
	number       bigint           NOT NULL,
	address      text COLLATE "C" NOT NULL,
	state        text COLLATE "C" NOT NULL,
	triggered_at bigint           NOT NULL,
	accepted_at  bigint,
	ended_at     bigint           NOT NULL,
	message      text COLLATE "C" NOT NULL
);

CREATE INDEX attempts_run ON attempts (run_id);
CREATE INDEX attempts_job ON attempts (job_id, run_id);

CREATE TABLE blocked (
	job_id  bigint NOT NULL,
	made_at bigint NOT NULL,
	run_id  bigint NOT NULL,
	let_go  bigint NOT NULL DEFAULT 0,
	PRIMARY KEY (job_id, made_at, run_id)
);

CREATE TABLE deadlines (
	ends_at   bigint NOT NULL,
	run_id    bigint NOT NULL,
	length_ms bigint NOT NULL,
	PRIMARY KEY (ends_at, run_id)
);

CREATE TABLE stops (
	run_id     bigint PRIMARY KEY,
	attempt_id bigint NOT NULL,
	asked_at   bigint NOT NULL,
	told_at    bigint,
	absent_at  bigint,
	calls      bigint NOT NULL,
	look_at    bigint NOT NULL
);

CREATE INDEX stops_look ON stops (look_at);

CREATE TABLE broadcasts (
	run_id     bigint           PRIMARY KEY,
	job_id     bigint           NOT NULL,
	attempt_id bigint           NOT NULL,
	total      bigint           NOT NULL,
	shards     bigint           NOT NULL,
	open       bigint           NOT NULL,
	failed     bigint           NOT NULL,
	cancel     text COLLATE "C" NOT NULL,
	look_at    bigint,
	CHECK (open >= 0 AND open <= shards AND shards <= total),
	CHECK (failed >= 0 AND failed + open <= shards)
);

CREATE INDEX broadcasts_look ON broadcasts (look_at);
CREATE INDEX broadcasts_job ON broadcasts (job_id, run_id);
CREATE INDEX broadcasts_open ON broadcasts (run_id) WHERE open > 0;

CREATE TABLE evidence (
	attempt_id bigint           NOT NULL,
	number     bigint           NOT NULL,
	came_at    bigint           NOT NULL,
	state      text COLLATE "C" NOT NULL,
	message    text COLLATE "C" NOT NULL,
	note       text COLLATE "C" NOT NULL,
	PRIMARY KEY (attempt_id, number)
);

CREATE TABLE dead_letters (
	run_id        bigint           PRIMARY KEY,
	job_id        bigint           NOT NULL,
	group_id      bigint           NOT NULL,
	namespace     text COLLATE "C" NOT NULL,
	state         text COLLATE "C" NOT NULL,
	status        text COLLATE "C" NOT NULL,
	ended_at      bigint           NOT NULL,
	redriven_run  bigint,
	closed_at     bigint,
	closed_reason text COLLATE "C" NOT NULL,
	message       text COLLATE "C" NOT NULL,
	CHECK ((redriven_run IS NOT NULL) = (status = 'redriven')),
	CHECK (closed_at IS NOT NULL OR status <> 'closed')
);

CREATE INDEX dead_letters_status ON dead_letters (status, run_id);
CREATE INDEX dead_letters_job ON dead_letters (job_id, run_id);

CREATE TABLE trials (
	run_id     bigint           PRIMARY KEY,
	job_id     bigint           NOT NULL,
	made_at    bigint           NOT NULL,
	timeout_ms bigint           NOT NULL,
	owner      text COLLATE "C" NOT NULL,
	by_kind    text COLLATE "C" NOT NULL,
	by_name    text COLLATE "C" NOT NULL,
	handler    text COLLATE "C" NOT NULL
);

CREATE INDEX trials_made ON trials (made_at);

CREATE TABLE backfills (
	id             bigint           PRIMARY KEY,
	job_id         bigint           NOT NULL,
	step           bigint           NOT NULL,
	look_at        bigint,
	state          text COLLATE "C" NOT NULL CHECK (state = 'running' OR state = 'finished' OR state = 'cancelled'),
	reason         text COLLATE "C" NOT NULL,
	from_at        bigint           NOT NULL,
	to_at          bigint           NOT NULL,
	slots          bigint           NOT NULL,
	first_at       bigint           NOT NULL,
	last_at        bigint           NOT NULL,
	parallel       bigint           NOT NULL,
	spacing_ms     bigint           NOT NULL,
	skip_succeeded bigint           NOT NULL,
	param          text COLLATE "C",
	cursor_at      bigint,
	made           bigint           NOT NULL,
	skipped        bigint           NOT NULL,
	succeeded      bigint           NOT NULL,
	failed         bigint           NOT NULL,
	open_runs      text COLLATE "C" NOT NULL,
	created_at     bigint           NOT NULL,
	started_at     bigint,
	ended_at       bigint,
	CHECK ((look_at IS NOT NULL) = (state = 'running'))
);

CREATE INDEX backfills_look ON backfills (look_at);
CREATE INDEX backfills_job ON backfills (job_id, id);

--
-- Workflows
--

CREATE TABLE workflows (
	id           bigint           PRIMARY KEY,
	namespace    text COLLATE "C" NOT NULL,
	workflow_key text COLLATE "C" NOT NULL,
	title        text COLLATE "C" NOT NULL,
	nodes        text COLLATE "C" NOT NULL,
	total        bigint           NOT NULL,
	version      bigint           NOT NULL,
	created_at   bigint           NOT NULL,
	updated_at   bigint           NOT NULL,
	UNIQUE (namespace, workflow_key)
);

CREATE TABLE workflow_runs (
	id           bigint           PRIMARY KEY,
	workflow_id  bigint           NOT NULL,
	namespace    text COLLATE "C" NOT NULL,
	workflow_key text COLLATE "C" NOT NULL,
	version      bigint           NOT NULL,
	nodes        text COLLATE "C" NOT NULL,
	step         bigint           NOT NULL,
	look_at      bigint,
	state        text COLLATE "C" NOT NULL CHECK (state = 'running' OR state = 'cancelling' OR state = 'succeeded' OR state = 'failed' OR state = 'cancelled'),
	reason       text COLLATE "C" NOT NULL,
	planned_at   bigint,
	param        text COLLATE "C" NOT NULL,
	generation   bigint           NOT NULL,
	total        bigint           NOT NULL,
	done         bigint           NOT NULL,
	failed       bigint           NOT NULL,
	created_at   bigint           NOT NULL,
	ended_at     bigint,
	CHECK ((look_at IS NOT NULL) = (state = 'running' OR state = 'cancelling'))
);

CREATE INDEX workflow_runs_look ON workflow_runs (look_at);
CREATE INDEX workflow_runs_key ON workflow_runs (namespace, workflow_key, id);

CREATE TABLE workflow_nodes (
	workflow_run_id bigint           NOT NULL REFERENCES workflow_runs (id),
	place           bigint           NOT NULL,
	job_id          bigint           NOT NULL,
	state           text COLLATE "C" NOT NULL CHECK (state = 'waiting' OR state = 'running' OR state = 'succeeded' OR state = 'failed' OR state = 'skipped' OR state = 'cancelled'),
	run_id          bigint           NOT NULL,
	generation      bigint           NOT NULL,
	reason          text COLLATE "C" NOT NULL,
	result          text COLLATE "C" NOT NULL,
	started_at      bigint,
	ended_at        bigint,
	PRIMARY KEY (workflow_run_id, place),
	CHECK (state <> 'running' OR run_id > 0)
);

CREATE INDEX workflow_nodes_run ON workflow_nodes (run_id);

--
-- Statistics
--

CREATE TABLE stats_daily (
	day         bigint NOT NULL,
	job_id      bigint NOT NULL,
	succeeded   bigint NOT NULL,
	failed      bigint NOT NULL,
	timed_out   bigint NOT NULL,
	cancelled   bigint NOT NULL,
	lost        bigint NOT NULL,
	skipped     bigint NOT NULL,
	attempts    bigint NOT NULL,
	timed       bigint NOT NULL,
	run_ms      bigint NOT NULL,
	run_ms_max  bigint NOT NULL,
	late_ms     bigint NOT NULL,
	late_ms_max bigint NOT NULL,
	PRIMARY KEY (day, job_id)
);

CREATE TABLE spreads (
	width       bigint           NOT NULL,
	begins_at   bigint           NOT NULL,
	namespace   text COLLATE "C" NOT NULL,
	group_key   text COLLATE "C" NOT NULL,
	succeeded   bigint           NOT NULL DEFAULT 0,
	failed      bigint           NOT NULL DEFAULT 0,
	timed_out   bigint           NOT NULL DEFAULT 0,
	cancelled   bigint           NOT NULL DEFAULT 0,
	lost        bigint           NOT NULL DEFAULT 0,
	skipped     bigint           NOT NULL DEFAULT 0,
	attempts    bigint           NOT NULL DEFAULT 0,
	timed       bigint           NOT NULL DEFAULT 0,
	run_ms      bigint           NOT NULL DEFAULT 0,
	run_ms_max  bigint           NOT NULL DEFAULT 0,
	late_ms     bigint           NOT NULL DEFAULT 0,
	late_ms_max bigint           NOT NULL DEFAULT 0,
	t0 bigint NOT NULL DEFAULT 0, t1 bigint NOT NULL DEFAULT 0, t2 bigint NOT NULL DEFAULT 0, t3 bigint NOT NULL DEFAULT 0,
	t4 bigint NOT NULL DEFAULT 0, t5 bigint NOT NULL DEFAULT 0, t6 bigint NOT NULL DEFAULT 0, t7 bigint NOT NULL DEFAULT 0,
	t8 bigint NOT NULL DEFAULT 0, t9 bigint NOT NULL DEFAULT 0, t10 bigint NOT NULL DEFAULT 0, t11 bigint NOT NULL DEFAULT 0,
	t12 bigint NOT NULL DEFAULT 0, t13 bigint NOT NULL DEFAULT 0, t14 bigint NOT NULL DEFAULT 0, t15 bigint NOT NULL DEFAULT 0,
	t16 bigint NOT NULL DEFAULT 0, t17 bigint NOT NULL DEFAULT 0, t18 bigint NOT NULL DEFAULT 0, t19 bigint NOT NULL DEFAULT 0,
	t20 bigint NOT NULL DEFAULT 0, t21 bigint NOT NULL DEFAULT 0, t22 bigint NOT NULL DEFAULT 0, t23 bigint NOT NULL DEFAULT 0,
	t24 bigint NOT NULL DEFAULT 0, t25 bigint NOT NULL DEFAULT 0, t26 bigint NOT NULL DEFAULT 0, t27 bigint NOT NULL DEFAULT 0,
	l0 bigint NOT NULL DEFAULT 0, l1 bigint NOT NULL DEFAULT 0, l2 bigint NOT NULL DEFAULT 0, l3 bigint NOT NULL DEFAULT 0,
	l4 bigint NOT NULL DEFAULT 0, l5 bigint NOT NULL DEFAULT 0, l6 bigint NOT NULL DEFAULT 0, l7 bigint NOT NULL DEFAULT 0,
	l8 bigint NOT NULL DEFAULT 0, l9 bigint NOT NULL DEFAULT 0, l10 bigint NOT NULL DEFAULT 0, l11 bigint NOT NULL DEFAULT 0,
	l12 bigint NOT NULL DEFAULT 0, l13 bigint NOT NULL DEFAULT 0, l14 bigint NOT NULL DEFAULT 0, l15 bigint NOT NULL DEFAULT 0,
	l16 bigint NOT NULL DEFAULT 0, l17 bigint NOT NULL DEFAULT 0, l18 bigint NOT NULL DEFAULT 0, l19 bigint NOT NULL DEFAULT 0,
	l20 bigint NOT NULL DEFAULT 0, l21 bigint NOT NULL DEFAULT 0, l22 bigint NOT NULL DEFAULT 0, l23 bigint NOT NULL DEFAULT 0,
	l24 bigint NOT NULL DEFAULT 0, l25 bigint NOT NULL DEFAULT 0, l26 bigint NOT NULL DEFAULT 0, l27 bigint NOT NULL DEFAULT 0,
	PRIMARY KEY (width, begins_at, namespace, group_key)
);

CREATE TABLE stats_deltas (
	id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	version bigint NOT NULL,
	deltas  bytea  NOT NULL
);

--
-- Logs of runs
--

CREATE TABLE run_logs (
	attempt_id   bigint           PRIMARY KEY,
	run_id       bigint           NOT NULL,
	job_id       bigint           NOT NULL,
	group_id     bigint           NOT NULL,
	address      text COLLATE "C" NOT NULL,
	triggered_at bigint           NOT NULL,
	ended_at     bigint,
	look_at      bigint,
	expires_at   bigint,
	lines        bigint           NOT NULL DEFAULT 0,
	bytes        bigint           NOT NULL DEFAULT 0,
	state        text COLLATE "C" NOT NULL,
	note         text COLLATE "C" NOT NULL DEFAULT '',
	whole_text   text COLLATE "C",
	CHECK (look_at IS NULL OR (ended_at IS NOT NULL AND state = 'open'))
);

CREATE INDEX run_logs_job ON run_logs (job_id, attempt_id);
CREATE INDEX run_logs_owed ON run_logs (look_at) WHERE look_at > 0;
CREATE INDEX run_logs_expires ON run_logs (expires_at) WHERE expires_at > 0;

CREATE TABLE log_chunks (
	attempt_id bigint NOT NULL,
	first_line bigint NOT NULL,
	lines      bigint NOT NULL,
	first_at   bigint NOT NULL,
	last_at    bigint NOT NULL,
	raw        bigint NOT NULL,
	pack_id    bigint NOT NULL,
	pos        bigint NOT NULL,
	size       bigint NOT NULL,
	PRIMARY KEY (attempt_id, first_line)
);

CREATE INDEX log_chunks_pack ON log_chunks (pack_id);

CREATE TABLE log_packs (
	id         bigint           PRIMARY KEY,
	name       text COLLATE "C" NOT NULL,
	size       bigint           NOT NULL,
	live       bigint           NOT NULL,
	created_at bigint           NOT NULL,
	check_at   bigint
);

CREATE UNIQUE INDEX log_packs_name ON log_packs (name);
CREATE INDEX log_packs_check ON log_packs (check_at) WHERE check_at > 0;

CREATE TABLE log_total (
	id    bigint PRIMARY KEY CHECK (id = 1),
	bytes bigint NOT NULL
);

INSERT INTO log_total (id, bytes) VALUES (1, 0);

CREATE TABLE log_blobs (
	name       text COLLATE "C" PRIMARY KEY,
	first_part bigint           NOT NULL,
	size       bigint           NOT NULL,
	sum        bigint           NOT NULL,
	created_at bigint           NOT NULL,
	CHECK (size >= 0)
);

-- Divided by ranges of 4294967296 ids, so that old parts are dropped whole. Servers make the
-- partitions that follow. The default partition takes what has none, so no insert fails.
CREATE TABLE log_blob_parts (
	id   bigint PRIMARY KEY,
	data bytea  NOT NULL,
	CONSTRAINT log_blob_parts_data_check CHECK (LENGTH(data) BETWEEN 1 AND 65536)
) PARTITION BY RANGE (id);

CREATE TABLE log_blob_parts_0 PARTITION OF log_blob_parts FOR VALUES FROM (MINVALUE) TO (4294967296);
CREATE TABLE log_blob_parts_rest PARTITION OF log_blob_parts DEFAULT;

--
-- Alarms
--

CREATE TABLE alarm_channels (
	id         bigint           PRIMARY KEY,
	namespace  text COLLATE "C" NOT NULL,
	chan_key   text COLLATE "C" NOT NULL,
	definition text COLLATE "C" NOT NULL,
	is_default bigint           NOT NULL CHECK (is_default = 0 OR is_default = 1),
	secrets    text COLLATE "C" NOT NULL,
	version    bigint           NOT NULL,
	created_at bigint           NOT NULL,
	updated_at bigint           NOT NULL,
	ok_at      bigint           NOT NULL DEFAULT 0,
	failed_at  bigint           NOT NULL DEFAULT 0,
	failure    text COLLATE "C" NOT NULL DEFAULT '',
	failures   bigint           NOT NULL DEFAULT 0,
	UNIQUE (namespace, chan_key)
);

CREATE UNIQUE INDEX alarm_channels_default ON alarm_channels (namespace) WHERE is_default > 0;

CREATE TABLE alarm_rules (
	id         bigint           PRIMARY KEY,
	namespace  text COLLATE "C" NOT NULL,
	rule_key   text COLLATE "C" NOT NULL,
	definition text COLLATE "C" NOT NULL,
	version    bigint           NOT NULL,
	created_at bigint           NOT NULL,
	updated_at bigint           NOT NULL,
	UNIQUE (namespace, rule_key)
);

CREATE TABLE alarm_rule_channels (
	channel_id bigint NOT NULL REFERENCES alarm_channels (id),
	rule_id    bigint NOT NULL REFERENCES alarm_rules (id),
	PRIMARY KEY (channel_id, rule_id)
);

CREATE INDEX alarm_rule_channels_rule ON alarm_rule_channels (rule_id);

CREATE TABLE alarm_silences (
	id         bigint           PRIMARY KEY,
	namespace  text COLLATE "C" NOT NULL,
	definition text COLLATE "C" NOT NULL,
	ends_at    bigint           NOT NULL,
	created_at bigint           NOT NULL
);

CREATE INDEX alarm_silences_namespace ON alarm_silences (namespace, id);

CREATE TABLE alarm_events (
	id   bigint           PRIMARY KEY,
	at   bigint           NOT NULL,
	body text COLLATE "C" NOT NULL
);

CREATE TABLE watched (
	source  text COLLATE "C" NOT NULL,
	subject bigint           NOT NULL,
	told_at bigint           NOT NULL,
	body    text COLLATE "C" NOT NULL,
	PRIMARY KEY (source, subject)
);

CREATE TABLE alarm_cursor (
	id          bigint           PRIMARY KEY CHECK (id = 1),
	event_id    bigint           NOT NULL,
	last_id     bigint           NOT NULL,
	definitions bigint           NOT NULL,
	tag         text COLLATE "C" NOT NULL
);

INSERT INTO alarm_cursor (id, event_id, last_id, definitions, tag)
	VALUES (1, 0, 0, 0, SUBSTR(REPLACE(gen_random_uuid()::text, '-', ''), 1, 8));

CREATE TABLE alarms (
	id          bigint           PRIMARY KEY,
	namespace   text COLLATE "C" NOT NULL,
	rule_id     bigint           NOT NULL,
	rule_key    text COLLATE "C" NOT NULL,
	kind        text COLLATE "C" NOT NULL,
	severity    text COLLATE "C" NOT NULL,
	group_id    bigint           NOT NULL,
	group_key   text COLLATE "C" NOT NULL,
	job_id      bigint           NOT NULL,
	job_key     text COLLATE "C" NOT NULL,
	labels      text COLLATE "C" NOT NULL,
	recipients  text COLLATE "C" NOT NULL,
	state       text COLLATE "C" NOT NULL,
	reason      text COLLATE "C" NOT NULL,
	first_at    bigint           NOT NULL,
	last_at     bigint           NOT NULL,
	ended_at    bigint,
	events      bigint           NOT NULL,
	run_id      bigint           NOT NULL,
	noted_at    bigint,
	noted_by    text COLLATE "C" NOT NULL,
	silenced_by bigint           NOT NULL,
	bunch_key   text COLLATE "C" NOT NULL,
	told        bigint           NOT NULL,
	held        bigint           NOT NULL,
	firing_on   bigint,
	look_at     bigint,
	CHECK ((state = 'firing') = (firing_on IS NOT NULL)),
	CHECK ((state = 'firing') = (look_at IS NOT NULL)),
	CHECK ((state = 'resolved') = (ended_at IS NOT NULL))
);

CREATE UNIQUE INDEX alarms_firing ON alarms (firing_on, rule_id, kind);
CREATE INDEX alarms_look ON alarms (look_at);
CREATE INDEX alarms_ended ON alarms (ended_at);
CREATE INDEX alarms_state ON alarms (state, id);
CREATE INDEX alarms_job ON alarms (job_id, id);
CREATE INDEX alarms_bunch ON alarms (bunch_key, look_at);

CREATE TABLE alarm_entries (
	event_id bigint           NOT NULL,
	alarm_id bigint           NOT NULL,
	at       bigint           NOT NULL,
	run_id   bigint           NOT NULL,
	job_key  text COLLATE "C" NOT NULL,
	state    text COLLATE "C" NOT NULL,
	reason   text COLLATE "C" NOT NULL,
	PRIMARY KEY (event_id, alarm_id)
);

CREATE INDEX alarm_entries_alarm ON alarm_entries (alarm_id, event_id);
CREATE INDEX alarm_entries_run ON alarm_entries (run_id);

CREATE TABLE alarm_states (
	subject bigint           NOT NULL,
	rule_id bigint           NOT NULL,
	kind    text COLLATE "C" NOT NULL,
	look_at bigint,
	seen_at bigint           NOT NULL,
	body    text COLLATE "C" NOT NULL,
	PRIMARY KEY (subject, rule_id, kind)
);

CREATE INDEX alarm_states_look ON alarm_states (look_at);
CREATE INDEX alarm_states_seen ON alarm_states (seen_at);

CREATE TABLE alarm_bunches (
	id         bigint           PRIMARY KEY,
	bunch_key  text COLLATE "C" NOT NULL,
	channel_id bigint           NOT NULL,
	look_at    bigint,
	body       text COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX alarm_bunches_key ON alarm_bunches (bunch_key, channel_id);
CREATE INDEX alarm_bunches_look ON alarm_bunches (look_at);

CREATE TABLE alarm_notifications (
	id          bigint           PRIMARY KEY,
	message_key text COLLATE "C" NOT NULL UNIQUE,
	namespace   text COLLATE "C" NOT NULL,
	rule_id     bigint           NOT NULL,
	rule_key    text COLLATE "C" NOT NULL,
	channel_id  bigint           NOT NULL,
	channel_key text COLLATE "C" NOT NULL,
	recipients  text COLLATE "C" NOT NULL,
	bunch_key   text COLLATE "C" NOT NULL,
	status      text COLLATE "C" NOT NULL,
	state       text COLLATE "C" NOT NULL,
	alarms      bigint           NOT NULL,
	events      bigint           NOT NULL,
	tries       bigint           NOT NULL,
	title       text COLLATE "C" NOT NULL,
	error       text COLLATE "C" NOT NULL,
	due_at      bigint           NOT NULL,
	created_at  bigint           NOT NULL,
	ended_at    bigint,
	line        text COLLATE "C" NOT NULL,
	dedup       text COLLATE "C" NOT NULL,
	fence       bigint           NOT NULL,
	body        text COLLATE "C" NOT NULL,
	open_on     bigint,
	look_at     bigint,
	CHECK ((status = 'pending') = (look_at IS NOT NULL)),
	CHECK ((status = 'pending') = (open_on IS NOT NULL)),
	CHECK ((status = 'pending') = (ended_at IS NULL))
);

CREATE INDEX alarm_notifications_look ON alarm_notifications (look_at);
CREATE INDEX alarm_notifications_open ON alarm_notifications (open_on, line, id);
CREATE INDEX alarm_notifications_channel ON alarm_notifications (channel_id, ended_at);
CREATE INDEX alarm_notifications_ended ON alarm_notifications (ended_at);
CREATE INDEX alarm_notifications_status ON alarm_notifications (status, id);
CREATE INDEX alarm_notifications_bunch ON alarm_notifications (bunch_key, created_at);

--
-- Users
--

CREATE TABLE users (
	id          bigint           PRIMARY KEY,
	kind        text COLLATE "C" NOT NULL CHECK (kind = 'user' OR kind = 'service'),
	name        text COLLATE "C" NOT NULL UNIQUE,
	title       text COLLATE "C" NOT NULL,
	email       text COLLATE "C" NOT NULL,
	disabled    bigint           NOT NULL CHECK (disabled = 0 OR disabled = 1),
	must_change bigint           NOT NULL CHECK (must_change = 0 OR must_change = 1),
	password    text COLLATE "C" NOT NULL,
	subject     text COLLATE "C" NOT NULL,
	grants      text COLLATE "C" NOT NULL,
	provided    text COLLATE "C" NOT NULL,
	administers bigint           NOT NULL CHECK (administers = 0 OR administers = 1),
	epoch       bigint           NOT NULL,
	created_at  bigint           NOT NULL,
	updated_at  bigint           NOT NULL,
	seen_at     bigint           NOT NULL DEFAULT 0
);

CREATE UNIQUE INDEX users_subject ON users (subject) WHERE subject > '';
CREATE INDEX users_administers ON users (id) WHERE administers > 0;

CREATE TABLE api_tokens (
	id         bigint           PRIMARY KEY,
	user_id    bigint           NOT NULL REFERENCES users (id),
	token_key  text COLLATE "C" NOT NULL UNIQUE,
	digest     text COLLATE "C" NOT NULL,
	label      text COLLATE "C" NOT NULL,
	limits     text COLLATE "C" NOT NULL,
	created_at bigint           NOT NULL,
	expires_at bigint           NOT NULL,
	used_at    bigint           NOT NULL DEFAULT 0
);

CREATE INDEX api_tokens_user ON api_tokens (user_id, id);

CREATE TABLE sessions (
	id         bigint           PRIMARY KEY,
	user_id    bigint           NOT NULL,
	hash       text COLLATE "C" NOT NULL UNIQUE,
	way        text COLLATE "C" NOT NULL,
	epoch      bigint           NOT NULL,
	address    text COLLATE "C" NOT NULL,
	agent      text COLLATE "C" NOT NULL,
	created_at bigint           NOT NULL,
	seen_at    bigint           NOT NULL,
	ends_at    bigint           NOT NULL
);

CREATE INDEX sessions_user ON sessions (user_id, id);
CREATE INDEX sessions_end ON sessions (ends_at);
CREATE INDEX sessions_seen ON sessions (seen_at);

CREATE TABLE sign_in_places (
	account text COLLATE "C" NOT NULL,
	network text COLLATE "C" NOT NULL,
	seen_at bigint           NOT NULL,
	PRIMARY KEY (account, network)
);

CREATE INDEX sign_in_places_account ON sign_in_places (account, seen_at);
CREATE INDEX sign_in_places_seen ON sign_in_places (seen_at);

CREATE TABLE sign_in_tries (
	meter   bigint PRIMARY KEY,
	done_at bigint NOT NULL
);

CREATE INDEX sign_in_tries_done ON sign_in_tries (done_at);

--
-- Secrets
--

CREATE TABLE secrets (
	id          bigint           PRIMARY KEY,
	namespace   text COLLATE "C" NOT NULL,
	secret_key  text COLLATE "C" NOT NULL,
	title       text COLLATE "C" NOT NULL,
	groups      text COLLATE "C" NOT NULL,
	version     bigint           NOT NULL,
	sealed      text COLLATE "C" NOT NULL,
	size        bigint           NOT NULL,
	marks       bigint           NOT NULL,
	created_by  text COLLATE "C" NOT NULL,
	updated_by  text COLLATE "C" NOT NULL,
	created_at  bigint           NOT NULL,
	updated_at  bigint           NOT NULL,
	replaced_at bigint           NOT NULL,
	used_at     bigint           NOT NULL DEFAULT 0,
	UNIQUE (namespace, secret_key)
);

CREATE TABLE secret_pasts (
	id         bigint           PRIMARY KEY,
	namespace  text COLLATE "C" NOT NULL,
	secret_key text COLLATE "C" NOT NULL,
	sealed     text COLLATE "C" NOT NULL,
	size       bigint           NOT NULL,
	marks      bigint           NOT NULL,
	until_at   bigint           NOT NULL
);

CREATE INDEX secret_pasts_until ON secret_pasts (until_at, id);

--
-- Audit
--

CREATE TABLE audit (
	seq        bigint           PRIMARY KEY,
	at         bigint           NOT NULL,
	actor_id   bigint           NOT NULL,
	credential bigint           NOT NULL,
	actor_kind text COLLATE "C" NOT NULL,
	actor      text COLLATE "C" NOT NULL,
	address    text COLLATE "C" NOT NULL,
	operation  text COLLATE "C" NOT NULL,
	right_used text COLLATE "C" NOT NULL,
	kind       text COLLATE "C" NOT NULL,
	namespace  text COLLATE "C" NOT NULL,
	group_key  text COLLATE "C" NOT NULL,
	object_key text COLLATE "C" NOT NULL,
	was        text COLLATE "C" NOT NULL,
	became     text COLLATE "C" NOT NULL,
	previous   text COLLATE "C" NOT NULL,
	digest     text COLLATE "C" NOT NULL
);

CREATE INDEX audit_at ON audit (at, seq);
CREATE INDEX audit_actor ON audit (actor, seq);
CREATE INDEX audit_operation ON audit (operation, seq);
CREATE INDEX audit_namespace ON audit (namespace, seq);
CREATE INDEX audit_object ON audit (kind, object_key, seq);

CREATE TABLE once_keys (
	caller     text COLLATE "C" NOT NULL,
	once_key   text COLLATE "C" NOT NULL,
	number     bigint           NOT NULL,
	request    text COLLATE "C" NOT NULL,
	operation  text COLLATE "C" NOT NULL,
	line       bigint           NOT NULL,
	created_at bigint           NOT NULL,
	reply      text COLLATE "C" NOT NULL,
	PRIMARY KEY (caller, once_key)
);

CREATE UNIQUE INDEX once_keys_number ON once_keys (caller, number);
CREATE INDEX once_keys_created ON once_keys (created_at);
