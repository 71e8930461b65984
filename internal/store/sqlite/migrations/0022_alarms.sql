-- +goose Up

-- The right to do something that one server at a time does. fence counts its
-- holders: what one of them writes names it, and nothing of an earlier one passes.
CREATE TABLE leases (
	name   TEXT    PRIMARY KEY,
	holder TEXT    NOT NULL,
	until  INTEGER NOT NULL,
	fence  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The one row says how far events were dealt with, the last id that was given in the
-- tables below, and the definitions that the alarms were last looked at with. tag
-- tells the messages of this database from those of others.
CREATE TABLE alarm_cursor (
	id          INTEGER PRIMARY KEY CHECK (id = 1),
	event_id    INTEGER NOT NULL,
	last_id     INTEGER NOT NULL,
	definitions INTEGER NOT NULL,
	tag         TEXT    NOT NULL
) STRICT;
INSERT INTO alarm_cursor VALUES (1, 0, 0, 0, LOWER(HEX(RANDOMBLOB(4))));

-- subject is the job, or the group as a negative number. firing_on is the subject and
-- look_at when the alarm is looked at by itself, both exactly while it fires.
-- bunch_key is what its messages share, told whether it counts there.
CREATE TABLE alarms (
	id          INTEGER PRIMARY KEY,
	namespace   TEXT    NOT NULL,
	rule_id     INTEGER NOT NULL,
	rule_key    TEXT    NOT NULL,
	kind        TEXT    NOT NULL,
	severity    TEXT    NOT NULL,
	group_id    INTEGER NOT NULL,
	group_key   TEXT    NOT NULL,
	job_id      INTEGER NOT NULL,
	job_key     TEXT    NOT NULL,
	labels      TEXT    NOT NULL,
	recipients  TEXT    NOT NULL,
	state       TEXT    NOT NULL,
	reason      TEXT    NOT NULL,
	first_at    INTEGER NOT NULL,
	last_at     INTEGER NOT NULL,
	ended_at    INTEGER,
	events      INTEGER NOT NULL,
	run_id      INTEGER NOT NULL,
	noted_at    INTEGER,
	noted_by    TEXT    NOT NULL,
	silenced_by INTEGER NOT NULL,
	bunch_key   TEXT    NOT NULL,
	told        INTEGER NOT NULL,
	held        INTEGER NOT NULL,
	firing_on   INTEGER,
	look_at     INTEGER,
	CHECK ((state = 'firing') = (firing_on IS NOT NULL)),
	CHECK ((state = 'firing') = (look_at IS NOT NULL)),
	CHECK ((state = 'resolved') = (ended_at IS NOT NULL))
) STRICT;

CREATE UNIQUE INDEX alarms_firing ON alarms (firing_on, rule_id, kind);
CREATE INDEX alarms_look ON alarms (look_at);
CREATE INDEX alarms_ended ON alarms (ended_at);
CREATE INDEX alarms_state ON alarms (state, id);
CREATE INDEX alarms_job ON alarms (job_id, id);
CREATE INDEX alarms_bunch ON alarms (bunch_key, look_at);

-- An event of an alarm.
CREATE TABLE alarm_entries (
	event_id INTEGER NOT NULL,
	alarm_id INTEGER NOT NULL,
	at       INTEGER NOT NULL,
	run_id   INTEGER NOT NULL,
	job_key  TEXT    NOT NULL,
	state    TEXT    NOT NULL,
	reason   TEXT    NOT NULL,
	PRIMARY KEY (event_id, alarm_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX alarm_entries_alarm ON alarm_entries (alarm_id, event_id);

-- What a rule remembers of a subject between events. look_at is set while something
-- is to be told without another event.
CREATE TABLE alarm_states (
	subject INTEGER NOT NULL,
	rule_id INTEGER NOT NULL,
	kind    TEXT    NOT NULL,
	look_at INTEGER,
	seen_at INTEGER NOT NULL,
	body    TEXT    NOT NULL,
	PRIMARY KEY (subject, rule_id, kind)
) STRICT, WITHOUT ROWID;

CREATE INDEX alarm_states_look ON alarm_states (look_at);
CREATE INDEX alarm_states_seen ON alarm_states (seen_at);

-- Alarms that share the messages of a channel. look_at is when the next message is
-- due, or the row has no use any more.
CREATE TABLE alarm_bunches (
	id         INTEGER PRIMARY KEY,
	bunch_key  TEXT    NOT NULL,
	channel_id INTEGER NOT NULL,
	look_at    INTEGER,
	body       TEXT    NOT NULL
) STRICT;

CREATE UNIQUE INDEX alarm_bunches_key ON alarm_bunches (bunch_key, channel_id);
CREATE INDEX alarm_bunches_look ON alarm_bunches (look_at);

-- A message. open_on is its channel and look_at when somebody may take it, both
-- exactly while it is pending; line is what is told in order. message_key keeps the
-- same message from being written twice. fence counts the claims.
CREATE TABLE alarm_notifications (
	id          INTEGER PRIMARY KEY,
	message_key TEXT    NOT NULL UNIQUE,
	namespace   TEXT    NOT NULL,
	rule_id     INTEGER NOT NULL,
	rule_key    TEXT    NOT NULL,
	channel_id  INTEGER NOT NULL,
	channel_key TEXT    NOT NULL,
	recipients  TEXT    NOT NULL,
	bunch_key   TEXT    NOT NULL,
	status      TEXT    NOT NULL,
	state       TEXT    NOT NULL,
	alarms      INTEGER NOT NULL,
	events      INTEGER NOT NULL,
	tries       INTEGER NOT NULL,
	title       TEXT    NOT NULL,
	error       TEXT    NOT NULL,
	due_at      INTEGER NOT NULL,
	created_at  INTEGER NOT NULL,
	ended_at    INTEGER,
	line        TEXT    NOT NULL,
	dedup       TEXT    NOT NULL,
	fence       INTEGER NOT NULL,
	body        TEXT    NOT NULL,
	open_on     INTEGER,
	look_at     INTEGER,
	CHECK ((status = 'pending') = (look_at IS NOT NULL)),
	CHECK ((status = 'pending') = (open_on IS NOT NULL)),
	CHECK ((status = 'pending') = (ended_at IS NULL))
) STRICT;

CREATE INDEX alarm_notifications_look ON alarm_notifications (look_at);
CREATE INDEX alarm_notifications_open ON alarm_notifications (open_on, line, id);
CREATE INDEX alarm_notifications_channel ON alarm_notifications (channel_id, ended_at);
CREATE INDEX alarm_notifications_ended ON alarm_notifications (ended_at);
CREATE INDEX alarm_notifications_status ON alarm_notifications (status, id);
