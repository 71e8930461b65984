-- +goose Up

-- 'alarm_book' is the version of all rules, channels and silences together;
-- 'alarm_definitions' gives the ids of all three.
INSERT INTO sequences (name, next) VALUES ('alarm_book', 1), ('alarm_definitions', 1);

-- definition is the whole as JSON; the columns beside it win.
CREATE TABLE alarm_channels (
	id         INTEGER PRIMARY KEY,
	namespace  TEXT    NOT NULL,
	chan_key   TEXT    NOT NULL,
	definition TEXT    NOT NULL,
	-- 1 for the one that carries the mails to the addresses that jobs name.
	is_default INTEGER NOT NULL CHECK (is_default = 0 OR is_default = 1),
	-- The secrets as JSON, sealed with a key that is kept elsewhere; '' for none.
	secrets    TEXT    NOT NULL,
	version    INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	-- How it went; no part of the version.
	ok_at      INTEGER NOT NULL DEFAULT 0,
	failed_at  INTEGER NOT NULL DEFAULT 0,
	failure    TEXT    NOT NULL DEFAULT '',
	failures   INTEGER NOT NULL DEFAULT 0,
	UNIQUE (namespace, chan_key)
) STRICT;

CREATE UNIQUE INDEX alarm_channels_default ON alarm_channels (namespace) WHERE is_default > 0;

CREATE TABLE alarm_rules (
	id         INTEGER PRIMARY KEY,
	namespace  TEXT    NOT NULL,
	rule_key   TEXT    NOT NULL,
	definition TEXT    NOT NULL,
	version    INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	UNIQUE (namespace, rule_key)
) STRICT;

-- The channels that a rule names, in its steps too.
CREATE TABLE alarm_rule_channels (
	channel_id INTEGER NOT NULL REFERENCES alarm_channels (id),
	rule_id    INTEGER NOT NULL REFERENCES alarm_rules (id),
	PRIMARY KEY (channel_id, rule_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX alarm_rule_channels_rule ON alarm_rule_channels (rule_id);

CREATE TABLE alarm_silences (
	id         INTEGER PRIMARY KEY,
	namespace  TEXT    NOT NULL,
	definition TEXT    NOT NULL,
	ends_at    INTEGER NOT NULL, -- 0 for never
	created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX alarm_silences_namespace ON alarm_silences (namespace, id);
