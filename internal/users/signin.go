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

// Passwords checks and changes the password of an account, in the same time and with
// the same error for accounts that there are not. Kinds: Unauthorized for a wrong name
// or password, and others for what is no fault of who tries.
type Passwords interface {
	Check(ctx context.Context, name string, password redacted.Text) (access.User, error)
	ChangePassword(ctx context.Context, name string, old, fresh redacted.Text) (access.User, error)
}

// Signing tries passwords, not too often. It is safe for concurrent use.
type Signing struct {
	passwords Passwords
	store     SignInStore
	key       Digester
	logger    *slog.Logger
	limiter   *limiter
}

// NewSigning returns the room in which passwords are tried. Servers whose keys differ
// count by themselves. A nil logger discards.
func NewSigning(passwords Passwords, store SignInStore, key Digester, logger *slog.Logger) *Signing {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return &Signing{passwords: passwords, store: store, key: key, logger: logger, limiter: newLimiter()}
}

// TooOftenError is the error for a try that had to wait. It is of kind Full.
type TooOftenError struct {
	// Wait is how long, in whole seconds.
	Wait time.Duration
}

// Error says how long to wait.
func (t *TooOftenError) Error() string { return t.Unwrap().Error() }

// RetryAfter returns how long to wait.
func (t *TooOftenError) RetryAfter() time.Duration { return t.Wait }

// Unwrap returns the error as users see it.
func (t *TooOftenError) Unwrap() error {
	full := job.Errorf(job.Full, "too many tries to sign in to this account, or from this place: try again in %s", t.Wait)
	full.Hint = "from where the account has signed in before, tries from elsewhere do not count"
	return full
}

// Password returns the user that a name and password belong to. address is where the
// try comes from. Kinds: Unauthorized for a wrong name or password, which one is not
// told; Full, as a [TooOftenError], for a try that had no effect.
func (s *Signing) Password(ctx context.Context, name string, password redacted.Text, address string) (access.User, error) {
	return s.try(ctx, name, address, func() (access.User, error) { return s.passwords.Check(ctx, name, password) })
}

// ChangePassword gives a user who knows the old password a new one. Kinds as for
// Password, and Invalid for a poor new one.
func (s *Signing) ChangePassword(
	ctx context.Context, name string, old, fresh redacted.Text, address string,
) (access.User, error) {
	return s.try(ctx, name, address, func() (access.User, error) { return s.passwords.ChangePassword(ctx, name, old, fresh) })
}

// try carries out what tries a password, unless that was tried too often: here, where
// tries count before they are looked at, or on all servers, where only those count that
// have failed.
func (s *Signing) try(ctx context.Context, name, address string, do func() (access.User, error)) (access.User, error) {
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
	counted, wait := s.limiter.take(account, place, known, now)
	if everywhere := pace().Wait(done.UnixNano(), now.UnixNano()); !done.IsZero() && everywhere > 0 {
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
	// Whoever hangs up is counted too.
	if missed := s.store.CountTry(context.WithoutCancel(ctx), meters, now, tryEvery); missed != nil {
		s.logger.WarnContext(ctx, "a try to sign in that failed is counted by this server alone", "error", missed)
	}
	return u, err
}
