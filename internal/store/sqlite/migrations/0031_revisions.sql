-- +goose Up

-- Jobs as users have saved them: number is the version that the job has had since.
-- document is the job as JSON without its source; code is the number of the revision
-- that brought the source which it has, 0 for none, and digest the SHA-256 of it in
-- hex. recoded says that the code is another one than before.
CREATE TABLE job_revisions (
	job_id    INTEGER NOT NULL,
	number    INTEGER NOT NULL,
	saved_at  INTEGER NOT NULL,
	recoded   INTEGER NOT NULL CHECK (recoded = 0 OR recoded = 1),
	deleted   INTEGER NOT NULL CHECK (deleted = 0 OR deleted = 1),
	code      INTEGER NOT NULL,
	digest    TEXT    NOT NULL,
	by_kind   TEXT    NOT NULL,
	by_name   TEXT    NOT NULL,
	operation TEXT    NOT NULL,
	note      TEXT    NOT NULL,
	changed   TEXT    NOT NULL,
	document  TEXT    NOT NULL,
	PRIMARY KEY (job_id, number)
) STRICT;
CREATE INDEX job_revisions_code ON job_revisions (job_id, number) WHERE recoded > 0;
CREATE INDEX job_revisions_deleted ON job_revisions (saved_at) WHERE deleted > 0;

-- Sources of scripts, compressed, each once however many revisions in a row have it.
CREATE TABLE job_codes (
	job_id INTEGER NOT NULL,
	number INTEGER NOT NULL,
	source BLOB    NOT NULL,
	PRIMARY KEY (job_id, number)
) STRICT;

-- What runs of the cause trial try. handler is empty when it is the job's own. A row
-- lives as long as its run.
CREATE TABLE trials (
	run_id     INTEGER PRIMARY KEY,
	job_id     INTEGER NOT NULL,
	made_at    INTEGER NOT NULL,
	timeout_ms INTEGER NOT NULL,
	owner      TEXT    NOT NULL,
	by_kind    TEXT    NOT NULL,
	by_name    TEXT    NOT NULL,
	handler    TEXT    NOT NULL
) STRICT;
CREATE INDEX trials_made ON trials (made_at);

-- The jobs that were deleted, by the key that they had.
CREATE INDEX jobs_buried_key ON jobs (namespace, job_key, tombstone) WHERE tombstone > 0;
