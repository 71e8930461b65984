-- breaks: servers of the version before name the columns of an index that is replaced

-- What makes two runs the same firing, cause_id and shard_index aside: a slot is one
-- firing, whether it is on time or made up for. The table is copied once.
ALTER TABLE runs ADD COLUMN firing VARCHAR(255) AS (CASE cause WHEN 'misfire' THEN 'schedule' ELSE cause END) STORED;

-- A slot that has got two runs keeps both: the one that was made up for moves by a millisecond.
UPDATE runs r JOIN runs s ON s.job_id = r.job_id AND s.planned_at = r.planned_at AND s.cause = 'schedule'
	SET r.planned_at = r.planned_at + 1 WHERE r.cause = 'misfire';

ALTER TABLE runs DROP KEY runs_firing, ADD UNIQUE KEY runs_firing (job_id, planned_at, firing, cause_id, shard_index);
