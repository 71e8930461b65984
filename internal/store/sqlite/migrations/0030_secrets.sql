-- +goose Up

-- 'secret_book' is the version of all values together; 'secrets' gives the ids.
INSERT INTO sequences (name, next) VALUES ('secret_book', 1), ('secrets', 1);

CREATE TABLE secrets (
	id          INTEGER PRIMARY KEY,
	namespace   TEXT    NOT NULL,
	secret_key  TEXT    NOT NULL,
	title       TEXT    NOT NULL,
	-- The keys of the groups whose jobs may refer to it, as JSON; [] for all.
	groups      TEXT    NOT NULL,
	version     INTEGER NOT NULL,
	-- The value, sealed with a key that is kept elsewhere; how many bytes it has, and
	-- how many texts are looked for in logs because of it.
	sealed      TEXT    NOT NULL,
	size        INTEGER NOT NULL,
	marks       INTEGER NOT NULL,
	created_by  TEXT    NOT NULL,
	updated_by  TEXT    NOT NULL,
	created_at  INTEGER NOT NULL,
	updated_at  INTEGER NOT NULL,
	replaced_at INTEGER NOT NULL,
	-- When the value last went out; no part of the version.
	used_at     INTEGER NOT NULL DEFAULT 0,
	UNIQUE (namespace, secret_key)
) STRICT;

-- Values that were good, to be hidden in logs for a while.
CREATE TABLE secret_pasts (
	id         INTEGER PRIMARY KEY,
	namespace  TEXT    NOT NULL,
	secret_key TEXT    NOT NULL,
	sealed     TEXT    NOT NULL,
	size       INTEGER NOT NULL,
	marks      INTEGER NOT NULL,
	until_at   INTEGER NOT NULL -- when it was good for the last time
) STRICT;
CREATE INDEX secret_pasts_until ON secret_pasts (until_at, id);
