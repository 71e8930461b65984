package news

import (
	"context"
	"strconv"
	"strings"
)

const (
	// maxFetched bounds the transactions that are read at once, and maxReplayed those that
	// a reader comes back to.
	maxFetched  = 500
	maxReplayed = 2000
	// maxAhead bounds the items that a reader takes at once of those that it has come
	// back to.
	maxAhead = 256
	// allOf is behind all changes of a transaction.
	allOf = 1_000_000
)

// position is behind so many changes of a transaction.
type position struct {
	id      int64
	changes int
}

// String returns the id of the event there.
func (p position) String() string {
	return strconv.FormatInt(p.id, 10) + "-" + strconv.Itoa(p.changes)
}

// placeOf reads an id.
func placeOf(id string) (p position, ok bool) {
	first, second, _ := strings.Cut(id, "-")
	var err error
	if p.id, err = strconv.ParseInt(first, 10, 64); err != nil {
		return p, false
	}
	p.changes, err = strconv.Atoi(second)
	return p, err == nil && p.id >= 0 && p.changes >= 0
}

// before reports whether a place is before another one.
func (p position) before(other position) bool {
	return p.id < other.id || p.id == other.id && p.changes < other.changes
}

// Poll asks for a look at what the servers of the database have changed.
func (n *News) Poll() {
	if n.config.Changes != nil && n.wanted.Load() {
		requestRun(n.hints)
	}
}

// watch begins to look at what servers change. When the database is away the next look
// begins, and readers are told that they may have missed some.
func (n *News) watch(ctx context.Context) {
	if n.config.Changes == nil {
		return
	}
	after, err := n.config.Changes.Watch(ctx)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.blind = err != nil; !n.blind {
		n.cursor = position{after, allOf}
	}
}

// fetch reads what servers have changed since the last look; behind is up to where that
// is all. After an error there is nothing, and the next look tries again.
func (n *News) fetch(ctx context.Context) (changes []told, behind position, gap bool) {
	n.mu.Lock()
	blind, from := n.blind, n.cursor
	n.mu.Unlock()
	if blind {
		n.watch(ctx)
		n.mu.Lock()
		blind, from = n.blind, n.cursor
		n.mu.Unlock()
		return nil, from, !blind
	}
	rows, whole, err := n.config.Changes.ChangesAfter(ctx, from.id, maxFetched)
	if err != nil {
		if !n.namer.away && ctx.Err() == nil {
			n.config.Logger.Error("what servers have changed could not be read; trying again", "error", err)
		}
		n.namer.away = true
		return nil, from, false
	}
	n.namer.away = false
	for i := range rows {
		r := &rows[i]
		for j := range r.Changes {
			changes = append(changes, told{Change: r.Changes[j], at: r.At, id: position{r.ID, j + 1}.String()})
		}
		from = position{r.ID, allOf}
	}
	if len(rows) == maxFetched {
		requestRun(n.hints)
	}
	return changes, from, !whole
}

// readShared is Read of what servers share.
func (n *News) readShared(ctx context.Context, after string) *Reader {
	r := &Reader{news: n}
	n.mu.Lock()
	r.Reader = n.feed.Read()
	end, blind := n.cursor, n.blind
	n.mu.Unlock()
	r.at = end.String()
	from, ok := placeOf(after)
	switch {
	case after == "":
	case blind:
		r.Reset = ResetGap
	case !ok, end.before(from):
		r.Reset = ResetRestarted
	default:
		if r.ahead, r.Reset = n.replay(ctx, from, end); r.Reset == "" {
			r.Resumed, r.at = true, after
		}
	}
	return r
}

// replay returns the items between two places, or why they cannot be told.
func (n *News) replay(ctx context.Context, from, to position) (items []*Item, reset string) {
	if from.id == 0 {
		return nil, ResetRestarted
	}
	rows, whole, err := n.config.Changes.ChangesAfter(ctx, from.id-1, maxReplayed)
	switch {
	case err != nil:
		return nil, ResetGap
	case !whole, len(rows) == 0, len(rows) == maxReplayed:
		return nil, ResetExpired
	}
	var changes []told
	for i := range rows {
		r := &rows[i]
		for j := range r.Changes {
			at := position{r.ID, j + 1}
			if !from.before(at) || to.before(at) {
				continue
			}
			if r.Changes[j].Kind == Many {
				return nil, ResetGap
			}
			changes = append(changes, told{Change: r.Changes[j], at: r.At, id: at.String()})
		}
	}
	own := namer{store: n.config.Store, logger: n.config.Logger}
	own.names.runs = make(map[int64]*Named)
	items, named := own.named(ctx, changes)
	if !named {
		return nil, ResetGap
	}
	return items, ""
}
