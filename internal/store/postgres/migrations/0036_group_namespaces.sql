-- +goose Up

-- A group is in a namespace, and its key is its own on the whole server: executors
-- register by it alone.
CREATE UNIQUE INDEX executor_groups_key ON executor_groups (group_key);

DROP INDEX executor_groups_rewrites;
CREATE INDEX executor_groups_rewrites ON executor_groups (group_key) WHERE rewrites <> '[]';
