-- +goose Up

-- Sessions of browsers. hash is the SHA-256 in hex of a secret that only the browser
-- has; epoch that of the user when it began.
CREATE TABLE sessions (
	id         INTEGER PRIMARY KEY,
	user_id    INTEGER NOT NULL,
	hash       TEXT    NOT NULL UNIQUE,
	way        TEXT    NOT NULL,
	epoch      INTEGER NOT NULL,
	address    TEXT    NOT NULL,
	agent      TEXT    NOT NULL,
	created_at INTEGER NOT NULL,
	seen_at    INTEGER NOT NULL,
	ends_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_user ON sessions (user_id, id);
CREATE INDEX sessions_end ON sessions (ends_at);
CREATE INDEX sessions_seen ON sessions (seen_at);

-- Where accounts have signed in from: what others do cannot slow these down.
CREATE TABLE sign_in_places (
	account TEXT    NOT NULL,
	network TEXT    NOT NULL,
	seen_at INTEGER NOT NULL,
	PRIMARY KEY (account, network)
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_places_account ON sign_in_places (account, seen_at);
CREATE INDEX sign_in_places_seen ON sign_in_places (seen_at);

INSERT INTO sequences (name, next) VALUES ('sessions', 1);
