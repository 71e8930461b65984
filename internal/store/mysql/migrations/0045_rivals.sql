-- What tells processes at one address apart. instance is that of the executor's data
-- folder; former and rival are incarnations: the one before, and one that registers the
-- address as well and is refused, since rival_at last.
ALTER TABLE executors
	ADD COLUMN instance LONGTEXT NOT NULL DEFAULT (''),
	ADD COLUMN former   LONGTEXT NOT NULL DEFAULT (''),
	ADD COLUMN rival    LONGTEXT NOT NULL DEFAULT (''),
	ADD COLUMN rival_at BIGINT   NOT NULL DEFAULT 0;
