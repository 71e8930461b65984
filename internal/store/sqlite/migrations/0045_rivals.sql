-- +goose Up

-- What tells processes at one address apart. instance is that of the executor's data
-- folder; former and rival are incarnations: the one before, and one that registers the
-- address as well and is refused, since rival_at last.
ALTER TABLE executors ADD COLUMN instance TEXT NOT NULL DEFAULT '';
ALTER TABLE executors ADD COLUMN former TEXT NOT NULL DEFAULT '';
ALTER TABLE executors ADD COLUMN rival TEXT NOT NULL DEFAULT '';
ALTER TABLE executors ADD COLUMN rival_at INTEGER NOT NULL DEFAULT 0;
