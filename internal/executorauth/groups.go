package executorauth

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/tries"
	"github.com/orthd/orth/job"
)

const (
	// freshFor is how long what was read is used without a look at the rows, and
	// goodFor how long when the rows cannot be read.
	freshFor = 2 * time.Second
	goodFor  = 5 * time.Second
	// readFor ends a look at the rows.
	readFor = 2 * time.Second
	// afterFailure is the time after a failed look in which nobody else looks.
	afterFailure = time.Second
	// touchEvery is the least time between two writes of when a token was used.
	touchEvery = time.Hour
	// maxTouches is how many such writes wait at most; what does not fit is tried
	// with a later call.
	maxTouches = 64
)

// Config says what Groups works with.
type Config struct {
	Store Store
	// Sealer closes tokens before they are written. Defaults to nil: only their
	// hashes are, and no server can show them to executors.
	Sealer *credential.Sealer
	// Key is the server's executor key: of each group a token is made of it. It is never
	// shown, nor taken. Defaults to none.
	Key redacted.Text
	// Shared is a token that executors of all groups show. Defaults to none.
	Shared redacted.Text
	// Admitted are well-known tokens that count as Shared does, and [NoToken];
	// [CheckAdmitted] says which. Defaults to none.
	Admitted []string
	// Guesses counts wrong tokens: after too many from one network, right ones that can be
	// guessed are not looked at. Defaults to a limiter of the pace [tries.Tokens].
	Guesses *tries.Limiter
	// Address returns where a call comes from. Defaults to nil: all come from one place.
	Address func(context.Context) string
	// Executors are those that are alive. Defaults to nil: none.
	Executors Executors
	// Logger gets what could not be written, and what must not stay as it is.
	// Defaults to discarding it.
	Logger *slog.Logger
}

// Groups tells callers by the tokens of groups, and keeps those.
type Groups struct {
	config   Config
	admitted []string // as they are shown; empty for none. Read-only.
	shared   string   // the key id of Config.Shared; empty for none
	weak     bool     // Config.Shared can be guessed
	ids      groupIDs
	wrong    wrong
	book     atomic.Pointer[book] // nil until it was read; written under reading
	reading  sync.Mutex           // held while the rows are read
	failedAt time.Time            // guarded by reading
	touches  chan touch
}

type touch struct {
	id int64
	at time.Time
}

// NewGroups returns the room; Run writes when tokens were used.
func NewGroups(c Config) *Groups {
	if c.Address == nil {
		c.Address = func(context.Context) string { return "" }
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	g := &Groups{config: c, admitted: shown(c.Admitted), touches: make(chan touch, maxTouches), wrong: newWrong(&c)}
	if !c.Shared.IsZero() {
		g.shared, g.weak = credential.KeyID(c.Shared.Reveal()), credential.Guessable(c.Shared)
	}
	return g
}

// Caller returns who shows a token of a group, or one that is shared or admitted; the
// empty one is shown by who shows none. A stranger costs no look at the rows. Kinds:
// Unauthorized for an unknown token, Unavailable, Full for one that can be
// guessed, after too many wrong ones.
func (g *Groups) Caller(ctx context.Context, token string) (job.Caller, error) {
	if id, taken := g.ofAll(token); taken {
		if err := g.wrong.mayShow(ctx, id == job.TokenShared && g.weak, id); err != nil {
			return job.Caller{}, err
		}
		return g.everyone(ctx, id)
	}
	if !credential.MayBeGroup(token) {
		return job.Caller{}, unknown()
	}
	if group, ok := credential.GroupOf(token); ok {
		if g.config.Key.IsZero() || !credential.OfGroup(g.config.Key, group).Equal(redacted.New(token)) {
			return job.Caller{}, unknown()
		}
		return g.Confirm(ctx, derived(group))
	}
	hash := credential.Hash(redacted.New(token))
	e, err := g.find(ctx, func(b *book) *entry { return b.tokens[hash] })
	if err != nil {
		return job.Caller{}, err
	}
	if !credential.SameHash(e.hash, hash) {
		return job.Caller{}, unknown()
	}
	if err := g.wrong.mayShow(ctx, e.weak && credential.Guessable(redacted.New(token)), e.id); err != nil {
		return job.Caller{}, err
	}
	g.used(e, time.Now())
	return e.caller, nil
}

// ofAll returns the id of a token that is good for all groups, and false when it is
// none.
func (g *Groups) ofAll(token string) (int64, bool) {
	if !g.config.Shared.IsZero() && g.config.Shared.Equal(redacted.New(token)) {
		return job.TokenShared, true
	}
	return g.admits(token)
}

// everyone returns who shows a token that is good for all groups.
func (g *Groups) everyone(ctx context.Context, token int64) (job.Caller, error) {
	b, err := g.fresh(ctx)
	if err != nil {
		return job.Caller{}, err
	}
	return job.Caller{TokenID: token, Closed: b.closed}, nil
}

// find returns an entry as it stands; Unauthorized when there is none.
func (g *Groups) find(ctx context.Context, in func(*book) *entry) (*entry, error) {
	if b := g.book.Load(); b != nil && time.Since(b.readAt) < goodFor && in(b) == nil {
		return nil, unknown()
	}
	b, err := g.fresh(ctx)
	if err != nil {
		return nil, err
	}
	if e := in(b); e != nil {
		return e, nil
	}
	return nil, unknown()
}

func unread() error {
	return job.Errorf(job.Unavailable, "the tokens of groups cannot be read at present: repeat the request later")
}

func unknown() error { return job.Errorf(job.Unauthorized, "the token shown is that of no group") }

// used has it written that a token was used, unless that was written lately.
func (g *Groups) used(e *entry, now time.Time) {
	was := e.usedAt.Load()
	if now.UnixMilli()-was < touchEvery.Milliseconds() || !e.usedAt.CompareAndSwap(was, now.UnixMilli()) {
		return
	}
	select {
	case g.touches <- touch{e.id, now}:
	default:
		e.usedAt.CompareAndSwap(now.UnixMilli(), was)
	}
}

// Run writes when tokens were used, looks at the rows, and repeats what must not
// stay as it is, until ctx ends.
func (g *Groups) Run(ctx context.Context) error {
	looks, warnings := time.NewTicker(freshFor), time.NewTicker(warnEvery)
	defer looks.Stop()
	defer warnings.Stop()
	_, _ = g.fresh(ctx) // whoever asks is told why not
	g.warn(true)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-looks.C:
			_, _ = g.fresh(ctx)
		case <-warnings.C:
			g.warn(false)
		case t := <-g.touches:
			if err := g.config.Store.TouchGroupToken(ctx, t.id, t.at); err != nil && ctx.Err() == nil {
				g.config.Logger.Warn("the last use of a group's token could not be written", "token", t.id, "error", err)
			}
		}
	}
}
