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
	// freshFor is how long what was read is used without a look at the rows, and
	// goodFor how long while somebody else looks, or the look fails.
	freshFor = time.Second
	goodFor  = 2 * time.Second
	// readFor ends a look at the rows.
	readFor = 2 * time.Second
	// afterFailure is the time after a failed look in which nobody else looks.
	afterFailure = 500 * time.Millisecond
	// touchEvery is the least time between two writes of when a user was seen, or a
	// token used.
	touchEvery = time.Minute
	// maxTouches is how many such writes wait at most; what does not fit is tried with
	// a later call.
	maxTouches = 256
)

// Config says what Users works with.
type Config struct {
	Store Store
	Book  Book
	// Caller returns who calls. Required.
	Caller func(context.Context) access.Principal
	// Changed is told the name of a user whose password was set to another one. Defaults
	// to nil.
	Changed func(name string)
	// Logger gets what nobody who calls can be told. Defaults to discarding it.
	Logger *slog.Logger
}

// Users tells who calls, and keeps users, tokens and grants.
type Users struct {
	config   Config
	hasher   *hasher
	book     atomic.Pointer[book] // nil until it was read; written under reading
	reading  sync.Mutex           // held while the rows are read
	failedAt time.Time            // guarded by reading
	touches  chan touch
}

type touch struct {
	user, token int64
	at          time.Time
}

// NewUsers returns the room; Run keeps its memory fresh and writes who was seen.
func NewUsers(c Config) *Users {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Changed == nil {
		c.Changed = func(string) {}
	}
	return &Users{config: c, hasher: newHasher(), touches: make(chan touch, maxTouches)}
}

// Caller returns who shows an API token. A text that is none costs no look at the
// rows. Kinds: Unauthorized for a token that is nobody's, or is good no more, always
// with the same words; Unavailable.
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
	u.used(&e.usedAt, e.of.user.ID, e.token.ID, now)
	return e.principal, nil
}

// Principal returns a user as one who calls, for a session of its own, and its epoch:
// a session of an older one is over. Credential is left to the session. Kinds:
// Unauthorized for who is gone or disabled, Unavailable.
func (u *Users) Principal(ctx context.Context, id int64) (p access.Principal, epoch int64, err error) {
	e, err := u.standing(ctx, id)
	if err != nil {
		return access.Principal{}, 0, err
	}
	u.used(&e.seenAt, id, 0, time.Now())
	return e.principal, e.user.Epoch, nil
}

// Epoch returns the epoch of a user for somebody else who asks: the user is not seen by
// it. Kinds: as [Users.Principal].
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

// used has it written that somebody was seen, unless that was written lately.
func (u *Users) used(last *atomic.Int64, user, token int64, now time.Time) {
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

// Run looks at the rows, and writes who was seen, until ctx ends.
func (u *Users) Run(ctx context.Context) error {
	looks := time.NewTicker(freshFor)
	defer looks.Stop()
	_, _ = u.fresh(ctx) // whoever asks is told why not
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
