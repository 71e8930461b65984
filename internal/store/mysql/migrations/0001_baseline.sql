-- The first schema, with the tables of SQLite and writers_turn; the comments in SQLite's file
-- describe the tables and columns. A server that was killed may have made a table and not
-- recorded it, so a statement makes one thing, which the next server finds: see migrate.go.
--
-- Texts are compared byte by byte, with the spaces at their ends, as SQLite does it. There are
-- no partial indexes: a generated column that is NULL for other rows stands for the condition.

-- Writers lock its only row: see docs/decisions/mysql.md.
CREATE TABLE writers_turn (
	id BIGINT NOT NULL,
	PRIMARY KEY (id)
) {{table}};

INSERT INTO writers_turn (id) VALUES (1);

--
-- The database
--

CREATE TABLE sequences (
	name VARCHAR(255) NOT NULL,
	next BIGINT       NOT NULL,
	PRIMARY KEY (name)
) {{table}};

INSERT INTO sequences (name, next) VALUES
	('alarm_book', 1), ('alarm_definitions', 1), ('alarm_events', 1), ('api_tokens', 1), ('backfills', 1),
	('calendars', 1), ('callers', 1), ('group_tokens', 1), ('groups', 1), ('identity', 1),
	('jobs', 1), ('log_blob_parts', 1), ('log_packs', 1), ('pauses', 1), ('rules', 1), ('runs', 1),
	('secret_book', 1), ('secrets', 1), ('sessions', 1), ('users', 1), ('workflow_runs', 1), ('workflows', 1);

CREATE TABLE database_origin (
	id   BIGINT       NOT NULL,
	name VARCHAR(255) NOT NULL,
	PRIMARY KEY (id)
) {{table}};

INSERT INTO database_origin (id, name) VALUES (1, '');

CREATE TABLE schema_steps (
	number   BIGINT   NOT NULL,
	name     LONGTEXT NOT NULL,
	checksum LONGTEXT NOT NULL,
	PRIMARY KEY (number)
) {{table}};

--
-- Servers
--

CREATE TABLE servers (
	name           VARCHAR(255) NOT NULL,
	life           VARCHAR(255) NOT NULL,
	address        LONGTEXT     NOT NULL,
	version        LONGTEXT     NOT NULL,
	started_at     BIGINT       NOT NULL,
	beat_at        BIGINT       NOT NULL,
	lease_until    BIGINT       NOT NULL,
	stopped_at     BIGINT       NOT NULL DEFAULT 0,
	draining       BIGINT       NOT NULL DEFAULT 0,
	watching_until BIGINT       NOT NULL DEFAULT 0,
	figures        LONGTEXT     NOT NULL,
	PRIMARY KEY (name)
) {{table}};

CREATE TABLE leads (
	name        VARCHAR(255) NOT NULL,
	holder      VARCHAR(255) NOT NULL,
	lease_until BIGINT       NOT NULL,
	term        BIGINT       NOT NULL,
	PRIMARY KEY (name)
) {{table}};

CREATE TABLE leases (
	name   VARCHAR(255) NOT NULL,
	holder LONGTEXT     NOT NULL,
	until  BIGINT       NOT NULL,
	fence  BIGINT       NOT NULL,
	PRIMARY KEY (name)
) {{table}};

CREATE TABLE changes (
	id         BIGINT   NOT NULL,
	changed_at BIGINT   NOT NULL,
	changes    LONGTEXT NOT NULL,
	PRIMARY KEY (id)
) {{table}};

--
-- Groups and executors
--

CREATE TABLE executor_groups (
	id             BIGINT       NOT NULL,
	namespace      VARCHAR(255) NOT NULL,
	group_key      VARCHAR(255) NOT NULL,
	title          LONGTEXT     NOT NULL,
	labels         LONGTEXT     NOT NULL DEFAULT ('{}'),
	version        BIGINT       NOT NULL DEFAULT 1,
	created_at     BIGINT       NOT NULL,
	own_token_only BIGINT       NOT NULL DEFAULT 0,
	rewrites       LONGTEXT     NOT NULL DEFAULT ('[]'),
	PRIMARY KEY (id),
	UNIQUE KEY executor_groups_name (namespace, group_key),
	UNIQUE KEY executor_groups_key (group_key),
	CHECK (own_token_only = 0 OR own_token_only = 1)
) {{table}};

CREATE TABLE group_tokens (
	id           BIGINT       NOT NULL,
	group_id     BIGINT       NOT NULL,
	label        LONGTEXT     NOT NULL,
	hash         VARCHAR(255) NOT NULL,
	sealed       LONGTEXT     NOT NULL DEFAULT (''),
	created_at   BIGINT       NOT NULL,
	last_used_at BIGINT,
	PRIMARY KEY (id),
	UNIQUE KEY group_tokens_hash (hash),
	KEY group_tokens_group (group_id),
	FOREIGN KEY (group_id) REFERENCES executor_groups (id)
) {{table}};

CREATE TABLE executors (
	group_id       BIGINT       NOT NULL,
	address        VARCHAR(512) NOT NULL,
	registered_as  LONGTEXT     NOT NULL DEFAULT (''),
	`manual`       BIGINT       NOT NULL DEFAULT 0,
	lease_until    BIGINT       NOT NULL,
	registered_at  BIGINT       NOT NULL,
	seen_at        BIGINT       NOT NULL,
	started_at     BIGINT,
	draining       BIGINT       NOT NULL DEFAULT 0,
	token_id       BIGINT       NOT NULL DEFAULT 0,
	dialect        LONGTEXT     NOT NULL DEFAULT (''),
	dialect_by     LONGTEXT     NOT NULL DEFAULT (''),
	features       LONGTEXT     NOT NULL DEFAULT ('[]'),
	handlers       LONGTEXT     NOT NULL DEFAULT ('[]'),
	workload       LONGTEXT     NOT NULL DEFAULT (''),
	incarnation    LONGTEXT     NOT NULL DEFAULT (''),
	incarnation_at BIGINT,
	instance       LONGTEXT     NOT NULL DEFAULT (''),
	instance_at    BIGINT       NOT NULL DEFAULT 0,
	others         LONGTEXT     NOT NULL DEFAULT (''),
	crowded_until  BIGINT       NOT NULL DEFAULT 0,
	rival_at       BIGINT       NOT NULL DEFAULT 0,
	PRIMARY KEY (group_id, address),
	KEY executors_lease (lease_until),
	KEY executors_address (address),
	KEY executors_manual (`manual`, group_id),
	FOREIGN KEY (group_id) REFERENCES executor_groups (id),
	CHECK (`manual` = 0 OR `manual` = 1)
) {{table}};

