-- +goose Up

-- delivery and addresses are JSON texts; an empty one means none. template is the
-- id of the job whose handler this one runs.
ALTER TABLE jobs ADD COLUMN delivery TEXT NOT NULL DEFAULT '{}';
ALTER TABLE jobs ADD COLUMN template INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN template_version INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN addresses TEXT NOT NULL DEFAULT '';
