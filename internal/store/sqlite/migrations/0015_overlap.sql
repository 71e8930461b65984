-- +goose Up

-- Jobs of before leave it to each executor which runs it works on at once.
-- overlap_queue is how many runs may wait for others of the job; 0 is the default.
ALTER TABLE jobs ADD COLUMN overlap_scope TEXT NOT NULL DEFAULT 'executor';
ALTER TABLE jobs ADD COLUMN overlap_queue INTEGER NOT NULL DEFAULT 0;

-- The runs that wait for others of their job, in the order in which they were
-- made. Each of them is queued, and looked at again when the end of another one
-- lets it go, or when it is ready. One that was let go keeps its place until it is
-- sent.
CREATE TABLE blocked (
	job_id  INTEGER NOT NULL,
	made_at INTEGER NOT NULL,
	run_id  INTEGER NOT NULL,
	let_go  INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (job_id, made_at, run_id)
) STRICT, WITHOUT ROWID;