CREATE TABLE executor_facts (
	group_id BIGINT       NOT NULL,
	address  VARCHAR(512) NOT NULL,
	kind     VARCHAR(255) NOT NULL,
	told_at  BIGINT       NOT NULL,
	facts    LONGTEXT     NOT NULL,
	PRIMARY KEY (group_id, address),
	FOREIGN KEY (group_id, address) REFERENCES executors (group_id, address) ON DELETE CASCADE
) {{table}};

--
-- Calendars and pauses
--

CREATE TABLE calendars (
	id         BIGINT       NOT NULL,
	namespace  VARCHAR(255) NOT NULL,
	cal_key    VARCHAR(255) NOT NULL,
	title      LONGTEXT     NOT NULL,
	rules      LONGTEXT     NOT NULL,
	version    BIGINT       NOT NULL,
	created_at BIGINT       NOT NULL,
	updated_at BIGINT       NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY calendars_name (namespace, cal_key)
) {{table}};

CREATE TABLE pauses (
	id         BIGINT       NOT NULL,
	pause_key  VARCHAR(255) NOT NULL,
	definition LONGTEXT     NOT NULL,
	version    BIGINT       NOT NULL DEFAULT 1,
	created_at BIGINT       NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY pauses_pause_key (pause_key)
) {{table}};

--
-- Jobs
--

CREATE TABLE jobs (
	id               BIGINT       NOT NULL,
	tombstone        BIGINT       NOT NULL,
	version          BIGINT       NOT NULL,
	group_id         BIGINT       NOT NULL,
	template         BIGINT       NOT NULL DEFAULT 0,
	template_version BIGINT       NOT NULL DEFAULT 0,
	priority         BIGINT       NOT NULL DEFAULT 1,
	expire_ms        BIGINT,
	after_ms         BIGINT       NOT NULL DEFAULT 0,
	timeout_ms       BIGINT       NOT NULL,
	concurrency      BIGINT       NOT NULL DEFAULT 0,
	overlap_queue    BIGINT       NOT NULL DEFAULT 0,
	shards           BIGINT       NOT NULL DEFAULT 0,
	stop_after       BIGINT       NOT NULL DEFAULT 0,
	failures         BIGINT       NOT NULL DEFAULT 0,
	created_at       BIGINT       NOT NULL,
	updated_at       BIGINT       NOT NULL,
	namespace        VARCHAR(255) NOT NULL,
	job_key          VARCHAR(255) NOT NULL,
	title            LONGTEXT     NOT NULL,
	misfire          LONGTEXT     NOT NULL,
	route            LONGTEXT     NOT NULL,
	overlap          LONGTEXT     NOT NULL,
	overlap_scope    LONGTEXT     NOT NULL DEFAULT ('executor'),
	on_crash         LONGTEXT     NOT NULL,
	schedule         LONGTEXT     NOT NULL,
	misfire_limits   LONGTEXT     NOT NULL DEFAULT ('{}'),
	retry            LONGTEXT     NOT NULL,
	children         LONGTEXT     NOT NULL,
	labels           LONGTEXT     NOT NULL DEFAULT ('{}'),
	delivery         LONGTEXT     NOT NULL DEFAULT ('{}'),
	logs             LONGTEXT     NOT NULL DEFAULT ('{}'),
	alarm_emails     LONGTEXT     NOT NULL DEFAULT ('[]'),
	inputs           LONGTEXT     NOT NULL DEFAULT ('[]'),
	param            LONGTEXT     NOT NULL,
	handler          LONGTEXT     NOT NULL,
	description      LONGTEXT     NOT NULL DEFAULT (''),
	PRIMARY KEY (id),
	UNIQUE KEY jobs_key (namespace, tombstone, job_key),
	KEY jobs_template (template),
	KEY jobs_group (group_id, tombstone),
	KEY jobs_place (namespace, group_id, tombstone, job_key),
	KEY jobs_buried_key (namespace, job_key, tombstone),
	FOREIGN KEY (group_id) REFERENCES executor_groups (id),
	CHECK (tombstone = 0 OR tombstone = id)
) {{table}};

CREATE TABLE job_plans (
	job_id      BIGINT       NOT NULL,
	enabled     BIGINT       NOT NULL,
	next_at     BIGINT,
	look_at     BIGINT,
	last_at     BIGINT,
	awaits      BIGINT       NOT NULL DEFAULT 0,
	fired       BIGINT       NOT NULL DEFAULT 0,
	held_by     VARCHAR(255) NOT NULL DEFAULT '',
	stop_reason LONGTEXT     NOT NULL DEFAULT (''),
	PRIMARY KEY (job_id),
	KEY job_plans_look (look_at),
	KEY job_plans_held (held_by),
	CHECK (enabled = 0 OR enabled = 1),
	CHECK (next_at IS NULL OR enabled = 1),
	CHECK ((look_at IS NULL) = (next_at IS NULL)),
	CHECK (awaits = 0 OR (enabled = 1 AND next_at IS NULL))
) {{table}};

CREATE TABLE job_calendars (
	calendar_id BIGINT NOT NULL,
	job_id      BIGINT NOT NULL,
	PRIMARY KEY (calendar_id, job_id),
	KEY job_calendars_job (job_id),
	FOREIGN KEY (calendar_id) REFERENCES calendars (id)
) {{table}};

