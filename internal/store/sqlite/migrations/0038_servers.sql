-- +goose Up

-- The servers of the database, each by its name: who they are, until when they are
-- thought alive, and what they last said of themselves. Instants are by the database's
-- clock but for started_at.
CREATE TABLE servers (
	name           TEXT    NOT NULL PRIMARY KEY,
	life           TEXT    NOT NULL,
	address        TEXT    NOT NULL,
	version        TEXT    NOT NULL,
	started_at     INTEGER NOT NULL,
	beat_at        INTEGER NOT NULL,
	lease_until    INTEGER NOT NULL,
	stopped_at     INTEGER NOT NULL DEFAULT 0,
	draining       INTEGER NOT NULL DEFAULT 0,
	watching_until INTEGER NOT NULL DEFAULT 0,
	figures        TEXT    NOT NULL
);

-- Who does what one server does for all. term grows with each holder.
CREATE TABLE leads (
	name        TEXT    NOT NULL PRIMARY KEY,
	holder      TEXT    NOT NULL,
	lease_until INTEGER NOT NULL,
	term        INTEGER NOT NULL
);

-- What servers have changed, as long as somebody watches: one row for a transaction, in
-- the order of commits, without gaps.
CREATE TABLE changes (
	id         INTEGER PRIMARY KEY,
	changed_at INTEGER NOT NULL,
	changes    TEXT    NOT NULL
);

-- What the steps of this schema were like when they were made.
CREATE TABLE schema_steps (
	number   INTEGER PRIMARY KEY,
	name     TEXT NOT NULL,
	checksum TEXT NOT NULL
);
