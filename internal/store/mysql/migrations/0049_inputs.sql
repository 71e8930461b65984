-- The values that the runs of a job may be given.
ALTER TABLE jobs ADD COLUMN inputs LONGTEXT NOT NULL DEFAULT ('[]');
