-- +goose Up

-- What happened that may be worth an alarm: body is the event as JSON. Ids are
-- given in the order of commits, so that who reads on from an id misses none.
CREATE TABLE alarm_events (
	id   INTEGER PRIMARY KEY,
	at   INTEGER NOT NULL,
	body TEXT    NOT NULL
) STRICT;

INSERT INTO sequences (name, next) VALUES ('alarm_events', 1);

-- What lasts and was told: source is that of its events, subject the id of a job
-- or of a group. body is the last event about it.
CREATE TABLE watched (
	source  TEXT    NOT NULL,
	subject INTEGER NOT NULL,
	told_at INTEGER NOT NULL,
	body    TEXT    NOT NULL,
	PRIMARY KEY (source, subject)
) STRICT, WITHOUT ROWID;

-- A JSON text: the addresses that get a mail when a run has failed.
ALTER TABLE jobs ADD COLUMN alarm_emails TEXT NOT NULL DEFAULT '[]';

CREATE INDEX jobs_group ON jobs (group_id) WHERE tombstone = 0;
