-- +goose Up

-- The runs that users end while executors have them: a row for each run in state
-- stopping, for a little longer than that. told_at is when the executor first took
-- notice, absent_at since when it says that it does not have the attempt.
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