CREATE TABLE job_revisions (
	job_id    BIGINT   NOT NULL,
	number    BIGINT   NOT NULL,
	saved_at  BIGINT   NOT NULL,
	recoded   BIGINT   NOT NULL,
	deleted   BIGINT   NOT NULL,
	code      BIGINT   NOT NULL,
	digest    LONGTEXT NOT NULL,
	by_kind   LONGTEXT NOT NULL,
	by_name   LONGTEXT NOT NULL,
	operation LONGTEXT NOT NULL,
	note      LONGTEXT NOT NULL,
	changed   LONGTEXT NOT NULL,
	document  LONGTEXT NOT NULL,
	PRIMARY KEY (job_id, number),
	KEY job_revisions_code (job_id, recoded, number),
	KEY job_revisions_deleted (deleted, saved_at),
	CHECK (recoded = 0 OR recoded = 1),
	CHECK (deleted = 0 OR deleted = 1)
) {{table}};

CREATE TABLE job_codes (
	job_id BIGINT   NOT NULL,
	number BIGINT   NOT NULL,
	source LONGBLOB NOT NULL,
	PRIMARY KEY (job_id, number)
) {{table}};

--
-- Runs
--

-- A run changes its state three times on its way, and InnoDB leaves an entry of the old one in
-- each index until it is purged. bad_state is NULL on the way of a run and after a success.
CREATE TABLE runs (
	id            BIGINT       NOT NULL,
	job_id        BIGINT       NOT NULL,
	job_version   BIGINT       NOT NULL,
	group_id      BIGINT       NOT NULL,
	planned_at    BIGINT       NOT NULL,
	cause         VARCHAR(255) NOT NULL,
	cause_id      BIGINT       NOT NULL,
	shard_index   BIGINT       NOT NULL DEFAULT 0,
	shard_total   BIGINT       NOT NULL DEFAULT 0,
	state         VARCHAR(255) NOT NULL,
	ready_at      BIGINT,
	due_at        BIGINT       NOT NULL,
	tries         BIGINT       NOT NULL DEFAULT 0,
	undelivered   BIGINT       NOT NULL DEFAULT 0,
	attempt_id    BIGINT       NOT NULL DEFAULT 0,
	address       LONGTEXT     NOT NULL DEFAULT (''),
	triggered_at  BIGINT,
	accepted_at   BIGINT,
	attempt_state VARCHAR(255),
	open_on       VARCHAR(512),
	open_job      BIGINT,
	check_at      BIGINT,
	priority      BIGINT       NOT NULL DEFAULT 1,
	expires_at    BIGINT,
	created_at    BIGINT       NOT NULL,
	started_at    BIGINT,
	ended_at      BIGINT,
	asked_by      VARCHAR(255) NOT NULL DEFAULT '',
	home          LONGTEXT     NOT NULL DEFAULT (''),
	avoid         LONGTEXT     NOT NULL DEFAULT (''),
	addresses     LONGTEXT     NOT NULL DEFAULT (''),
	reason        LONGTEXT     NOT NULL DEFAULT (''),
	message       LONGTEXT     NOT NULL DEFAULT (''),
	param         LONGTEXT,
	log_text      LONGTEXT,
	log_expires   BIGINT,
	firing        VARCHAR(255) AS (CASE cause WHEN 'misfire' THEN 'schedule' ELSE cause END) STORED,
	ready_group   BIGINT       AS (CASE WHEN ready_at > 0 THEN group_id END) STORED,
	ready_expires BIGINT       AS (CASE WHEN ready_at > 0 THEN expires_at END) STORED,
	bad_state     VARCHAR(255) AS (CASE WHEN ended_at > 0 AND state <> 'succeeded' THEN state END) STORED,
	again_attempt BIGINT       AS (CASE WHEN tries > 1 THEN attempt_id END) STORED,
	PRIMARY KEY (id),
	UNIQUE KEY runs_firing (planned_at, job_id, firing, cause_id, shard_index),
	KEY runs_job (job_id, id),
	KEY runs_expires (ready_expires),
	KEY runs_group (group_id, id),
	KEY runs_ready (ready_group, priority, ready_at),
	KEY runs_bad (bad_state, id),
	KEY runs_open (open_on, check_at, attempt_id),
	KEY runs_busy (open_job),
	KEY runs_again (again_attempt),
	KEY runs_cause (cause, id),
	KEY runs_asked (asked_by, id),
	KEY runs_log (log_expires),
	CHECK ((ready_at IS NOT NULL) = (state = 'planned' OR state = 'queued' OR state = 'waiting_retry')),
	CHECK ((open_on IS NOT NULL) = (state = 'dispatched' OR state = 'running' OR state = 'stopping')),
	CHECK (open_job IS NULL OR open_on IS NOT NULL),
	CHECK ((check_at IS NOT NULL) = (state = 'dispatched') OR state = 'stopping'),
	CHECK (triggered_at IS NOT NULL OR open_on IS NULL AND accepted_at IS NULL AND attempt_state IS NULL),
	CHECK (shard_index >= 0 AND (shard_index < shard_total OR shard_total = 0))
) {{table}};

CREATE TABLE attempts (
	id           BIGINT   NOT NULL,
	run_id       BIGINT   NOT NULL,
	job_id       BIGINT   NOT NULL,
	number       BIGINT   NOT NULL,
	address      LONGTEXT NOT NULL,
	state        LONGTEXT NOT NULL,
	triggered_at BIGINT   NOT NULL,
	accepted_at  BIGINT,
	ended_at     BIGINT   NOT NULL,
	message      LONGTEXT NOT NULL,
	PRIMARY KEY (id),
	KEY attempts_run (run_id),
	KEY attempts_job (job_id, run_id)
) {{table}};

CREATE TABLE blocked (
	job_id  BIGINT NOT NULL,
	made_at BIGINT NOT NULL,
	run_id  BIGINT NOT NULL,
	let_go  BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (job_id, made_at, run_id)
) {{table}};

CREATE TABLE deadlines (
	ends_at   BIGINT NOT NULL,
	run_id    BIGINT NOT NULL,
	length_ms BIGINT NOT NULL,
	PRIMARY KEY (ends_at, run_id)
) {{table}};

