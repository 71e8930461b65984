-- +goose Up

-- shards is how many parts a run of the job is split into; 0 is one for each
-- executor. home is the executor that a part goes to first.
ALTER TABLE jobs ADD COLUMN shards INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN home TEXT NOT NULL DEFAULT '';

-- A run that was split. total is what its parts are told, shards how many there
-- are, open how many of them are not over. look_at is set exactly while there is
-- something to be done about it. cancel says why a user ends it; empty when
-- nobody does.
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
