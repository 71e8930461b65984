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
	// freshFor is how long a snapshot is used without a read. goodFor is how long it is
	// used while the rows cannot be read.
	freshFor = 2 * time.Second
	goodFor  = 5 * time.Second
	// readFor bounds a read.
	readFor = 2 * time.Second
	// afterFailure is the pause after a failed read.
	afterFailure = time.Second
	// touchEvery is the minimum interval between two writes of when a token was used.
	touchEvery = time.Hour
	// maxTouches bounds the pending writes of that kind. What does not fit is written by a
	// later call.
	maxTouches = 64
)

// Config configures Groups.
type Config struct {
	Store Store
	// Sealer seals tokens before they are stored. Defaults to nil: only hashes are stored,
	// and no server can send the tokens to executors.
	Sealer *credential.Sealer
	// Key is the server's executor key, from which a token of each group is derived. The
	// key itself is never sent or accepted. Defaults to none.
	Key redacted.Text
	// Shared is a token for executors of all groups. Defaults to none.
	Shared redacted.Text
	// Admitted are well-known tokens that count like Shared, and [NoToken]; see
	// [CheckAdmitted]. Defaults to none.
	Admitted []string
	// Guesses counts wrong tokens. After too many from one network, guessable tokens are
	// refused, even valid ones. Defaults to a limiter of the pace [tries.Tokens].
	Guesses *tries.Limiter
	// Address returns the origin of a call. Defaults to nil: all calls have the same
	// origin.
	Address func(context.Context) string
	// Executors returns the live executors. Defaults to nil: none.
	Executors Executors
	// Logger receives write errors, and warnings for operators. Defaults to discarding
	// them.
	Logger *slog.Logger
}

// Groups authenticates executors by group tokens, and manages those tokens.
type Groups struct {
	config   Config
	admitted []string // as they are sent; empty for none. Read-only.
	shared   string   // the key id of Config.Shared; empty for none
	weak     bool     // Config.Shared can be guessed
	ids      groupIDs
	wrong    wrong
	book     atomic.Pointer[book] // nil until the first read; written under reading
	reading  sync.Mutex           // held during a read
	failedAt time.Time            // guarded by reading
	touches  chan touch
}

type touch struct {
	id int64
	at time.Time
}

// NewGroups returns a Groups. Run writes when tokens were used.
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

// Caller returns the caller with a group token, or a shared or admitted one. The empty
// token stands for none. An unknown token causes no read. Kinds: Unauthorized for an
// unknown token, Unavailable, Full for a guessable one after too many wrong ones.
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
	e, err := g.findEntry(ctx, func(b *book) *tokenEntry { return b.tokens[hash] })
	if err != nil {
		return job.Caller{}, err
	}
	if !credential.SameHash(e.hash, hash) {
		return job.Caller{}, unknown()
	}
	if err := g.wrong.mayShow(ctx, e.weak && credential.Guessable(redacted.New(token)), e.id); err != nil {
		return job.Caller{}, err
	}
	g.noteUse(e, time.Now())
	return e.caller, nil
}

// ofAll returns the id of a token that is valid for all groups, and false for any other.
func (g *Groups) ofAll(token string) (int64, bool) {
	if !g.config.Shared.IsZero() && g.config.Shared.Equal(redacted.New(token)) {
		return job.TokenShared, true
	}
	return g.admits(token)
}

// everyone returns the caller with a token for all groups.
func (g *Groups) everyone(ctx context.Context, token int64) (job.Caller, error) {
	b, err := g.fresh(ctx)
	if err != nil {
		return job.Caller{}, err
	}
	return job.Caller{TokenID: token, Closed: b.closed}, nil
}

// findEntry returns a current entry; Unauthorized when there is none.
func (g *Groups) findEntry(ctx context.Context, in func(*book) *tokenEntry) (*tokenEntry, error) {
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

// noteUse queues the write of when a token was used, unless it was written recently.
func (g *Groups) noteUse(e *tokenEntry, now time.Time) {
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
	_, _ = g.fresh(ctx) // callers get the error
	g.logTokens(true)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-looks.C:
			_, _ = g.fresh(ctx)
		case <-warnings.C:
			g.logTokens(false)
		case t := <-g.touches:
			if err := g.config.Store.TouchGroupToken(ctx, t.id, t.at); err != nil && ctx.Err() == nil {
				g.config.Logger.Warn("the last use of a group's token could not be written", "token", t.id, "error", err)
			}
		}
	}
}
