-- +goose Up

-- Which history of the database its numbers belong to, as the database itself names it: a
-- standby that was promoted, and a server into which a copy was put, name another one.
-- Empty while nobody has looked.
CREATE TABLE database_origin (
	id   INTEGER PRIMARY KEY,
	name TEXT    NOT NULL
) STRICT;
INSERT INTO database_origin (id, name) VALUES (1, '');

-- The node of a workflow that a run is of.
CREATE INDEX workflow_nodes_run ON workflow_nodes (run_id);
