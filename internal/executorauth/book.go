package executorauth

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

// book is a snapshot of the tokens. Only its times change.
type book struct {
	version int64
	readAt  time.Time // before the read
	tokens  map[string]*tokenEntry
	byKey   map[string]*tokenEntry // by credential.KeyID of the token
	byID    map[int64]*tokenEntry
	newest  map[string]*tokenEntry // by group, of those that can be sent
	closed  *job.ClosedGroups      // nil for none
	lost    []string               // groups with a token that cannot be unsealed, sorted
	why     error                  // the reason for the first of them
}

type tokenEntry struct {
	id     int64
	hash   string
	sealed string
	text   redacted.Text // zero when it cannot be sent
	weak   bool          // it can be guessed, as far as this server knows
	caller job.Caller
	usedAt atomic.Int64 // milliseconds; 0 for never
}

// fresh returns a snapshot that is at most a few seconds old.
func (g *Groups) fresh(ctx context.Context) (*book, error) {
	b := g.book.Load()
	if b != nil && time.Since(b.readAt) < freshFor {
		return b, nil
	}
	if b != nil && time.Since(b.readAt) < goodFor {
		if !g.reading.TryLock() {
			return b, nil // another caller is reading
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
		if b, err = g.readBook(ctx); err == nil {
			return b, nil
		}
	}
	if b = g.book.Load(); b != nil && time.Since(b.readAt) < goodFor {
		return b, nil
	}
	return nil, err
}

// readBook reads a snapshot. The caller holds reading.
func (g *Groups) readBook(ctx context.Context) (*book, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readFor) // the read serves all callers
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
	var next book
	if callers == nil {
		next = *was
	} else {
		next = g.fillBook(callers, was)
		if len(next.lost) > 0 && (was == nil || !slices.Equal(next.lost, was.lost)) {
			g.config.Logger.Warn("tokens of groups cannot be shown to executors any more, which refuse tasks then; they are still taken from executors",
				"groups", joinNames(next.lost), "error", next.why, "hint", remedy)
		}
	}
	next.readAt = now
	g.book.Store(&next)
	return &next, nil
}

// fillBook builds a snapshot from rows, and unseals new tokens.
func (g *Groups) fillBook(callers *Callers, was *book) book {
	b := book{
		version: callers.Version, tokens: make(map[string]*tokenEntry, len(callers.Tokens)),
		byKey: make(map[string]*tokenEntry, len(callers.Tokens)), byID: make(map[int64]*tokenEntry, len(callers.Tokens)),
		newest: make(map[string]*tokenEntry),
	}
	if len(callers.Closed) > 0 {
		closed := make(map[int64]string, len(callers.Closed))
		for _, group := range callers.Closed {
			closed[group.ID] = group.Key
		}
		b.closed = job.NewClosedGroups(closed)
	}
	lost := make(map[string]struct{})
	for _, known := range callers.Tokens {
		e := &tokenEntry{
			id: known.ID, hash: known.Hash, sealed: known.Sealed,
			caller: job.Caller{GroupID: known.GroupID, Group: known.Group, TokenID: known.ID, Closed: b.closed},
		}
		if !known.UsedAt.IsZero() {
			e.usedAt.Store(known.UsedAt.UnixMilli())
		}
		if err := g.unsealToken(e, was); err != nil {
			lost[known.Group] = struct{}{}
			b.why = err
		}
		e.weak = credential.Guessable(e.text)
		b.addEntry(e)
	}
	b.lost = slices.Sorted(maps.Keys(lost))
	return b
}

// unsealToken unseals an entry's token. A token that was created without a Sealer stays sealed,
// without an error.
func (g *Groups) unsealToken(e *tokenEntry, was *book) (err error) {
	if g.config.Sealer == nil || e.sealed == "" {
		return nil
	}
	if was != nil {
		if old := was.tokens[e.hash]; old != nil && old.sealed == e.sealed && old.caller.Group == e.caller.Group && !old.text.IsZero() {
			e.text = old.text
			return nil
		}
	}
	e.text, err = g.config.Sealer.Open(e.sealed, e.caller.Group, e.hash)
	return err
}

func (b *book) addEntry(e *tokenEntry) {
	b.tokens[e.hash] = e
	b.byID[e.id] = e
	b.byKey[credential.KeyIDOf(e.hash)] = e
	if newest := b.newest[e.caller.Group]; !e.text.IsZero() && (newest == nil || newest.id < e.id) {
		b.newest[e.caller.Group] = e
	}
}

// changed makes this server's own change visible to it at once, also when its caller has
// left. A read that started earlier does not count.
func (g *Groups) changed(ctx context.Context) {
	g.reading.Lock()
	defer g.reading.Unlock()
	if _, err := g.readBook(ctx); err == nil {
		return
	}
	if was := g.book.Load(); was != nil {
		old := *was
		old.readAt = time.Time{} // no call may use it
		g.book.Store(&old)
	}
}

// maxNamed bounds the groups in a log line.
const maxNamed = 20

// joinNames returns the names, or the first of them, as one text.
func joinNames(names []string) string {
	if len(names) > maxNamed {
		return strings.Join(names[:maxNamed], ", ") + ", and others"
	}
	return strings.Join(names, ", ")
}
