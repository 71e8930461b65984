-- +goose Up

INSERT INTO sequences (name, next) VALUES ('workflows', 1), ('workflow_runs', 1);

-- nodes is a JSON text, total the number of nodes in it.
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

-- nodes is the workflow's when the run began. look_at is set exactly while the
-- run is open: when a server works on it next. step grows with each claim and
-- each change.
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

-- place is the node's in nodes. run_id is 0 before its first run.
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
