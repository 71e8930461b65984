-- The servers of the database, each by its name: who they are, until when they are
-- thought alive, and what they last said of themselves. Instants are by the database's
-- clock but for started_at.
CREATE TABLE servers (
	name           VARCHAR(255) NOT NULL,
	life           VARCHAR(255) NOT NULL,
	address        LONGTEXT     NOT NULL,
	version        LONGTEXT     NOT NULL,
	started_at     BIGINT       NOT NULL,
	beat_at        BIGINT       NOT NULL,
	lease_until    BIGINT       NOT NULL,
	stopped_at     BIGINT       NOT NULL DEFAULT 0,
	draining       BIGINT       NOT NULL DEFAULT 0,
	watching_until BIGINT       NOT NULL DEFAULT 0,
	figures        LONGTEXT     NOT NULL,
	PRIMARY KEY (name)
) {{table}};

-- Who does what one server does for all. term grows with each holder.
CREATE TABLE leads (
	name        VARCHAR(255) NOT NULL,
	holder      VARCHAR(255) NOT NULL,
	lease_until BIGINT       NOT NULL,
	term        BIGINT       NOT NULL,
	PRIMARY KEY (name)
) {{table}};

-- What servers have changed, as long as somebody watches: one row for a transaction, in
-- the order of commits, without gaps.
CREATE TABLE changes (
	id         BIGINT   NOT NULL,
	changed_at BIGINT   NOT NULL,
	changes    LONGTEXT NOT NULL,
	PRIMARY KEY (id)
) {{table}};

-- What the steps of this schema were like when they were made.
CREATE TABLE schema_steps (
	number   BIGINT   NOT NULL,
	name     LONGTEXT NOT NULL,
	checksum LONGTEXT NOT NULL,
	PRIMARY KEY (number)
) {{table}};
