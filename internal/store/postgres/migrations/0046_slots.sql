-- +goose Up
-- breaks: servers of the version before name the columns of an index that is replaced

-- What makes two runs the same firing, cause_id and shard_index aside: a slot is one
-- firing, whether it is on time or made up for. The table is written once anew.
ALTER TABLE runs ADD COLUMN firing text COLLATE "C"
	GENERATED ALWAYS AS (CASE cause WHEN 'misfire' THEN 'schedule' ELSE cause END) STORED;

-- A slot that has got two runs keeps both: the one that was made up for moves by a millisecond.
UPDATE runs SET planned_at = planned_at + 1 WHERE cause = 'misfire' AND EXISTS (SELECT 1 FROM runs r
	WHERE r.job_id = runs.job_id AND r.planned_at = runs.planned_at AND r.cause = 'schedule');

DROP INDEX runs_firing;
CREATE UNIQUE INDEX runs_firing ON runs (job_id, planned_at, firing, cause_id, shard_index);
