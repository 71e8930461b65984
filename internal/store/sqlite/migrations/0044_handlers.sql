-- +goose Up

-- The names that jobs may use for an executor's handlers, as a JSON list.
ALTER TABLE executors ADD COLUMN handlers TEXT NOT NULL DEFAULT '[]';