CREATE TABLE stops (
	run_id     BIGINT NOT NULL,
	attempt_id BIGINT NOT NULL,
	asked_at   BIGINT NOT NULL,
	told_at    BIGINT,
	absent_at  BIGINT,
	calls      BIGINT NOT NULL,
	look_at    BIGINT NOT NULL,
	PRIMARY KEY (run_id),
	KEY stops_look (look_at)
) {{table}};

CREATE TABLE broadcasts (
	run_id     BIGINT   NOT NULL,
	job_id     BIGINT   NOT NULL,
	attempt_id BIGINT   NOT NULL,
	total      BIGINT   NOT NULL,
	shards     BIGINT   NOT NULL,
	open       BIGINT   NOT NULL,
	failed     BIGINT   NOT NULL,
	cancel     LONGTEXT NOT NULL,
	look_at    BIGINT,
	PRIMARY KEY (run_id),
	KEY broadcasts_look (look_at),
	KEY broadcasts_job (job_id, run_id),
	KEY broadcasts_open (open, run_id),
	CHECK (open >= 0 AND open <= shards AND shards <= total),
	CHECK (failed >= 0 AND failed + open <= shards)
) {{table}};

CREATE TABLE evidence (
	attempt_id BIGINT   NOT NULL,
	number     BIGINT   NOT NULL,
	came_at    BIGINT   NOT NULL,
	state      LONGTEXT NOT NULL,
	message    LONGTEXT NOT NULL,
	note       LONGTEXT NOT NULL,
	PRIMARY KEY (attempt_id, number)
) {{table}};

CREATE TABLE dead_letters (
	run_id        BIGINT       NOT NULL,
	job_id        BIGINT       NOT NULL,
	group_id      BIGINT       NOT NULL,
	namespace     LONGTEXT     NOT NULL,
	state         LONGTEXT     NOT NULL,
	status        VARCHAR(255) NOT NULL,
	ended_at      BIGINT       NOT NULL,
	redriven_run  BIGINT,
	closed_at     BIGINT,
	closed_reason LONGTEXT     NOT NULL,
	message       LONGTEXT     NOT NULL,
	PRIMARY KEY (run_id),
	KEY dead_letters_status (status, run_id),
	KEY dead_letters_job (job_id, run_id),
	CHECK ((redriven_run IS NOT NULL) = (status = 'redriven')),
	CHECK (closed_at IS NOT NULL OR status <> 'closed')
) {{table}};

CREATE TABLE trials (
	run_id     BIGINT   NOT NULL,
	job_id     BIGINT   NOT NULL,
	made_at    BIGINT   NOT NULL,
	timeout_ms BIGINT   NOT NULL,
	owner      LONGTEXT NOT NULL,
	by_kind    LONGTEXT NOT NULL,
	by_name    LONGTEXT NOT NULL,
	handler    LONGTEXT NOT NULL,
	PRIMARY KEY (run_id),
	KEY trials_made (made_at)
) {{table}};

CREATE TABLE backfills (
	id             BIGINT   NOT NULL,
	job_id         BIGINT   NOT NULL,
	step           BIGINT   NOT NULL,
	look_at        BIGINT,
	state          LONGTEXT NOT NULL,
	reason         LONGTEXT NOT NULL,
	from_at        BIGINT   NOT NULL,
	to_at          BIGINT   NOT NULL,
	slots          BIGINT   NOT NULL,
	first_at       BIGINT   NOT NULL,
	last_at        BIGINT   NOT NULL,
	`parallel`     BIGINT   NOT NULL,
	spacing_ms     BIGINT   NOT NULL,
	skip_succeeded BIGINT   NOT NULL,
	param          LONGTEXT,
	cursor_at      BIGINT,
	made           BIGINT   NOT NULL,
	skipped        BIGINT   NOT NULL,
	succeeded      BIGINT   NOT NULL,
	failed         BIGINT   NOT NULL,
	open_runs      LONGTEXT NOT NULL,
	created_at     BIGINT   NOT NULL,
	started_at     BIGINT,
	ended_at       BIGINT,
	PRIMARY KEY (id),
	KEY backfills_look (look_at),
	KEY backfills_job (job_id, id),
	CHECK (state = 'running' OR state = 'finished' OR state = 'cancelled'),
	CHECK ((look_at IS NOT NULL) = (state = 'running'))
) {{table}};

--
-- Workflows
--

CREATE TABLE workflows (
	id           BIGINT       NOT NULL,
	namespace    VARCHAR(255) NOT NULL,
	workflow_key VARCHAR(255) NOT NULL,
	title        LONGTEXT     NOT NULL,
	nodes        LONGTEXT     NOT NULL,
	total        BIGINT       NOT NULL,
	version      BIGINT       NOT NULL,
	created_at   BIGINT       NOT NULL,
	updated_at   BIGINT       NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY workflows_name (namespace, workflow_key)
) {{table}};

CREATE TABLE workflow_runs (
	id           BIGINT       NOT NULL,
	workflow_id  BIGINT       NOT NULL,
	namespace    VARCHAR(255) NOT NULL,
	workflow_key VARCHAR(255) NOT NULL,
	version      BIGINT       NOT NULL,
	nodes        LONGTEXT     NOT NULL,
	step         BIGINT       NOT NULL,
	look_at      BIGINT,
	state        LONGTEXT     NOT NULL,
	reason       LONGTEXT     NOT NULL,
	planned_at   BIGINT,
	param        LONGTEXT     NOT NULL,
	generation   BIGINT       NOT NULL,
	total        BIGINT       NOT NULL,
	done         BIGINT       NOT NULL,
	failed       BIGINT       NOT NULL,
	created_at   BIGINT       NOT NULL,
	ended_at     BIGINT,
	PRIMARY KEY (id),
	KEY workflow_runs_look (look_at),
	KEY workflow_runs_key (namespace, workflow_key, id),
	CHECK (state = 'running' OR state = 'cancelling' OR state = 'succeeded' OR state = 'failed' OR state = 'cancelled'),
	CHECK ((look_at IS NOT NULL) = (state = 'running' OR state = 'cancelling'))
) {{table}};

