-- +goose Up

-- What people note about a group, and how often it was changed by them.
ALTER TABLE executor_groups ADD COLUMN labels TEXT NOT NULL DEFAULT '{}';
ALTER TABLE executor_groups ADD COLUMN version INTEGER NOT NULL DEFAULT 1;

-- Executors know the key of a group and not its namespace.
CREATE INDEX executor_groups_key ON executor_groups (group_key, namespace);
