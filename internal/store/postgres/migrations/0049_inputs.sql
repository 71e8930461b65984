-- +goose Up

-- The values that the runs of a job may be given.
ALTER TABLE jobs ADD COLUMN inputs text COLLATE "C" NOT NULL DEFAULT '[]';
