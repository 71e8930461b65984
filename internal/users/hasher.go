package users

import (
	"context"

	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

const (
	// maxHashes bounds the concurrent hashes, each of which has its own memory.
	maxHashes = 2
	// maxWaiting bounds the callers that wait for a hash. Further ones are refused.
	maxWaiting = 64
)

// hasher hashes passwords with bounded concurrency.
type hasher struct {
	strength strength
	working  chan struct{} // one element per running hash
	waiting  chan struct{} // one element per caller
}

func newHasher() *hasher {
	return &hasher{strength: usual(), working: make(chan struct{}, maxHashes), waiting: make(chan struct{}, maxHashes+maxWaiting)}
}

// enter waits for a free slot, which leave returns.
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

// hashPassword returns the hash of a new password.
func (h *hasher) hashPassword(ctx context.Context, password redacted.Text) (string, error) {
	if err := h.enter(ctx); err != nil {
		return "", err
	}
	defer h.leave()
	return makeHash(password.Reveal(), h.strength), nil
}

// check reports whether a password matches a stored hash. It also returns a better hash
// when the stored one is foreign or weaker than new ones.
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
