-- +goose Up

-- next_at is the next firing not yet planned. look_at is when a planner looks at
-- the job: at next_at, or earlier or later when a change of rules or a pause
-- says so; it is set exactly while next_at is. A fixed delay, after_ms, has no
-- next_at while it awaits the end of a run of its schedule.
ALTER TABLE jobs ADD COLUMN look_at INTEGER;
UPDATE jobs SET look_at = next_at;
DROP INDEX jobs_next;
CREATE INDEX jobs_look ON jobs (look_at);
ALTER TABLE jobs ADD COLUMN after_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN awaits INTEGER NOT NULL DEFAULT 0
	CHECK (awaits = 0 OR (enabled = 1 AND next_at IS NULL))
	CHECK ((look_at IS NULL) = (next_at IS NULL));
ALTER TABLE jobs ADD COLUMN misfire_limits TEXT NOT NULL DEFAULT '{}';
ALTER TABLE jobs ADD COLUMN fired INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN stop_after INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN stop_reason TEXT NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN held_by TEXT NOT NULL DEFAULT '';

-- Few jobs are held at a time, so that a firing writes nothing into this index.
CREATE INDEX jobs_held ON jobs (held_by) WHERE held_by <> '';

-- The sequence 'rules' is the version of all calendars and pauses together.
INSERT INTO sequences (name, next) VALUES ('calendars', 1), ('pauses', 1), ('backfills', 1), ('rules', 1);

CREATE TABLE calendars (
	id         INTEGER PRIMARY KEY,
	namespace  TEXT    NOT NULL,
	cal_key    TEXT    NOT NULL,
	title      TEXT    NOT NULL,
	rules      TEXT    NOT NULL,
	version    INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	UNIQUE (namespace, cal_key)
) STRICT;

-- The calendars that a job's schedule names.
CREATE TABLE job_calendars (
	calendar_id INTEGER NOT NULL REFERENCES calendars (id),
	job_id      INTEGER NOT NULL,
	PRIMARY KEY (calendar_id, job_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX job_calendars_job ON job_calendars (job_id);

CREATE TABLE pauses (
	id         INTEGER PRIMARY KEY,
	pause_key  TEXT    NOT NULL UNIQUE,
	definition TEXT    NOT NULL,
	created_at INTEGER NOT NULL
) STRICT;

-- look_at is set exactly while the backfill is running: when a server works on
-- it next. step grows with each claim and each change.
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
	started_at     INTEGER,
	created_at     INTEGER NOT NULL,
	ended_at       INTEGER,
	CHECK ((look_at IS NOT NULL) = (state = 'running'))
) STRICT;

CREATE INDEX backfills_look ON backfills (look_at);
CREATE INDEX backfills_job ON backfills (job_id, id);
