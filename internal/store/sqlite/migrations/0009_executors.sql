-- +goose Up

-- registered_as is the address that the executor gave when another one is used.
-- manual says that a user entered the address: the row stays when the lease ends.
-- An executor that does not tell its incarnation has none. workload is a JSON text.
ALTER TABLE executors ADD COLUMN registered_as TEXT NOT NULL DEFAULT '';
ALTER TABLE executors ADD COLUMN manual INTEGER NOT NULL DEFAULT 0 CHECK (manual = 0 OR manual = 1);
ALTER TABLE executors ADD COLUMN incarnation TEXT NOT NULL DEFAULT '';
ALTER TABLE executors ADD COLUMN incarnation_at INTEGER;
ALTER TABLE executors ADD COLUMN started_at INTEGER;
ALTER TABLE executors ADD COLUMN workload TEXT NOT NULL DEFAULT '';

CREATE INDEX executors_manual ON executors (group_id) WHERE manual = 1;

-- rewrites is a JSON text: the rules of the group's addresses.
ALTER TABLE executor_groups ADD COLUMN rewrites TEXT NOT NULL DEFAULT '[]';

CREATE INDEX executor_groups_rewrites ON executor_groups (namespace, group_key) WHERE rewrites <> '[]';
