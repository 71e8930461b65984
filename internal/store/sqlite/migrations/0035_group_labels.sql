-- +goose Up

-- What people note about a group, and how often it was changed by them.
ALTER TABLE executor_groups ADD COLUMN labels TEXT NOT NULL DEFAULT '{}';
ALTER TABLE executor_groups ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
