-- +goose Up

-- What tells processes at one address apart. instance is that of the executor's data
-- folder; former and rival are incarnations: the one before, and one that registers the
-- address as well and is refused, since rival_at last.
ALTER TABLE executors
	ADD COLUMN instance text COLLATE "C" NOT NULL DEFAULT '',
	ADD COLUMN former   text COLLATE "C" NOT NULL DEFAULT '',
	ADD COLUMN rival    text COLLATE "C" NOT NULL DEFAULT '',
	ADD COLUMN rival_at bigint NOT NULL DEFAULT 0;
