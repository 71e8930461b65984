-- +goose Up

-- Outcomes that came for an attempt whose end was recorded already, and that say
-- something else: a few for each attempt, numbered as they came.
CREATE TABLE evidence (
	attempt_id INTEGER NOT NULL,
	number     INTEGER NOT NULL,
	came_at    INTEGER NOT NULL,
	state      TEXT    NOT NULL,
	message    TEXT    NOT NULL,
	note       TEXT    NOT NULL,
	PRIMARY KEY (attempt_id, number)
) STRICT, WITHOUT ROWID;

-- When a run must be over, for runs that were sent and whose job says so;
-- length_ms is how long that is after its first attempt.
CREATE TABLE deadlines (
	ends_at   INTEGER NOT NULL,
	run_id    INTEGER NOT NULL,
	length_ms INTEGER NOT NULL,
	PRIMARY KEY (ends_at, run_id)
) STRICT, WITHOUT ROWID;
