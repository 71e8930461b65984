-- +goose Up

-- What ended on a day, by job. Days are UTC and counted from 1970-01-01. The key
-- begins with the day: the rows that are written lie together, and so do those
-- that are removed. timed is how many attempts run_ms is the sum of; late_ms is
-- the sum over all attempts.
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
