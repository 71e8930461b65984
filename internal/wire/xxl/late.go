package xxl

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/orthd/orth/internal/wire/jsontext"
	"github.com/orthd/orth/internal/wire/post"
	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

// How old a task may be. The names are in Go's canonical form. Between a server and an
// executor of Orth only: others pass over them.
const (
	// headerWithin is for how many milliseconds the sender of a task waits.
	headerWithin = "Orth-Within"
	// headerSent is when the task left, in milliseconds since 1970 by the executor's clock.
	// It is omitted until an answer has revealed that clock.
	headerSent = "Orth-Sent"
	// headerTime is the executor's clock, in the answer to a task that has headerWithin.
	headerTime = "Orth-Time"
	// headerKnown answers the question for one attempt.
	headerKnown = "Orth-Known"
)

// The values of headerKnown.
const (
	knownYes = "yes"
	knownNo  = "no"
)

const (
	// maxAhead is how far ahead of an executor's clock a task may be sent: further, it
	// would be good for that much longer than its sender waits.
	maxAhead = 2 * time.Second
	// maxWithin bounds headerWithin: an hour.
	maxWithin = int64(time.Hour / time.Millisecond)
	// maxClocks bounds the executors whose clocks are remembered.
	maxClocks = 4096
	// defaultTimeout is that of calls.
	defaultTimeout = 3 * time.Second
)

// limited returns the context in which a task may be accepted: until its sender waits
// no longer. The error is of a task that left too long ago, or in the future: by a
// clock that differs, or because the network held it back.
func limited(r *http.Request, now time.Time) (context.Context, context.CancelFunc, error) {
	within, asks := dialect.HeaderInteger(r.Header, headerWithin, maxWithin)
	sent, says := dialect.HeaderInteger(r.Header, headerSent, jsontext.MaxMillis)
	if !asks || !says {
		return r.Context(), func() {}, nil
	}
	limit, age := time.Duration(within)*time.Millisecond, now.Sub(time.UnixMilli(sent))
	if age < -maxAhead || age >= limit {
		return nil, nil, job.Errorf(job.Unavailable, "the task left %s ago by this clock, and its sender waits for %s: send it again",
			age.Round(time.Millisecond), limit)
	}
	ctx, cancel := context.WithDeadline(r.Context(), now.Add(limit-age))
	return ctx, cancel, nil
}

// clocks remembers by how much the clocks of executors are ahead.
type clocks struct {
	mu    sync.Mutex
	ahead map[string]time.Duration // guarded by mu; by address
}

// learn takes the time of an answer.
func (c *clocks) learn(address, at string) {
	theirs, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ahead == nil || len(c.ahead) >= maxClocks {
		c.ahead = make(map[string]time.Duration)
	}
	c.ahead[address] = time.UnixMilli(theirs).Sub(time.Now().Round(0))
}

// stamp appends how old a task may be, and by the clock of its executor when it left.
func (c *clocks) stamp(f post.Fields, address string, within time.Duration) post.Fields {
	f = f.AddInt(headerWithin, within.Milliseconds())
	c.mu.Lock()
	defer c.mu.Unlock()
	if ahead, known := c.ahead[address]; known {
		f = f.AddInt(headerSent, time.Now().Add(ahead).UnixMilli())
	}
	return f
}
