-- +goose Up

-- The index runs_bad was over columns that every run changes several times on its way,
-- and PostgreSQL writes a changed row into all indexes anew when one of them is over
-- what has changed. bad_state is the state of a run that did not succeed and nothing
-- before and otherwise, so that the updates of most runs stay on their page.
DROP INDEX runs_bad;
ALTER TABLE runs ADD COLUMN bad_state text COLLATE "C"
	GENERATED ALWAYS AS (CASE WHEN ended_at > 0 AND state <> 'succeeded' THEN state END) STORED;
CREATE INDEX runs_bad ON runs (bad_state, id) WHERE bad_state > '';
-- Pages have room for the next states of their rows. Those that are there stay as full as
-- they are.
ALTER TABLE runs SET (fillfactor = 60);