CREATE TABLE workflow_nodes (
	workflow_run_id BIGINT   NOT NULL,
	place           BIGINT   NOT NULL,
	job_id          BIGINT   NOT NULL,
	state           LONGTEXT NOT NULL,
	run_id          BIGINT   NOT NULL,
	generation      BIGINT   NOT NULL,
	reason          LONGTEXT NOT NULL,
	result          LONGTEXT NOT NULL,
	started_at      BIGINT,
	ended_at        BIGINT,
	PRIMARY KEY (workflow_run_id, place),
	KEY workflow_nodes_run (run_id),
	FOREIGN KEY (workflow_run_id) REFERENCES workflow_runs (id),
	CHECK (state = 'waiting' OR state = 'running' OR state = 'succeeded' OR state = 'failed' OR state = 'skipped' OR state = 'cancelled'),
	CHECK (state <> 'running' OR run_id > 0)
) {{table}};

--
-- Statistics
--

CREATE TABLE stats_daily (
	day         BIGINT NOT NULL,
	job_id      BIGINT NOT NULL,
	succeeded   BIGINT NOT NULL,
	failed      BIGINT NOT NULL,
	timed_out   BIGINT NOT NULL,
	cancelled   BIGINT NOT NULL,
	lost        BIGINT NOT NULL,
	skipped     BIGINT NOT NULL,
	attempts    BIGINT NOT NULL,
	timed       BIGINT NOT NULL,
	run_ms      BIGINT NOT NULL,
	run_ms_max  BIGINT NOT NULL,
	late_ms     BIGINT NOT NULL,
	late_ms_max BIGINT NOT NULL,
	PRIMARY KEY (day, job_id)
) {{table}};

CREATE TABLE spreads (
	width       BIGINT       NOT NULL,
	begins_at   BIGINT       NOT NULL,
	namespace   VARCHAR(255) NOT NULL,
	group_key   VARCHAR(255) NOT NULL,
	succeeded   BIGINT       NOT NULL DEFAULT 0,
	failed      BIGINT       NOT NULL DEFAULT 0,
	timed_out   BIGINT       NOT NULL DEFAULT 0,
	cancelled   BIGINT       NOT NULL DEFAULT 0,
	lost        BIGINT       NOT NULL DEFAULT 0,
	skipped     BIGINT       NOT NULL DEFAULT 0,
	attempts    BIGINT       NOT NULL DEFAULT 0,
	timed       BIGINT       NOT NULL DEFAULT 0,
	run_ms      BIGINT       NOT NULL DEFAULT 0,
	run_ms_max  BIGINT       NOT NULL DEFAULT 0,
	late_ms     BIGINT       NOT NULL DEFAULT 0,
	late_ms_max BIGINT       NOT NULL DEFAULT 0,
	t0 BIGINT NOT NULL DEFAULT 0, t1 BIGINT NOT NULL DEFAULT 0, t2 BIGINT NOT NULL DEFAULT 0, t3 BIGINT NOT NULL DEFAULT 0,
	t4 BIGINT NOT NULL DEFAULT 0, t5 BIGINT NOT NULL DEFAULT 0, t6 BIGINT NOT NULL DEFAULT 0, t7 BIGINT NOT NULL DEFAULT 0,
	t8 BIGINT NOT NULL DEFAULT 0, t9 BIGINT NOT NULL DEFAULT 0, t10 BIGINT NOT NULL DEFAULT 0, t11 BIGINT NOT NULL DEFAULT 0,
	t12 BIGINT NOT NULL DEFAULT 0, t13 BIGINT NOT NULL DEFAULT 0, t14 BIGINT NOT NULL DEFAULT 0, t15 BIGINT NOT NULL DEFAULT 0,
	t16 BIGINT NOT NULL DEFAULT 0, t17 BIGINT NOT NULL DEFAULT 0, t18 BIGINT NOT NULL DEFAULT 0, t19 BIGINT NOT NULL DEFAULT 0,
	t20 BIGINT NOT NULL DEFAULT 0, t21 BIGINT NOT NULL DEFAULT 0, t22 BIGINT NOT NULL DEFAULT 0, t23 BIGINT NOT NULL DEFAULT 0,
	t24 BIGINT NOT NULL DEFAULT 0, t25 BIGINT NOT NULL DEFAULT 0, t26 BIGINT NOT NULL DEFAULT 0, t27 BIGINT NOT NULL DEFAULT 0,
	l0 BIGINT NOT NULL DEFAULT 0, l1 BIGINT NOT NULL DEFAULT 0, l2 BIGINT NOT NULL DEFAULT 0, l3 BIGINT NOT NULL DEFAULT 0,
	l4 BIGINT NOT NULL DEFAULT 0, l5 BIGINT NOT NULL DEFAULT 0, l6 BIGINT NOT NULL DEFAULT 0, l7 BIGINT NOT NULL DEFAULT 0,
	l8 BIGINT NOT NULL DEFAULT 0, l9 BIGINT NOT NULL DEFAULT 0, l10 BIGINT NOT NULL DEFAULT 0, l11 BIGINT NOT NULL DEFAULT 0,
	l12 BIGINT NOT NULL DEFAULT 0, l13 BIGINT NOT NULL DEFAULT 0, l14 BIGINT NOT NULL DEFAULT 0, l15 BIGINT NOT NULL DEFAULT 0,
	l16 BIGINT NOT NULL DEFAULT 0, l17 BIGINT NOT NULL DEFAULT 0, l18 BIGINT NOT NULL DEFAULT 0, l19 BIGINT NOT NULL DEFAULT 0,
	l20 BIGINT NOT NULL DEFAULT 0, l21 BIGINT NOT NULL DEFAULT 0, l22 BIGINT NOT NULL DEFAULT 0, l23 BIGINT NOT NULL DEFAULT 0,
	l24 BIGINT NOT NULL DEFAULT 0, l25 BIGINT NOT NULL DEFAULT 0, l26 BIGINT NOT NULL DEFAULT 0, l27 BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (width, begins_at, namespace, group_key)
) {{table}};

CREATE TABLE stats_deltas (
	id      BIGINT   NOT NULL AUTO_INCREMENT,
	version BIGINT   NOT NULL,
	deltas  LONGBLOB NOT NULL,
	PRIMARY KEY (id)
) {{table}};

--
-- Logs of runs
--

