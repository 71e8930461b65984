package users

import (
	"context"
	"crypto/rand"
	"fmt"
	"math/big"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

// The parts of a token: orth_KEYSECRET, both in base62 and of fixed lengths. The key is
// public: lists show it.
const (
	tokenPrefix = "orth_"
	keyLength   = 10
	// secretLength is enough for 256 bits.
	secretLength = 43
	tokenLength  = len(tokenPrefix) + keyLength + secretLength
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// tokenKey returns the key of a text with the form of a token. It is cheap for any text.
func tokenKey(text string) (key string, ok bool) {
	if len(text) != tokenLength || text[:len(tokenPrefix)] != tokenPrefix {
		return "", false
	}
	for i := len(tokenPrefix); i < len(text); i++ {
		if c := text[i]; (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return "", false
		}
	}
	return text[len(tokenPrefix) : len(tokenPrefix)+keyLength], true
}

// digestOf returns the digest of a token in the rows.
func digestOf(token string) string { return credential.Hash(redacted.New(token)) }

// newToken returns a token and its key. Its secret has 256 random bits.
func newToken() (token redacted.Text, key string) {
	key = letters(keyLength)
	return redacted.New(tokenPrefix + key + letters(secretLength)), key
}

// letters returns n random characters of base62.
func letters(n int) string {
	size := big.NewInt(int64(len(base62)))
	text := make([]byte, n)
	for i := range text {
		at, err := rand.Int(rand.Reader, size)
		if err != nil {
			panic(err) // never: the runtime ends the process instead
		}
		text[i] = base62[at.Int64()]
	}
	return string(text)
}

// AddToken creates a token of a user. Its secret is returned only here. A caller that uses
// a token cannot create one that may do more, or lasts longer, than its own. Kinds:
// Invalid, Forbidden, NotFound, Full, Unavailable.
func (u *Users) AddToken(ctx context.Context, user string, t access.APIToken) (access.APIToken, redacted.Text, error) {
	now := time.Now().UTC().Truncate(time.Millisecond)
	if err := t.Check(now); err != nil {
		return access.APIToken{}, redacted.Text{}, err
	}
	caller := u.config.Caller(ctx)
	if err := u.bound(ctx, &caller, &t); err != nil {
		return access.APIToken{}, redacted.Text{}, err
	}
	a, err := u.config.Store.Account(ctx, user)
	if err != nil {
		return access.APIToken{}, redacted.Text{}, fmt.Errorf("add a token to user %s: %w", user, err)
	}
	text, key := newToken()
	t.UserID, t.User, t.Key, t.CreatedAt, t.UsedAt = a.ID, a.Name, key, now, time.Time{}
	if t, err = u.config.Store.AddAPIToken(ctx, t, digestOf(text.Reveal())); err != nil {
		return access.APIToken{}, redacted.Text{}, fmt.Errorf("add a token to user %s: %w", user, err)
	}
	u.changed(ctx)
	return t, text, nil
}

// bound limits a new token to the rights and the lifetime of the caller's token.
func (u *Users) bound(ctx context.Context, caller *access.Principal, t *access.APIToken) error {
	if caller.Kind != access.Token && caller.Kind != access.Service {
		return nil
	}
	b, err := u.fresh(ctx)
	if err != nil {
		return err
	}
	own := b.byID[caller.Credential]
	if own == nil {
		return noToken()
	}
	return within(&own.token, t)
}

// within makes a token inherit the bounds of the caller's token, and refuses wider ones.
func within(own, t *access.APIToken) error {
	switch {
	case own.ExpiresAt.IsZero():
	case t.ExpiresAt.IsZero():
		t.ExpiresAt = own.ExpiresAt
	case t.ExpiresAt.After(own.ExpiresAt):
		return job.FieldErrorf("expires_at", "is later than %s, when the token ends that asks for it", own.ExpiresAt.Format(time.RFC3339))
	}
	if own.Limits == nil {
		return nil
	}
	if t.Limits == nil {
		t.Limits = own.Limits
		return nil
	}
	for _, l := range t.Limits {
		if !l.Within(own.Limits) {
			return job.FieldErrorf("limits", "%s is more than the token may do that asks for it", l)
		}
	}
	return nil
}

// RemoveToken revokes a token of a user. It is invalid on this server when RemoveToken
// returns, and on others within two seconds. Kinds: NotFound, Unavailable.
func (u *Users) RemoveToken(ctx context.Context, user string, id int64) error {
	a, err := u.config.Store.Account(ctx, user)
	if err == nil {
		err = u.config.Store.RemoveAPIToken(ctx, a.ID, id)
	}
	if err != nil {
		return fmt.Errorf("revoke token %d of user %s: %w", id, user, err)
	}
	u.changed(ctx)
	return nil
}

// Tokens returns the tokens of a user, in order of id. Kinds: NotFound, Unavailable.
func (u *Users) Tokens(ctx context.Context, user string) ([]access.APIToken, error) {
	a, err := u.config.Store.Account(ctx, user)
	if err != nil {
		return nil, fmt.Errorf("list the tokens of user %s: %w", user, err)
	}
	all, err := u.config.Store.APITokens(ctx, a.ID)
	if err != nil {
		return nil, fmt.Errorf("list the tokens of user %s: %w", user, err)
	}
	for i := range all {
		all[i].User = a.Name
	}
	return all, nil
}
