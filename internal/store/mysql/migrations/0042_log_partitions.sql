-- The parts of packs of logs are divided by ranges of their ids, so that old ones are
-- dropped whole. A server makes the partitions that follow, out of the rest while that is
-- empty; each has 4294967296 ids. The table is copied once, and done again it is the same.
ALTER TABLE log_blob_parts PARTITION BY RANGE (id) (
	PARTITION p0 VALUES LESS THAN (4294967296),
	PARTITION rest VALUES LESS THAN MAXVALUE
);
