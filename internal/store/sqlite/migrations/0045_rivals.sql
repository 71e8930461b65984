-- +goose Up

-- What tells processes at one address apart. instance is that of the executor's data folder,
-- and instance_at since when that is at the address. others are the processes that had the
-- address, or would have it, with what their beats list, as JSON; crowded_until is the end of
-- the last one's right to be thought alive, and rival_at when one was refused last.
ALTER TABLE executors ADD COLUMN instance TEXT NOT NULL DEFAULT '';
ALTER TABLE executors ADD COLUMN instance_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE executors ADD COLUMN others TEXT NOT NULL DEFAULT '';
ALTER TABLE executors ADD COLUMN crowded_until INTEGER NOT NULL DEFAULT 0;
ALTER TABLE executors ADD COLUMN rival_at INTEGER NOT NULL DEFAULT 0;
