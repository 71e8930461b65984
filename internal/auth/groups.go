package auth

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/internal/secret"
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
	// Logger gets what could not be written. Defaults to discarding it.
	Logger *slog.Logger
}

// Groups tells callers by the tokens of groups, and keeps those.
type Groups struct {
	config   Config
	book     atomic.Pointer[book] // nil until it was read; written under reading
	reading  sync.Mutex           // held while the rows are read
	failedAt time.Time            // guarded by reading
	touches  chan touch
}

// book is the callers as they were read. It never changes but for the times.
type book struct {
	version int64
	readAt  time.Time // before the reading
	tokens  map[string]*entry
	closed  *job.ClosedGroups // nil for none
}

type entry struct {
	id     int64
	hash   string
	caller job.Caller
	usedAt atomic.Int64 // milliseconds; 0 for never
}

type touch struct {
	id int64
	at time.Time
}

// NewGroups returns the room; Run writes when tokens were used.
func NewGroups(c Config) *Groups {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &Groups{config: c, touches: make(chan touch, maxTouches)}
}

// Everyone returns who shows the token of the whole server. Kinds: Unavailable.
func (g *Groups) Everyone(ctx context.Context) (job.Caller, error) {
	b, err := g.fresh(ctx)
	if err != nil {
		return job.Caller{}, err
	}
	return job.Caller{Closed: b.closed}, nil
}

// Caller returns who shows a token of a group. Kinds: Unauthorized for a token
// that nobody has, Unavailable.
func (g *Groups) Caller(ctx context.Context, token string) (job.Caller, error) {
	if !secret.MayBeGroup(token) {
		return job.Caller{}, unknown()
	}
	b, err := g.fresh(ctx)
	if err != nil {
		return job.Caller{}, err
	}
	hash := secret.Hash(secret.New(token))
	e := b.tokens[hash]
	if e == nil || !secret.SameHash(e.hash, hash) {
		return job.Caller{}, unknown()
	}
	g.used(e, time.Now())
	return e.caller, nil
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

// Run writes when tokens were used, until ctx ends.
func (g *Groups) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case t := <-g.touches:
			if err := g.config.Store.TouchGroupToken(ctx, t.id, t.at); err != nil && ctx.Err() == nil {
				g.config.Logger.Warn("the last use of a group's token could not be written", "token", t.id, "error", err)
			}
		}
	}
}

// fresh returns the callers as they stand, or stood a few seconds ago.
func (g *Groups) fresh(ctx context.Context) (*book, error) {
	b := g.book.Load()
	if b != nil && time.Since(b.readAt) < freshFor {
		return b, nil
	}
	if b != nil && time.Since(b.readAt) < goodFor {
		if !g.reading.TryLock() {
			return b, nil // somebody reads already
		}
	} else {
		g.reading.Lock()
	}
	defer g.reading.Unlock()
	if again := g.book.Load(); again != b && again != nil && time.Since(again.readAt) < freshFor {
		return again, nil
	}
	err := unread()
	if time.Since(g.failedAt) >= afterFailure {
		if b, err = g.read(ctx); err == nil {
			return b, nil
		}
	}
	if b = g.book.Load(); b != nil && time.Since(b.readAt) < goodFor {
		return b, nil
	}
	return nil, err
}

// read reads the callers. The caller holds reading.
func (g *Groups) read(ctx context.Context) (*book, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readFor) // it is read for all callers
	defer cancel()
	was, known, now := g.book.Load(), int64(0), time.Now()
	if was != nil {
		known = was.version
	}
	callers, err := g.config.Store.Callers(ctx, known)
	if err != nil {
		g.failedAt = now
		g.config.Logger.Error("the tokens of groups could not be read; executors are refused until they can", "error", err)
		return nil, unread()
	}
	next := &book{readAt: now}
	if callers == nil {
		next.version, next.tokens, next.closed = was.version, was.tokens, was.closed
	} else {
		next.fill(callers)
	}
	g.book.Store(next)
	return next, nil
}

func (b *book) fill(callers *Callers) {
	b.version = callers.Version
	if len(callers.Closed) > 0 {
		closed := make(map[int64]string, len(callers.Closed))
		for _, group := range callers.Closed {
			closed[group.ID] = group.Key
		}
		b.closed = job.NewClosedGroups(closed)
	}
	b.tokens = make(map[string]*entry, len(callers.Tokens))
	for _, known := range callers.Tokens {
		e := &entry{
			id: known.ID, hash: known.Hash,
			caller: job.Caller{GroupID: known.GroupID, Group: known.Group, Closed: b.closed},
		}
		if !known.UsedAt.IsZero() {
			e.usedAt.Store(known.UsedAt.UnixMilli())
		}
		b.tokens[known.Hash] = e
	}
}

// changed makes this server see a change of its own at once, also when the one
// who made it has left: a reading that began before it does not count.
func (g *Groups) changed(ctx context.Context) {
	g.reading.Lock()
	defer g.reading.Unlock()
	if _, err := g.read(ctx); err != nil {
		g.book.Store(nil)
	}
}

// AddToken makes a token of a group, which is made when it does not exist. The
// secret is seen here and never again. Kinds: Invalid, Full, Unavailable.
func (g *Groups) AddToken(ctx context.Context, group, label string) (job.GroupToken, secret.Text, error) {
	if err := job.CheckGroup("group", group); err != nil {
		return job.GroupToken{}, secret.Text{}, err
	}
	if clean := job.Clean(label, job.MaxTokenLabel); clean != label {
		return job.GroupToken{}, secret.Text{}, job.FieldErrorf("label", "must be text of at most %d characters", job.MaxTokenLabel)
	}
	text := secret.GenerateGroup()
	added, err := g.config.Store.AddGroupToken(ctx, job.GroupToken{
		Group: group, Label: label, Hash: secret.Hash(text), CreatedAt: time.Now().UTC().Truncate(time.Millisecond),
	})
	if err != nil {
		return job.GroupToken{}, secret.Text{}, fmt.Errorf("add a token to group %s: %w", group, err)
	}
	g.changed(ctx)
	return added, text, nil
}

// RemoveToken removes a token of a group: on this server it counts no more when
// this returns, on others within five seconds. Kinds: NotFound, Unavailable.
func (g *Groups) RemoveToken(ctx context.Context, group string, id int64) error {
	if err := job.CheckGroup("group", group); err != nil {
		return err
	}
	if err := g.config.Store.RemoveGroupToken(ctx, group, id); err != nil {
		return fmt.Errorf("remove token %d of group %s: %w", id, group, err)
	}
	g.changed(ctx)
	return nil
}

// GroupTokens returns the tokens of a group, never their secrets, and whether it
// takes no others. Kinds: Invalid, NotFound, Unavailable.
func (g *Groups) GroupTokens(ctx context.Context, group string) ([]job.GroupToken, bool, error) {
	if err := job.CheckGroup("group", group); err != nil {
		return nil, false, err
	}
	return g.config.Store.GroupTokens(ctx, group)
}

// SetOwnTokenOnly says whether a group takes no tokens but its own. Kinds:
// Invalid, NotFound, Conflict when it shall and has none, Unavailable.
func (g *Groups) SetOwnTokenOnly(ctx context.Context, group string, only bool) error {
	if err := job.CheckGroup("group", group); err != nil {
		return err
	}
	if err := g.config.Store.SaveOwnTokenOnly(ctx, group, only); err != nil {
		return fmt.Errorf("change group %s: %w", group, err)
	}
	g.changed(ctx)
	return nil
}
