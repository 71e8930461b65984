package overview

import (
	"sync"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/job"
)

// The bounds of an audience, unless it is configured.
const (
	usualViewers     = 1000
	usualViewersEach = 20
)

// audience are the readers of streams of events.
type audience struct {
	most, each int

	mu  sync.Mutex
	all int            // guarded by mu
	of  map[viewer]int // guarded by mu; none is 0
}

// viewer is whose streams are counted together.
type viewer struct {
	kind           access.Kind
	id, credential int64
}

func newAudience(most, each int) *audience {
	if most <= 0 {
		most = usualViewers
	}
	if each <= 0 {
		each = usualViewersEach
	}
	return &audience{most: most, each: each, of: make(map[viewer]int)}
}

// admit reserves a stream for a caller. Kinds: Full when the caller has reached its limit,
// Unavailable when the limit of all streams is reached.
func (a *audience) admit(p *access.Principal) (leave func(), err error) {
	v := viewer{p.Kind, p.ID, p.Credential}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case p.Kind != access.System && a.of[v] >= a.each:
		full := job.Errorf(job.Full, "%d streams are read with this token or session, as many as may be", a.each)
		full.Hint = "end one of them: one stream brings events of all kinds, and up to 8 summaries"
		return nil, full
	case a.all >= a.most:
		full := job.Errorf(job.Unavailable, "%d streams are read from this server, as many as may be", a.most)
		full.Hint = "try again later, or ask for the lists now and then"
		return nil, full
	}
	a.all++
	a.of[v]++
	return func() { a.leave(v) }, nil
}

func (a *audience) leave(v viewer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all--
	if a.of[v]--; a.of[v] == 0 {
		delete(a.of, v)
	}
}
