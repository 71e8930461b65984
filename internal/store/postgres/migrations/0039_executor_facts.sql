-- +goose Up

-- What executors tell about themselves, one document of each: kind is its name, told_at
-- when the server took it. It goes with its executor.
CREATE TABLE executor_facts (
	group_id bigint           NOT NULL,
	address  text COLLATE "C" NOT NULL,
	kind     text COLLATE "C" NOT NULL,
	told_at  bigint           NOT NULL,
	facts    text COLLATE "C" NOT NULL,
	PRIMARY KEY (group_id, address),
	FOREIGN KEY (group_id, address) REFERENCES executors (group_id, address) ON DELETE CASCADE
);
