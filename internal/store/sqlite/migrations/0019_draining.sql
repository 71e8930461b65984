-- +goose Up

-- 1 while the executor says that it takes no more tasks.
ALTER TABLE executors ADD COLUMN draining INTEGER NOT NULL DEFAULT 0;
