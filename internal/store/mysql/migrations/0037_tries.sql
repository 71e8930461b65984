-- When the tries to sign in that failed will have been worked off. meter stands for an
-- account, a network or both, and tells nobody which: there are 196,608 of them.
CREATE TABLE sign_in_tries (
	meter   BIGINT NOT NULL,
	done_at BIGINT NOT NULL,
	PRIMARY KEY (meter),
	KEY sign_in_tries_done (done_at)
) {{table}};

-- The index runs_bad has all runs here, since there are no indexes of some rows: it does
-- not get what sorted lists look at, which every run would have to write.
