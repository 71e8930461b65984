-- +goose Up

-- Packs of logs, for servers that keep them in the database. A blob is cut into
-- parts of 64 KiB (the last one is shorter) with ids in a row from first_part on; a
-- blob without data has none. sum is the CRC-32C of all of it.
CREATE TABLE log_blobs (
	name       TEXT    PRIMARY KEY,
	first_part INTEGER NOT NULL,
	size       INTEGER NOT NULL,
	sum        INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	CHECK (size >= 0)
) STRICT;

CREATE TABLE log_blob_parts (
	id   INTEGER PRIMARY KEY,
	data BLOB    NOT NULL,
	CHECK (LENGTH(data) BETWEEN 1 AND 65536)
) STRICT;

INSERT INTO sequences (name, next) VALUES ('log_blob_parts', 1);
