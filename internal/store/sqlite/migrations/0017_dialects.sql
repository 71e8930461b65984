-- +goose Up

-- How the executor is spoken to, and how that is known: 'probed', 'seen' or 'set'.
-- Both are empty while nothing is known. A row with one that was set stays when the
-- lease ends. token_id is the token that it showed last:
-- one of group_tokens, 0 for the server's own, or -1 for one that is admitted for a time.
ALTER TABLE executors ADD COLUMN dialect TEXT NOT NULL DEFAULT '';
ALTER TABLE executors ADD COLUMN dialect_by TEXT NOT NULL DEFAULT '';
ALTER TABLE executors ADD COLUMN token_id INTEGER NOT NULL DEFAULT 0;
