-- +goose Up

-- How often a pause was written, so that who changes it does so from what they have seen.
ALTER TABLE pauses ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