CREATE TABLE run_logs (
	attempt_id   BIGINT   NOT NULL,
	run_id       BIGINT   NOT NULL,
	job_id       BIGINT   NOT NULL,
	group_id     BIGINT   NOT NULL,
	address      LONGTEXT NOT NULL,
	triggered_at BIGINT   NOT NULL,
	ended_at     BIGINT,
	look_at      BIGINT,
	expires_at   BIGINT,
	`lines`      BIGINT   NOT NULL DEFAULT 0,
	bytes        BIGINT   NOT NULL DEFAULT 0,
	state        LONGTEXT NOT NULL,
	note         LONGTEXT NOT NULL DEFAULT (''),
	whole_text   LONGTEXT,
	PRIMARY KEY (attempt_id),
	KEY run_logs_job (job_id, attempt_id),
	KEY run_logs_owed (look_at),
	KEY run_logs_expires (expires_at),
	CHECK (look_at IS NULL OR (ended_at IS NOT NULL AND state = 'open'))
) {{table}};

CREATE TABLE log_chunks (
	attempt_id BIGINT NOT NULL,
	first_line BIGINT NOT NULL,
	`lines`    BIGINT NOT NULL,
	first_at   BIGINT NOT NULL,
	last_at    BIGINT NOT NULL,
	raw        BIGINT NOT NULL,
	pack_id    BIGINT NOT NULL,
	pos        BIGINT NOT NULL,
	size       BIGINT NOT NULL,
	PRIMARY KEY (attempt_id, first_line),
	KEY log_chunks_pack (pack_id)
) {{table}};

CREATE TABLE log_packs (
	id         BIGINT       NOT NULL,
	name       VARCHAR(255) NOT NULL,
	size       BIGINT       NOT NULL,
	live       BIGINT       NOT NULL,
	created_at BIGINT       NOT NULL,
	check_at   BIGINT,
	PRIMARY KEY (id),
	UNIQUE KEY log_packs_name (name),
	KEY log_packs_check (check_at)
) {{table}};

CREATE TABLE log_total (
	id    BIGINT NOT NULL,
	bytes BIGINT NOT NULL,
	PRIMARY KEY (id),
	CHECK (id = 1)
) {{table}};

INSERT INTO log_total (id, bytes) VALUES (1, 0);

CREATE TABLE log_blobs (
	name       VARCHAR(255) NOT NULL,
	first_part BIGINT       NOT NULL,
	size       BIGINT       NOT NULL,
	sum        BIGINT       NOT NULL,
	created_at BIGINT       NOT NULL,
	PRIMARY KEY (name),
	CHECK (size >= 0)
) {{table}};

-- Divided by ranges of 4294967296 ids, so that old parts are dropped whole. Servers make the
-- partitions that follow out of the last one while that is empty.
CREATE TABLE log_blob_parts (
	id   BIGINT   NOT NULL,
	data LONGBLOB NOT NULL,
	PRIMARY KEY (id),
	CHECK (LENGTH(data) BETWEEN 1 AND 65536)
) {{table}} PARTITION BY RANGE (id) (
	PARTITION p0 VALUES LESS THAN (4294967296),
	PARTITION rest VALUES LESS THAN MAXVALUE
);

--
-- Alarms
--

CREATE TABLE alarm_channels (
	id         BIGINT       NOT NULL,
	namespace  VARCHAR(255) NOT NULL,
	chan_key   VARCHAR(255) NOT NULL,
	definition LONGTEXT     NOT NULL,
	is_default BIGINT       NOT NULL,
	secrets    LONGTEXT     NOT NULL,
	version    BIGINT       NOT NULL,
	created_at BIGINT       NOT NULL,
	updated_at BIGINT       NOT NULL,
	ok_at      BIGINT       NOT NULL DEFAULT 0,
	failed_at  BIGINT       NOT NULL DEFAULT 0,
	failure    LONGTEXT     NOT NULL DEFAULT (''),
	failures   BIGINT       NOT NULL DEFAULT 0,
	default_of VARCHAR(255) AS (CASE WHEN is_default > 0 THEN namespace END) STORED,
	PRIMARY KEY (id),
	UNIQUE KEY alarm_channels_name (namespace, chan_key),
	UNIQUE KEY alarm_channels_default (default_of),
	CHECK (is_default = 0 OR is_default = 1)
) {{table}};

CREATE TABLE alarm_rules (
	id         BIGINT       NOT NULL,
	namespace  VARCHAR(255) NOT NULL,
	rule_key   VARCHAR(255) NOT NULL,
	definition LONGTEXT     NOT NULL,
	version    BIGINT       NOT NULL,
	created_at BIGINT       NOT NULL,
	updated_at BIGINT       NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY alarm_rules_name (namespace, rule_key)
) {{table}};

CREATE TABLE alarm_rule_channels (
	channel_id BIGINT NOT NULL,
	rule_id    BIGINT NOT NULL,
	PRIMARY KEY (channel_id, rule_id),
	KEY alarm_rule_channels_rule (rule_id),
	FOREIGN KEY (channel_id) REFERENCES alarm_channels (id),
	FOREIGN KEY (rule_id) REFERENCES alarm_rules (id)
) {{table}};

CREATE TABLE alarm_silences (
	id         BIGINT       NOT NULL,
	namespace  VARCHAR(255) NOT NULL,
	definition LONGTEXT     NOT NULL,
	ends_at    BIGINT       NOT NULL,
	created_at BIGINT       NOT NULL,
	PRIMARY KEY (id),
	KEY alarm_silences_namespace (namespace, id)
) {{table}};

CREATE TABLE alarm_events (
	id   BIGINT   NOT NULL,
	at   BIGINT   NOT NULL,
	body LONGTEXT NOT NULL,
	PRIMARY KEY (id)
) {{table}};

CREATE TABLE watched (
	source  VARCHAR(255) NOT NULL,
	subject BIGINT       NOT NULL,
	told_at BIGINT       NOT NULL,
	body    LONGTEXT     NOT NULL,
	PRIMARY KEY (source, subject)
) {{table}};

