package users

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/job"
)

const (
	// freshFor is how long a snapshot is used without a new read. goodFor is how long it is
	// used while another caller reads, or the read fails.
	freshFor = time.Second
	goodFor  = 2 * time.Second
	// readFor bounds a read.
	readFor = 2 * time.Second
	// afterFailure is the pause after a failed read.
	afterFailure = 500 * time.Millisecond
	// touchEvery is the minimum interval between two writes of when a user was seen, or a
	// token used.
	touchEvery = time.Minute
	// maxTouches bounds the pending writes of that kind. What does not fit is written by a
	// later call.
	maxTouches = 256
)

// Config configures Users.
type Config struct {
	Store Store
	Book  Book
	// Caller returns the calling principal. Required.
	Caller func(context.Context) access.Principal
	// Changed is called with the name of a user whose password was changed. Optional.
	Changed func(name string)
	// Logger receives errors that no caller gets. Defaults to discarding them.
	Logger *slog.Logger
}

// Users authenticates callers, and manages users, tokens and grants.
type Users struct {
	config   Config
	hasher   *hasher
	book     atomic.Pointer[book] // nil until the first read; written under reading
	reading  sync.Mutex           // held during a read
	failedAt time.Time            // guarded by reading
	touches  chan touch
}

type touch struct {
	user, token int64
	at          time.Time
}

// NewUsers returns a Users. Run keeps its memory fresh and writes when users were seen.
func NewUsers(c Config) *Users {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Changed == nil {
		c.Changed = func(string) {}
	}
	return &Users{config: c, hasher: newHasher(), touches: make(chan touch, maxTouches)}
}

// Caller returns the principal of an API token. A text without the form of a token causes
// no read. Kinds: Unauthorized for an unknown, expired or disabled token, always with the
// same text; Unavailable.
func (u *Users) Caller(ctx context.Context, token string) (access.Principal, error) {
	key, ok := tokenKey(token)
	if !ok {
		return access.Principal{}, noToken()
	}
	b, err := u.fresh(ctx)
	if err != nil {
		return access.Principal{}, err
	}
	e := b.tokens[key]
	if e == nil || !credential.SameHash(e.digest, digestOf(token)) {
		return access.Principal{}, noToken()
	}
	now := time.Now()
	if e.token.Expired(now) || e.of.user.Disabled {
		return access.Principal{}, noToken()
	}
	u.queueUse(&e.usedAt, e.of.user.ID, e.token.ID, now)
	return e.principal, nil
}

// Principal returns the principal and the epoch of a user, for the user's own session. A
// session of an older epoch has ended. The session sets Credential. Kinds: Unauthorized for
// a deleted or disabled user, Unavailable.
func (u *Users) Principal(ctx context.Context, id int64) (p access.Principal, epoch int64, err error) {
	e, err := u.standing(ctx, id)
	if err != nil {
		return access.Principal{}, 0, err
	}
	u.queueUse(&e.seenAt, id, 0, time.Now())
	return e.principal, e.user.Epoch, nil
}

// Epoch returns the epoch of a user for another caller. It does not count as seen. Kinds:
// as [Users.Principal].
func (u *Users) Epoch(ctx context.Context, id int64) (int64, error) {
	e, err := u.standing(ctx, id)
	if err != nil {
		return 0, err
	}
	return e.user.Epoch, nil
}

// standing returns a user who may call.
func (u *Users) standing(ctx context.Context, id int64) (*person, error) {
	b, err := u.fresh(ctx)
	if err != nil {
		return nil, err
	}
	e := b.users[id]
	if e == nil || e.user.Disabled {
		return nil, job.Errorf(job.Unauthorized, "the user of this session is there no more")
	}
	return e, nil
}

// queueUse queues the write of when a user was seen, unless it was written recently.
func (u *Users) queueUse(last *atomic.Int64, user, token int64, now time.Time) {
	was := last.Load()
	if now.UnixMilli()-was < touchEvery.Milliseconds() || !last.CompareAndSwap(was, now.UnixMilli()) {
		return
	}
	select {
	case u.touches <- touch{user, token, now}:
	default:
		last.CompareAndSwap(now.UnixMilli(), was)
	}
}

// Run refreshes the snapshot, and writes when users were seen, until ctx ends.
func (u *Users) Run(ctx context.Context) error {
	looks := time.NewTicker(freshFor)
	defer looks.Stop()
	_, _ = u.fresh(ctx) // callers get the error
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-looks.C:
			_, _ = u.fresh(ctx)
		case t := <-u.touches:
			if err := u.config.Book.TouchUser(ctx, t.user, t.token, t.at); err != nil && ctx.Err() == nil {
				u.config.Logger.Warn("it could not be written when a user was seen", "user", t.user, "error", err)
			}
		}
	}
}

func noToken() error {
	return &job.Error{
		Kind: job.Unauthorized, Message: "the token is nobody's, or is good no more",
		Hint: "'orth token create', or the console, makes another one; it may have expired, been revoked, or its user been disabled",
	}
}
