-- +goose Up

-- What of the logs of a job's runs is kept, as JSON.
ALTER TABLE jobs ADD COLUMN logs TEXT NOT NULL DEFAULT '{}';

-- The logs of attempts, one row each. lines and bytes are what is stored, line 1
-- to lines. ended_at is set from the end of the attempt on. look_at is set exactly
-- while something of the log of an attempt that has ended is still to be copied.
-- expires_at is set when the job says how long its text is kept.
CREATE TABLE run_logs (
	attempt_id   INTEGER PRIMARY KEY,
	run_id       INTEGER NOT NULL,
	job_id       INTEGER NOT NULL,
	group_id     INTEGER NOT NULL,
	address      TEXT    NOT NULL,
	triggered_at INTEGER NOT NULL,
	ended_at     INTEGER,
	look_at      INTEGER,
	expires_at   INTEGER,
	lines        INTEGER NOT NULL DEFAULT 0,
	bytes        INTEGER NOT NULL DEFAULT 0,
	state        TEXT    NOT NULL,
	note         TEXT    NOT NULL DEFAULT '',
	CHECK (look_at IS NULL OR (ended_at IS NOT NULL AND state = 'open'))
) STRICT;

CREATE INDEX run_logs_job ON run_logs (job_id, attempt_id);
CREATE INDEX run_logs_owed ON run_logs (look_at) WHERE look_at > 0;
CREATE INDEX run_logs_expires ON run_logs (expires_at) WHERE expires_at > 0;

-- Where the lines of logs are: lines lines from first_line on, size bytes at
-- position pos of a pack, raw bytes when they are unpacked.
CREATE TABLE log_chunks (
	attempt_id INTEGER NOT NULL,
	first_line INTEGER NOT NULL,
	lines      INTEGER NOT NULL,
	first_at   INTEGER NOT NULL,
	last_at    INTEGER NOT NULL,
	raw        INTEGER NOT NULL,
	pack_id    INTEGER NOT NULL,
	pos        INTEGER NOT NULL,
	size       INTEGER NOT NULL,
	PRIMARY KEY (attempt_id, first_line)
) STRICT, WITHOUT ROWID;

CREATE INDEX log_chunks_pack ON log_chunks (pack_id);

-- Blobs of chunks. live is how many of the bytes were chunks that are wanted when
-- that was last counted; check_at is set while it is to be counted again.
CREATE TABLE log_packs (
	id         INTEGER PRIMARY KEY,
	name       TEXT    NOT NULL,
	size       INTEGER NOT NULL,
	live       INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	check_at   INTEGER
) STRICT;

CREATE UNIQUE INDEX log_packs_name ON log_packs (name);
CREATE INDEX log_packs_check ON log_packs (check_at) WHERE check_at > 0;

-- How many bytes all packs have, in one row.
CREATE TABLE log_total (
	id    INTEGER PRIMARY KEY CHECK (id = 1),
	bytes INTEGER NOT NULL
) STRICT;

INSERT INTO log_total (id, bytes) VALUES (1, 0);

INSERT INTO sequences (name, next) VALUES ('log_packs', 1);