CREATE TABLE alarm_cursor (
	id          BIGINT   NOT NULL,
	event_id    BIGINT   NOT NULL,
	last_id     BIGINT   NOT NULL,
	definitions BIGINT   NOT NULL,
	tag         LONGTEXT NOT NULL,
	PRIMARY KEY (id),
	CHECK (id = 1)
) {{table}};

INSERT INTO alarm_cursor (id, event_id, last_id, definitions, tag)
	VALUES (1, 0, 0, 0, SUBSTR(MD5(CONCAT(UUID(), RAND())), 1, 8));

CREATE TABLE alarms (
	id          BIGINT       NOT NULL,
	namespace   LONGTEXT     NOT NULL,
	rule_id     BIGINT       NOT NULL,
	rule_key    LONGTEXT     NOT NULL,
	kind        VARCHAR(255) NOT NULL,
	severity    LONGTEXT     NOT NULL,
	group_id    BIGINT       NOT NULL,
	group_key   LONGTEXT     NOT NULL,
	job_id      BIGINT       NOT NULL,
	job_key     LONGTEXT     NOT NULL,
	labels      LONGTEXT     NOT NULL,
	recipients  LONGTEXT     NOT NULL,
	state       VARCHAR(255) NOT NULL,
	reason      LONGTEXT     NOT NULL,
	first_at    BIGINT       NOT NULL,
	last_at     BIGINT       NOT NULL,
	ended_at    BIGINT,
	events      BIGINT       NOT NULL,
	run_id      BIGINT       NOT NULL,
	noted_at    BIGINT,
	noted_by    LONGTEXT     NOT NULL,
	silenced_by BIGINT       NOT NULL,
	bunch_key   VARCHAR(512) NOT NULL,
	told        BIGINT       NOT NULL,
	held        BIGINT       NOT NULL,
	firing_on   BIGINT,
	look_at     BIGINT,
	PRIMARY KEY (id),
	UNIQUE KEY alarms_firing (firing_on, rule_id, kind),
	KEY alarms_look (look_at),
	KEY alarms_ended (ended_at),
	KEY alarms_state (state, id),
	KEY alarms_job (job_id, id),
	KEY alarms_bunch (bunch_key, look_at),
	CHECK ((state = 'firing') = (firing_on IS NOT NULL)),
	CHECK ((state = 'firing') = (look_at IS NOT NULL)),
	CHECK ((state = 'resolved') = (ended_at IS NOT NULL))
) {{table}};

CREATE TABLE alarm_entries (
	event_id BIGINT   NOT NULL,
	alarm_id BIGINT   NOT NULL,
	at       BIGINT   NOT NULL,
	run_id   BIGINT   NOT NULL,
	job_key  LONGTEXT NOT NULL,
	state    LONGTEXT NOT NULL,
	reason   LONGTEXT NOT NULL,
	PRIMARY KEY (event_id, alarm_id),
	KEY alarm_entries_alarm (alarm_id, event_id),
	KEY alarm_entries_run (run_id)
) {{table}};

CREATE TABLE alarm_states (
	subject BIGINT       NOT NULL,
	rule_id BIGINT       NOT NULL,
	kind    VARCHAR(255) NOT NULL,
	look_at BIGINT,
	seen_at BIGINT       NOT NULL,
	body    LONGTEXT     NOT NULL,
	PRIMARY KEY (subject, rule_id, kind),
	KEY alarm_states_look (look_at),
	KEY alarm_states_seen (seen_at)
) {{table}};

CREATE TABLE alarm_bunches (
	id         BIGINT       NOT NULL,
	bunch_key  VARCHAR(512) NOT NULL,
	channel_id BIGINT       NOT NULL,
	look_at    BIGINT,
	body       LONGTEXT     NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY alarm_bunches_key (bunch_key, channel_id),
	KEY alarm_bunches_look (look_at)
) {{table}};

CREATE TABLE alarm_notifications (
	id          BIGINT       NOT NULL,
	message_key VARCHAR(700) NOT NULL,
	namespace   LONGTEXT     NOT NULL,
	rule_id     BIGINT       NOT NULL,
	rule_key    LONGTEXT     NOT NULL,
	channel_id  BIGINT       NOT NULL,
	channel_key LONGTEXT     NOT NULL,
	recipients  LONGTEXT     NOT NULL,
	bunch_key   VARCHAR(512) NOT NULL,
	status      VARCHAR(255) NOT NULL,
	state       LONGTEXT     NOT NULL,
	alarms      BIGINT       NOT NULL,
	events      BIGINT       NOT NULL,
	tries       BIGINT       NOT NULL,
	title       LONGTEXT     NOT NULL,
	error       LONGTEXT     NOT NULL,
	due_at      BIGINT       NOT NULL,
	created_at  BIGINT       NOT NULL,
	ended_at    BIGINT,
	line        VARCHAR(512) NOT NULL,
	dedup       LONGTEXT     NOT NULL,
	fence       BIGINT       NOT NULL,
	body        LONGTEXT     NOT NULL,
	open_on     BIGINT,
	look_at     BIGINT,
	PRIMARY KEY (id),
	UNIQUE KEY alarm_notifications_message_key (message_key),
	KEY alarm_notifications_look (look_at),
	KEY alarm_notifications_open (open_on, line, id),
	KEY alarm_notifications_channel (channel_id, ended_at),
	KEY alarm_notifications_ended (ended_at),
	KEY alarm_notifications_status (status, id),
	KEY alarm_notifications_bunch (bunch_key, created_at),
	CHECK ((status = 'pending') = (look_at IS NOT NULL)),
	CHECK ((status = 'pending') = (open_on IS NOT NULL)),
	CHECK ((status = 'pending') = (ended_at IS NULL))
) {{table}};

--
-- Users
--

