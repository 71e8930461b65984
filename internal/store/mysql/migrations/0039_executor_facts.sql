-- What executors tell about themselves, one document of each: kind is its name, told_at
-- when the server took it. It goes with its executor.
CREATE TABLE executor_facts (
	group_id BIGINT       NOT NULL,
	address  VARCHAR(512) NOT NULL,
	kind     VARCHAR(255) NOT NULL,
	told_at  BIGINT       NOT NULL,
	facts    LONGTEXT     NOT NULL,
	PRIMARY KEY (group_id, address),
	FOREIGN KEY (group_id, address) REFERENCES executors (group_id, address) ON DELETE CASCADE
) {{table}};
