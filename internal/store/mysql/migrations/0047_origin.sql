-- Which history of the database its numbers belong to, as the database itself names it: a
-- standby that was promoted, and a server into which a copy was put, name another one.
-- Empty while nobody has looked.
CREATE TABLE database_origin (
	id   BIGINT       NOT NULL,
	name VARCHAR(255) NOT NULL,
	PRIMARY KEY (id)
) {{table}};
INSERT INTO database_origin (id, name) VALUES (1, '');

-- The node of a workflow that a run is of.
ALTER TABLE workflow_nodes ADD KEY workflow_nodes_run (run_id);
