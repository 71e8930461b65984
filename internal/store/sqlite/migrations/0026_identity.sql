-- +goose Up

-- 'identity' is the version of all users and tokens together.
INSERT INTO sequences (name, next) VALUES ('users', 1), ('api_tokens', 1), ('identity', 1);

-- password is a slow hash, '' for none. subject is what a provider of identities calls
-- the user, '' for none. grants and provided are JSON; administers says whether grants
-- make a person, who is not disabled, an administrator of the whole server.
CREATE TABLE users (
	id          INTEGER PRIMARY KEY,
	kind        TEXT    NOT NULL CHECK (kind = 'user' OR kind = 'service'),
	name        TEXT    NOT NULL UNIQUE,
	title       TEXT    NOT NULL,
	email       TEXT    NOT NULL,
	disabled    INTEGER NOT NULL CHECK (disabled = 0 OR disabled = 1),
	must_change INTEGER NOT NULL CHECK (must_change = 0 OR must_change = 1),
	password    TEXT    NOT NULL,
	subject     TEXT    NOT NULL,
	grants      TEXT    NOT NULL,
	provided    TEXT    NOT NULL,
	administers INTEGER NOT NULL CHECK (administers = 0 OR administers = 1),
	epoch       INTEGER NOT NULL,
	created_at  INTEGER NOT NULL,
	updated_at  INTEGER NOT NULL,
	seen_at     INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE UNIQUE INDEX users_subject ON users (subject) WHERE subject > '';
CREATE INDEX users_administers ON users (id) WHERE administers > 0;

-- The tokens that programs show. token_key is the part that is no secret, digest the
-- SHA-256 of the whole in hex; limits is JSON, '' for none. expires_at is 0 for never.
CREATE TABLE api_tokens (
	id         INTEGER PRIMARY KEY,
	user_id    INTEGER NOT NULL REFERENCES users (id),
	token_key  TEXT    NOT NULL UNIQUE,
	digest     TEXT    NOT NULL,
	label      TEXT    NOT NULL,
	limits     TEXT    NOT NULL,
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL,
	used_at    INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX api_tokens_user ON api_tokens (user_id, id);
