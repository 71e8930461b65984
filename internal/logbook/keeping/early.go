package keeping

import (
	"strings"
	"time"

	"github.com/orthd/orth/job"
)

const (
	// earlyFor is how long what came too early is kept.
	earlyFor = 10 * time.Second
	// earlyMost and earlyBytes bound it.
	earlyMost  = 8192
	earlyBytes = 1 << 20
)

// early is what was reported about attempts before they were begun: an executor may have
// finished one before the server has recorded its acceptance. Keeper.mu guards it.
type early struct {
	known map[int64]*soon
	order []int64 // the attempts of known, the oldest first, and some that are not there any more
	bytes int
}

// soon is what came of one attempt.
type soon struct {
	at      time.Time
	ended   bool
	stored  bool // and nothing of it is owed
	brought []brought
}

// brought is a page that an executor has brought.
type brought struct {
	caller  job.Caller
	address string
	page    job.LogPage
}

func newEarly() early { return early{known: make(map[int64]*soon)} }

// of returns what came of an attempt, nil when nothing more is taken of it.
func (e *early) of(attempt int64, now time.Time) *soon {
	for len(e.order) > 0 {
		oldest := e.known[e.order[0]]
		if oldest != nil && now.Sub(oldest.at) < earlyFor && len(e.order) < earlyMost {
			break
		}
		e.drop(e.order[0])
		e.order = e.order[1:]
	}
	s := e.known[attempt]
	if s == nil {
		s = &soon{at: now}
		e.known[attempt] = s
		e.order = append(e.order, attempt)
	}
	return s
}

// end notes that an attempt is over.
func (e *early) end(attempt int64, now time.Time) { e.of(attempt, now).ended = true }

// store notes that an attempt is over and its log is stored.
func (e *early) store(attempt int64, now time.Time) {
	s := e.of(attempt, now)
	s.ended, s.stored = true, true
}

// put keeps a page, and reports whether more of the attempt is wanted.
func (e *early) put(attempt int64, b brought, now time.Time) bool {
	s := e.of(attempt, now)
	if e.bytes+len(b.page.Text) <= earlyBytes && len(s.brought) < 16 {
		b.page.Text = strings.Clone(b.page.Text)
		s.brought = append(s.brought, b)
		e.bytes += len(b.page.Text)
	}
	return !s.ended && !b.page.End && now.Sub(s.at) < earlyFor/2
}

// take returns what came of an attempt, and forgets it.
func (e *early) take(attempt int64) (soon, bool) {
	s := e.known[attempt]
	if s == nil {
		return soon{}, false
	}
	e.drop(attempt)
	return *s, true
}

func (e *early) drop(attempt int64) {
	s := e.known[attempt]
	if s == nil {
		return
	}
	for i := range s.brought {
		e.bytes -= len(s.brought[i].page.Text)
	}
	delete(e.known, attempt)
}
