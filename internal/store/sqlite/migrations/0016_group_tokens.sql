-- +goose Up

INSERT INTO sequences (name, next) VALUES ('group_tokens', 1), ('callers', 1);

-- The tokens with which executors of one group show who they are. hash is the
-- SHA-256 of the token in hex; the token itself is nowhere kept. The sequence
-- 'callers' is the version of all tokens and of own_token_only together.
CREATE TABLE group_tokens (
	id           INTEGER PRIMARY KEY,
	group_id     INTEGER NOT NULL REFERENCES executor_groups (id),
	label        TEXT    NOT NULL,
	hash         TEXT    NOT NULL UNIQUE,
	created_at   INTEGER NOT NULL,
	last_used_at INTEGER
) STRICT;

CREATE INDEX group_tokens_group ON group_tokens (group_id);

-- Whether the token of the whole server is not enough for the group.
ALTER TABLE executor_groups ADD COLUMN own_token_only INTEGER NOT NULL DEFAULT 0
	CHECK (own_token_only = 0 OR own_token_only = 1);
