-- +goose Up

-- The servers of the database, each by its name: who they are, until when they are
-- thought alive, and what they last said of themselves. Instants are by the database's
-- clock but for started_at.
CREATE TABLE servers (
	name           text COLLATE "C" NOT NULL PRIMARY KEY,
	life           text COLLATE "C" NOT NULL,
	address        text COLLATE "C" NOT NULL,
	version        text COLLATE "C" NOT NULL,
	started_at     bigint           NOT NULL,
	beat_at        bigint           NOT NULL,
	lease_until    bigint           NOT NULL,
	stopped_at     bigint           NOT NULL DEFAULT 0,
	draining       bigint           NOT NULL DEFAULT 0,
	watching_until bigint           NOT NULL DEFAULT 0,
	figures        text COLLATE "C" NOT NULL
);

-- Who does what one server does for all. term grows with each holder.
CREATE TABLE leads (
	name        text COLLATE "C" NOT NULL PRIMARY KEY,
	holder      text COLLATE "C" NOT NULL,
	lease_until bigint           NOT NULL,
	term        bigint           NOT NULL
);

-- What servers have changed, as long as somebody watches: one row for a transaction, in
-- the order of commits, without gaps.
CREATE TABLE changes (
	id         bigint           PRIMARY KEY,
	changed_at bigint           NOT NULL,
	changes    text COLLATE "C" NOT NULL
);

-- What the steps of this schema were like when they were made.
CREATE TABLE schema_steps (
	number   bigint PRIMARY KEY,
	name     text COLLATE "C" NOT NULL,
	checksum text COLLATE "C" NOT NULL
);
