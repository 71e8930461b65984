package signing

import (
	"context"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/job"
)

// Tokens are the few tokens that an executor takes, by their ids. It is a [Keys]
// that never changes.
type Tokens map[string]string

// NewTokens returns these tokens, without those that are empty. When all are, the
// empty one is taken: requests are then signed by anyone.
func NewTokens(tokens ...string) Tokens {
	t := make(Tokens)
	for _, token := range tokens {
		if token != "" {
			t[credential.KeyID(token)] = token
		}
	}
	if len(t) == 0 {
		t[credential.KeyID("")] = ""
	}
	return t
}

// Key implements Keys. The caller is empty: servers are all alike.
func (t Tokens) Key(_ context.Context, id string) (string, job.Caller, error) {
	token, ok := t[id]
	if !ok {
		return "", job.Caller{}, job.Errorf(job.Unauthorized, "the token %s is not known here: give both sides the same one", id)
	}
	return token, job.Caller{}, nil
}

// Confirm implements Keys.
func (t Tokens) Confirm(_ context.Context, caller job.Caller) (job.Caller, error) { return caller, nil }
