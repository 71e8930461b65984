-- +goose Up

-- labels and features are JSON texts.
ALTER TABLE jobs ADD COLUMN concurrency INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN labels TEXT NOT NULL DEFAULT '{}';
ALTER TABLE executors ADD COLUMN features TEXT NOT NULL DEFAULT '[]';

-- avoid is the address that the next attempt is better not sent to.
ALTER TABLE runs ADD COLUMN avoid TEXT NOT NULL DEFAULT '';
