-- +goose Up

-- The runs for the executors of a group, in order of id. runs_ready is made anew
-- behind it: of two indexes that begin alike SQLite takes the younger one, and what
-- waits has to be found by runs_ready.
CREATE INDEX runs_group ON runs (group_id, id);
DROP INDEX runs_ready;
CREATE INDEX runs_ready ON runs (group_id, priority, ready_at) WHERE ready_at > 0;

-- Few runs end like this, so that a good one writes nothing into the index.
-- Statements that go by it, and by the next one, say so in the same words.
CREATE INDEX runs_bad ON runs (state, id) WHERE state <> 'succeeded' AND ended_at > 0;

-- What a schedule makes writes nothing into it.
CREATE INDEX runs_cause ON runs (cause, id) WHERE cause <> 'schedule';

-- The jobs of a namespace by group, in order of key.
CREATE INDEX jobs_place ON jobs (namespace, group_id, tombstone, job_key);

-- The runs whose shards are not over.
CREATE INDEX broadcasts_open ON broadcasts (run_id) WHERE open > 0;

-- The jobs of a group that were deleted.
CREATE INDEX jobs_buried ON jobs (group_id) WHERE tombstone > 0;
