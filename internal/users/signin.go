package users

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/tries"
	"github.com/orthd/orth/job"
)

// Passwords checks and changes the password of an account. An unknown account takes the
// same time and gives the same error. Kinds: Unauthorized for a wrong name or password, and
// others for faults of the server.
type Passwords interface {
	Check(ctx context.Context, name string, password redacted.Text) (access.User, error)
	ChangePassword(ctx context.Context, name string, old, fresh redacted.Text) (access.User, error)
}

// Signing checks passwords, and limits the rate of tries. It is safe for concurrent use.
type Signing struct {
	passwords Passwords
	store     SignInStore
	key       Digester
	logger    *slog.Logger
	limiter   *limiter
}

// NewSigning returns a Signing. Servers with different keys count separately. A nil logger
// discards.
func NewSigning(passwords Passwords, store SignInStore, key Digester, logger *slog.Logger) *Signing {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return &Signing{passwords: passwords, store: store, key: key, logger: logger, limiter: newLimiter()}
}

// TooOftenError is the error of a rate-limited try. It is of kind Full.
type TooOftenError struct {
	// Wait is the time until the next try, in whole seconds.
	Wait time.Duration
}

// Error returns how long to wait.
func (t *TooOftenError) Error() string { return t.Unwrap().Error() }

// RetryAfter returns how long to wait.
func (t *TooOftenError) RetryAfter() time.Duration { return t.Wait }

// Unwrap returns the error for users.
func (t *TooOftenError) Unwrap() error {
	full := job.Errorf(job.Full, "too many tries to sign in to this account, or from this place: try again in %s", t.Wait)
	full.Hint = "from where the account has signed in before, tries from elsewhere do not count"
	return full
}

// Password returns the user of a name and password. address is the origin of the try.
// Kinds: Unauthorized for a wrong name or password, without revealing which; Full, as a
// [TooOftenError], for a try that was not checked.
func (s *Signing) Password(ctx context.Context, name string, password redacted.Text, address string) (access.User, error) {
	return s.limitTries(ctx, name, address, func() (access.User, error) { return s.passwords.Check(ctx, name, password) })
}

// ChangePassword replaces the password of a user who knows the old one. Kinds as for
// Password, and Invalid for a weak new one.
func (s *Signing) ChangePassword(
	ctx context.Context, name string, old, fresh redacted.Text, address string,
) (access.User, error) {
	return s.limitTries(ctx, name, address, func() (access.User, error) { return s.passwords.ChangePassword(ctx, name, old, fresh) })
}

// limitTries runs do, unless there were too many tries. This server counts tries before they are
// checked. All servers together count only failed ones.
func (s *Signing) limitTries(ctx context.Context, name, address string, do func() (access.User, error)) (access.User, error) {
	now, account, place := time.Now(), name[:min(len(name), access.MaxUserName)], tries.Network(address)
	known, err := s.store.KnowsPlace(ctx, account, place, now.Add(-keepPlaces))
	if err != nil {
		return access.User{}, fmt.Errorf("read where an account has signed in from: %w", err)
	}
	meters := metersOf(s.key, account, place, known)
	done, err := s.store.TriesDone(ctx, meters)
	if err != nil {
		return access.User{}, fmt.Errorf("read how often it was tried to sign in: %w", err)
	}
	counted, wait := s.limiter.takeTry(account, place, known, now)
	if everywhere := tryPace().Wait(done.UnixNano(), now.UnixNano()); !done.IsZero() && everywhere > 0 {
		s.limiter.forgive(counted)
		wait = max(wait, everywhere)
	}
	if wait > 0 {
		return access.User{}, &TooOftenError{(wait + time.Second - 1).Truncate(time.Second)}
	}
	u, err := do()
	if !job.Is(err, job.Unauthorized) {
		s.limiter.forgive(counted)
		return u, err
	}
	s.logger.InfoContext(ctx, "a try to sign in was refused", "address", address, "place_known", known)
	// A caller that disconnects is counted too.
	if missed := s.store.CountTry(context.WithoutCancel(ctx), meters, now, tryEvery); missed != nil {
		s.logger.WarnContext(ctx, "a try to sign in that failed is counted by this server alone", "error", missed)
	}
	return u, err
}
