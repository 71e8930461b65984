-- +goose Up

-- priority is the rank of the job's priority: 0 high, 1 normal, 2 low. expire_ms is
-- how long a run of the job waits for its first attempt; NULL is for ever.
ALTER TABLE jobs ADD COLUMN priority INTEGER NOT NULL DEFAULT 1;
ALTER TABLE jobs ADD COLUMN expire_ms INTEGER;

-- expires_at is due_at at first and expire_ms, of the job as it was then.
ALTER TABLE runs ADD COLUMN priority INTEGER NOT NULL DEFAULT 1;
ALTER TABLE runs ADD COLUMN expires_at INTEGER;

-- Both hold runs that wait only, and the second but few of them. Statements that
-- go by them say so in the same words. (With IS NOT NULL in place of > 0 SQLite
-- would compile every statement on runs anew for each value that is bound to it.)
DROP INDEX runs_ready;
CREATE INDEX runs_ready ON runs (group_id, priority, ready_at) WHERE ready_at > 0;
CREATE INDEX runs_expires ON runs (expires_at) WHERE expires_at > 0 AND ready_at > 0;
