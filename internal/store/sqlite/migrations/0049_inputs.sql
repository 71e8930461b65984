-- +goose Up

-- The values that the runs of a job may be given.
ALTER TABLE jobs ADD COLUMN inputs TEXT NOT NULL DEFAULT '[]';
