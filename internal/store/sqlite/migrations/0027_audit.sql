-- +goose Up

-- The audit: who changed what. Lines are only added, in the transaction of the
-- change, and each has the digest of the one before. seq has no holes. was and became
-- are JSON texts, empty for none.
CREATE TABLE audit (
	seq        INTEGER PRIMARY KEY,
	at         INTEGER NOT NULL,
	actor_id   INTEGER NOT NULL,
	credential INTEGER NOT NULL,
	actor_kind TEXT    NOT NULL,
	actor      TEXT    NOT NULL,
	address    TEXT    NOT NULL,
	operation  TEXT    NOT NULL,
	right_used TEXT    NOT NULL,
	kind       TEXT    NOT NULL,
	namespace  TEXT    NOT NULL,
	group_key  TEXT    NOT NULL,
	object_key TEXT    NOT NULL,
	was        TEXT    NOT NULL,
	became     TEXT    NOT NULL,
	previous   TEXT    NOT NULL,
	digest     TEXT    NOT NULL
) STRICT;

CREATE INDEX audit_at ON audit (at, seq);
CREATE INDEX audit_actor ON audit (actor, seq);
CREATE INDEX audit_operation ON audit (operation, seq);
CREATE INDEX audit_namespace ON audit (namespace, seq);
CREATE INDEX audit_object ON audit (kind, object_key, seq);

-- The keys that make a repeated request harmless, with what was answered. number
-- counts those of a caller, so that there are so many and no more. line is that of the
-- audit, 0 for none; reply is empty until it is known.
CREATE TABLE once_keys (
	caller     TEXT    NOT NULL,
	once_key   TEXT    NOT NULL,
	number     INTEGER NOT NULL,
	request    TEXT    NOT NULL,
	operation  TEXT    NOT NULL,
	line       INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	reply      TEXT    NOT NULL,
	PRIMARY KEY (caller, once_key)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX once_keys_number ON once_keys (caller, number);
CREATE INDEX once_keys_created ON once_keys (created_at);
