-- +goose Up

-- The parts of packs of logs are divided by ranges of their ids, so that old ones are
-- dropped whole. What is there becomes the first partition, whose rows are looked at and
-- not written anew. A server makes the partitions that follow; each has 4294967296 ids.
-- What has none of them goes into the rest, so that no insertion fails.
ALTER TABLE log_blob_parts RENAME TO log_blob_parts_0;
ALTER INDEX log_blob_parts_pkey RENAME TO log_blob_parts_0_pkey;
CREATE TABLE log_blob_parts (
	id   bigint PRIMARY KEY,
	data bytea  NOT NULL,
	CONSTRAINT log_blob_parts_data_check CHECK (LENGTH(data) BETWEEN 1 AND 65536)
) PARTITION BY RANGE (id);
ALTER TABLE log_blob_parts ATTACH PARTITION log_blob_parts_0 FOR VALUES FROM (MINVALUE) TO (4294967296);
CREATE TABLE log_blob_parts_rest PARTITION OF log_blob_parts DEFAULT;
