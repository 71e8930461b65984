package sqlstore

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/users"
	"github.com/orthd/orth/job"
)

// sequenceAPITokens gives the ids of tokens.
const sequenceAPITokens = "api_tokens"

// maxAPITokens bounds the tokens of all users together.
const maxAPITokens = 20_000

const (
	tokenColumns = `t.id, t.user_id, t.token_key, t.label, t.limits, t.created_at, t.expires_at, t.used_at`

	// By api_tokens_user.
	countUserTokens = `SELECT COUNT(*) FROM api_tokens WHERE user_id = ?`
	// By a scan of at most maxAPITokens rows.
	countAPITokens = `SELECT COUNT(*) FROM api_tokens`
	// By api_tokens' unique token_key.
	findTokenKey = `SELECT id FROM api_tokens WHERE token_key = ?`
	// By users' primary key.
	findUserID = `SELECT name FROM users WHERE id = ?`
	// By api_tokens' primary key.
	insertAPIToken = `INSERT INTO api_tokens (id, user_id, token_key, digest, label, limits, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
	// By api_tokens' primary key.
	deleteAPIToken = `DELETE FROM api_tokens WHERE id = ? AND user_id = ?`
	// By api_tokens_user.
	deleteUserTokens = `DELETE FROM api_tokens WHERE user_id = ?`
	// By api_tokens' primary key.
	touchAPIToken = `UPDATE api_tokens SET used_at = ? WHERE id = ? AND used_at < ?`
	// By api_tokens_user, in its order.
	listAPITokens = `SELECT ` + tokenColumns + ` FROM api_tokens t WHERE t.user_id = ? ORDER BY t.id`
	// By a scan of at most maxAPITokens rows, when they have changed.
	everyAPIToken = `SELECT ` + tokenColumns + `, t.digest FROM api_tokens t`
)

// AddAPIToken writes a token and returns it with its id. Kinds: NotFound when there is
// no such user, Full when there are too many, Conflict when the key is taken.
func (s *Store) AddAPIToken(ctx context.Context, token access.APIToken, digest string) (access.APIToken, error) {
	limits, err := encodeLimits(token.Limits)
	if err != nil {
		return access.APIToken{}, err
	}
	err = s.writer.update(ctx, func(t *tx) error {
		if err := t.tokenFits(&token); err != nil {
			return err
		}
		id, err := t.reserve(sequenceAPITokens, 1)
		if err != nil {
			return err
		}
		token.ID = id
		t.names("api token", "", "", strconv.FormatInt(id, 10))
		if err := t.do(insertAPIToken, id, token.UserID, token.Key, digest, token.Label, limits,
			job.Millis(token.CreatedAt), job.Millis(token.ExpiresAt)); err != nil {
			return err
		}
		return t.touchIdentity()
	})
	if err != nil {
		return access.APIToken{}, err
	}
	return token, nil
}

// tokenFits reports why a token cannot be written.
func (t *tx) tokenFits(token *access.APIToken) error {
	var name string
	found, err := t.read(findUserID, []any{token.UserID}, []any{&name})
	if err == nil && !found {
		err = noUser(token.User)
	}
	if err != nil {
		return err
	}
	var of, all, id int64
	if _, err := t.read(countUserTokens, []any{token.UserID}, []any{&of}); err != nil {
		return err
	}
	if _, err := t.read(countAPITokens, nil, []any{&all}); err != nil {
		return err
	}
	if of >= access.MaxUserTokens || all >= maxAPITokens {
		full := job.Errorf(job.Full, "user %s has %d tokens, and all users %d: there is no room for another one", name, of, all)
		full.Hint = "revoke an unused one: the list shows when each was last used"
		return full
	}
	if found, err = t.read(findTokenKey, []any{token.Key}, []any{&id}); err == nil && found {
		err = job.Errorf(job.Conflict, "the key of the new token is taken: try again")
	}
	return err
}

// RemoveAPIToken removes a token of a user. Kinds: NotFound.
func (s *Store) RemoveAPIToken(ctx context.Context, user, id int64) error {
	return s.writer.update(ctx, func(t *tx) error {
		found, err := t.one(deleteAPIToken, id, user)
		if err != nil {
			return err
		}
		if !found {
			missing := job.Errorf(job.NotFound, "the user has no token %d", id)
			missing.Hint = "'orth token list' shows those there are"
			return missing
		}
		return t.touchIdentity()
	})
}

// APITokens returns the tokens of a user in order of id.
func (s *Store) APITokens(ctx context.Context, user int64) ([]access.APIToken, error) {
	return list(ctx, s.reader, apiTokenFields, listAPITokens, user)
}

// encodeLimits returns limits as JSON; none at all are empty, and an empty list, which
// lets nothing pass, is [].
func encodeLimits(limits []access.Grant) (string, error) {
	if limits == nil {
		return "", nil
	}
	return encode(limits)
}

// limitList receives what encodeLimits returns.
type limitList []access.Grant

// Scan implements sql.Scanner.
func (l *limitList) Scan(src any) error {
	var raw text
	if err := raw.Scan(src); err != nil {
		return err
	}
	*l = nil
	if raw == "" {
		return nil
	}
	limits := []access.Grant{}
	if err := json.Unmarshal([]byte(raw), &limits); err != nil {
		return fmt.Errorf("column holds no limits: %w", err)
	}
	if limits == nil { // null would let everything pass
		limits = []access.Grant{}
	}
	*l = limits
	return nil
}

func apiTokenFields(t *access.APIToken) []any {
	return []any{
		(*integer)(&t.ID), (*integer)(&t.UserID), (*text)(&t.Key), (*text)(&t.Label), (*limitList)(&t.Limits),
		(*instant)(&t.CreatedAt), (*instant)(&t.ExpiresAt), (*instant)(&t.UsedAt),
	}
}

func knownFields(k *users.Known) []any {
	return append(apiTokenFields(&k.APIToken), (*text)(&k.Digest))
}
