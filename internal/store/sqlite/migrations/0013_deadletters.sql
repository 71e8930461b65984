-- +goose Up

-- Runs that ended badly after their last attempt, and what was done about each.
-- A row lives as long as its run. redriven_run is set exactly while the status is
-- redriven; a letter that was closed first keeps when and why.
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
