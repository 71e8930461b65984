package users

import (
	"context"

	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

const (
	// maxHashes bounds the hashes that are worked on at once, each with its memory.
	maxHashes = 2
	// maxWaiting bounds those who wait for that: who comes then is refused.
	maxWaiting = 64
)

// hasher hashes passwords, few at a time.
type hasher struct {
	strength strength
	working  chan struct{} // one element for each hash under way
	waiting  chan struct{} // one element for each caller
}

func newHasher() *hasher {
	return &hasher{strength: usual(), working: make(chan struct{}, maxHashes), waiting: make(chan struct{}, maxHashes+maxWaiting)}
}

// enter waits for a turn, which leave ends.
func (h *hasher) enter(ctx context.Context) error {
	select {
	case h.waiting <- struct{}{}:
	default:
		return &job.Error{
			Kind: job.Full, Message: "too many passwords are being checked at this moment",
			Hint: "try again in a few seconds",
		}
	}
	select {
	case h.working <- struct{}{}:
		return nil
	case <-ctx.Done():
		<-h.waiting
		return ctx.Err()
	}
}

func (h *hasher) leave() {
	<-h.working
	<-h.waiting
}

// hash returns the hash of a new password.
func (h *hasher) hash(ctx context.Context, password redacted.Text) (string, error) {
	if err := h.enter(ctx); err != nil {
		return "", err
	}
	defer h.leave()
	return makeHash(password.Reveal(), h.strength), nil
}

// check reports whether a password is the one of a stored hash, and returns a better
// hash of it when the stored one is not as they are made today.
func (h *hasher) check(ctx context.Context, stored string, password redacted.Text) (good bool, better string, err error) {
	if err := h.enter(ctx); err != nil {
		return false, "", err
	}
	defer h.leave()
	good, again := checkHash(stored, password.Reveal(), h.strength)
	if good && again {
		better = makeHash(password.Reveal(), h.strength)
	}
	return good, better, nil
}
