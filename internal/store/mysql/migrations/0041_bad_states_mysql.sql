-- The index runs_bad was over the state, which every run changes three times on its way:
-- each time an entry was marked as deleted, another one made, and the first one removed
-- later. bad_state is the state of a run that did not succeed and nothing before and
-- otherwise, as on PostgreSQL. The column needs the table written anew once.
ALTER TABLE runs
	ADD COLUMN bad_state VARCHAR(255) AS (CASE WHEN ended_at > 0 AND state <> 'succeeded' THEN state END) STORED,
	DROP INDEX runs_bad,
	ADD INDEX runs_bad (bad_state, id);