CREATE TABLE users (
	id          BIGINT        NOT NULL,
	kind        LONGTEXT      NOT NULL,
	name        VARCHAR(255)  NOT NULL,
	title       LONGTEXT      NOT NULL,
	email       LONGTEXT      NOT NULL,
	disabled    BIGINT        NOT NULL,
	must_change BIGINT        NOT NULL,
	password    LONGTEXT      NOT NULL,
	subject     VARCHAR(1024) NOT NULL,
	grants      LONGTEXT      NOT NULL,
	provided    LONGTEXT      NOT NULL,
	administers BIGINT        NOT NULL,
	epoch       BIGINT        NOT NULL,
	created_at  BIGINT        NOT NULL,
	updated_at  BIGINT        NOT NULL,
	seen_at     BIGINT        NOT NULL DEFAULT 0,
	subject_sum CHAR(64)      AS (CASE WHEN subject > '' THEN SHA2(subject, 256) END) STORED,
	PRIMARY KEY (id),
	UNIQUE KEY users_name (name),
	UNIQUE KEY users_subject (subject_sum),
	KEY users_administers (administers, id),
	KEY users_provided (subject(255)),
	CHECK (kind = 'user' OR kind = 'service'),
	CHECK (disabled = 0 OR disabled = 1),
	CHECK (must_change = 0 OR must_change = 1),
	CHECK (administers = 0 OR administers = 1)
) {{table}};

CREATE TABLE api_tokens (
	id         BIGINT       NOT NULL,
	user_id    BIGINT       NOT NULL,
	token_key  VARCHAR(255) NOT NULL,
	digest     LONGTEXT     NOT NULL,
	label      LONGTEXT     NOT NULL,
	limits     LONGTEXT     NOT NULL,
	created_at BIGINT       NOT NULL,
	expires_at BIGINT       NOT NULL,
	used_at    BIGINT       NOT NULL DEFAULT 0,
	PRIMARY KEY (id),
	UNIQUE KEY api_tokens_token_key (token_key),
	KEY api_tokens_user (user_id, id),
	FOREIGN KEY (user_id) REFERENCES users (id)
) {{table}};

CREATE TABLE sessions (
	id         BIGINT       NOT NULL,
	user_id    BIGINT       NOT NULL,
	hash       VARCHAR(255) NOT NULL,
	way        LONGTEXT     NOT NULL,
	epoch      BIGINT       NOT NULL,
	address    LONGTEXT     NOT NULL,
	agent      LONGTEXT     NOT NULL,
	created_at BIGINT       NOT NULL,
	seen_at    BIGINT       NOT NULL,
	ends_at    BIGINT       NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY sessions_hash (hash),
	KEY sessions_user (user_id, id),
	KEY sessions_end (ends_at),
	KEY sessions_seen (seen_at)
) {{table}};

CREATE TABLE sign_in_places (
	account VARCHAR(255) NOT NULL,
	network VARCHAR(255) NOT NULL,
	seen_at BIGINT       NOT NULL,
	PRIMARY KEY (account, network),
	KEY sign_in_places_account (account, seen_at),
	KEY sign_in_places_seen (seen_at)
) {{table}};

CREATE TABLE sign_in_tries (
	meter   BIGINT NOT NULL,
	done_at BIGINT NOT NULL,
	PRIMARY KEY (meter),
	KEY sign_in_tries_done (done_at)
) {{table}};

--
-- Secrets
--

CREATE TABLE secrets (
	id          BIGINT       NOT NULL,
	namespace   VARCHAR(255) NOT NULL,
	secret_key  VARCHAR(255) NOT NULL,
	title       LONGTEXT     NOT NULL,
	`groups`    LONGTEXT     NOT NULL,
	version     BIGINT       NOT NULL,
	sealed      LONGTEXT     NOT NULL,
	size        BIGINT       NOT NULL,
	marks       BIGINT       NOT NULL,
	created_by  LONGTEXT     NOT NULL,
	updated_by  LONGTEXT     NOT NULL,
	created_at  BIGINT       NOT NULL,
	updated_at  BIGINT       NOT NULL,
	replaced_at BIGINT       NOT NULL,
	used_at     BIGINT       NOT NULL DEFAULT 0,
	PRIMARY KEY (id),
	UNIQUE KEY secrets_name (namespace, secret_key)
) {{table}};

CREATE TABLE secret_pasts (
	id         BIGINT   NOT NULL,
	namespace  LONGTEXT NOT NULL,
	secret_key LONGTEXT NOT NULL,
	sealed     LONGTEXT NOT NULL,
	size       BIGINT   NOT NULL,
	marks      BIGINT   NOT NULL,
	until_at   BIGINT   NOT NULL,
	PRIMARY KEY (id),
	KEY secret_pasts_until (until_at, id)
) {{table}};

--
-- Audit
--

CREATE TABLE audit (
	seq        BIGINT        NOT NULL,
	at         BIGINT        NOT NULL,
	actor_id   BIGINT        NOT NULL,
	credential BIGINT        NOT NULL,
	actor_kind LONGTEXT      NOT NULL,
	actor      VARCHAR(255)  NOT NULL,
	address    LONGTEXT      NOT NULL,
	operation  VARCHAR(255)  NOT NULL,
	right_used LONGTEXT      NOT NULL,
	kind       VARCHAR(64)   NOT NULL,
	namespace  VARCHAR(255)  NOT NULL,
	group_key  LONGTEXT      NOT NULL,
	object_key VARCHAR(1024) NOT NULL,
	was        LONGTEXT      NOT NULL,
	became     LONGTEXT      NOT NULL,
	previous   LONGTEXT      NOT NULL,
	digest     LONGTEXT      NOT NULL,
	PRIMARY KEY (seq),
	KEY audit_at (at, seq),
	KEY audit_actor (actor, seq),
	KEY audit_operation (operation, seq),
	KEY audit_namespace (namespace, seq),
	KEY audit_object (kind, object_key(500), seq)
) {{table}};

CREATE TABLE once_keys (
	caller     VARCHAR(255) NOT NULL,
	once_key   VARCHAR(255) NOT NULL,
	number     BIGINT       NOT NULL,
	request    LONGTEXT     NOT NULL,
	operation  LONGTEXT     NOT NULL,
	line       BIGINT       NOT NULL,
	created_at BIGINT       NOT NULL,
	reply      LONGTEXT     NOT NULL,
	PRIMARY KEY (caller, once_key),
	UNIQUE KEY once_keys_number (caller, number),
	KEY once_keys_created (created_at)
) {{table}};
