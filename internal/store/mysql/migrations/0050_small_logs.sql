-- All lines of a small log that came with the outcome of its attempt. NULL for logs
-- whose lines are in chunks.
ALTER TABLE run_logs ADD COLUMN whole_text LONGTEXT;
