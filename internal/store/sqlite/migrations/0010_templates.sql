-- +goose Up

-- The jobs that run the code of another one.
CREATE INDEX jobs_template ON jobs (template) WHERE template > 0;
