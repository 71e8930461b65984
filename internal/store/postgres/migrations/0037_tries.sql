-- +goose Up

-- When the tries to sign in that failed will have been worked off. meter stands for an
-- account, a network or both, and tells nobody which: there are 196,608 of them.
CREATE TABLE sign_in_tries (
	meter   bigint PRIMARY KEY,
	done_at bigint NOT NULL
);
CREATE INDEX sign_in_tries_done ON sign_in_tries (done_at);

-- What a sorted list of such runs looks at is in the index, so that each of them is not
-- looked up among millions. Few runs write into it.
DROP INDEX runs_bad;
CREATE INDEX runs_bad ON runs (state, id, job_id, group_id, planned_at, created_at, started_at, ended_at, tries, shard_total)
	WHERE state <> 'succeeded' AND ended_at > 0;
