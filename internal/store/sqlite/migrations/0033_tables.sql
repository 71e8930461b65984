-- +goose Up

-- When an executor first took the run, and the user who asked for it; empty when
-- nobody did.
ALTER TABLE runs ADD COLUMN started_at INTEGER;
ALTER TABLE runs ADD COLUMN asked_by TEXT NOT NULL DEFAULT '';

-- Few runs are asked for, so that the others write nothing into it.
CREATE INDEX runs_asked ON runs (asked_by, id) WHERE asked_by > '';
