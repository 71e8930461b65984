-- +goose Up

-- What people write down of a job: what it is for, and what to do when it fails.
ALTER TABLE jobs ADD COLUMN description TEXT NOT NULL DEFAULT '';
