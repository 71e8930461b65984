-- +goose Up

-- The token itself, sealed with a key that is not in the database, for protocols
-- in which servers show it to executors; empty for one from before. It opens for
-- its group and its hash only.
ALTER TABLE group_tokens ADD COLUMN sealed TEXT NOT NULL DEFAULT '';
