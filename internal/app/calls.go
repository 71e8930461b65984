package app

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// What servers call out to each other. A letter that a server does not know is passed
// over.
const (
	callRuns    = 'r' // runs are ready that others should send
	callJobs    = 'j' // a job, a calendar or a pause was changed
	callChanges = 'c' // something was written down for those who watch
	callServers = 's' // a server is to drain, has stopped, or somebody watches there
	callAlarms  = 'a' // events for alarms were written
)

// callEvery is the least time between two calls of one server.
const callEvery = 20 * time.Millisecond

// calls are what this server calls out to the others, and hears from them. It is a hint:
// what is lost is found by looking. The zero value must not be used.
type calls struct {
	life   func() string
	tell   func(ctx context.Context, words string) error // nil without listeners
	listen func(ctx context.Context, heard func(words string)) error
	logger *slog.Logger
	kick   chan struct{}

	mu      sync.Mutex
	pending map[rune]struct{} // guarded by mu
	// on are called when others have called; nil for a letter means that nothing is to
	// be done. Set before Run.
	on map[rune]func()
}

func newCalls(db *database, life func() string, logger *slog.Logger) *calls {
	return &calls{
		life: life, tell: db.tell, listen: db.listen, logger: logger, kick: make(chan struct{}, 1), pending: map[rune]struct{}{}, on: map[rune]func(){},
	}
}

// out calls out to the others, soon. It never blocks.
func (c *calls) out(letter rune) {
	if c.tell == nil {
		return
	}
	c.mu.Lock()
	c.pending[letter] = struct{}{}
	c.mu.Unlock()
	select {
	case c.kick <- struct{}{}:
	default:
	}
}

// take returns what is to be called out, in one word.
func (c *calls) take() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var words strings.Builder
	words.WriteString(c.life() + ":")
	for letter := range c.pending {
		words.WriteRune(letter)
	}
	clear(c.pending)
	return words.String()
}

// Run calls out until ctx ends, and once more then.
func (c *calls) Run(ctx context.Context) error {
	if c.tell == nil {
		<-ctx.Done()
		return nil
	}
	failing := false
	for {
		stopping := false
		select {
		case <-c.kick:
		case <-ctx.Done():
			stopping = true
		}
		words := c.take()
		if !strings.HasSuffix(words, ":") {
			err := c.tell(context.WithoutCancel(ctx), words) // it has a time limit of its own
			if err != nil && !failing {
				c.logger.Warn("other servers are not told what happens here; they find it by looking", "error", err)
			}
			failing = err != nil
		}
		if stopping {
			return nil
		}
		select {
		case <-time.After(callEvery):
		case <-ctx.Done():
		}
	}
}

// hear listens until ctx ends.
func (c *calls) hear(ctx context.Context) error {
	if c.listen == nil {
		<-ctx.Done()
		return nil
	}
	return c.listen(ctx, c.heard)
}

// heard does what others have called out. No words mean that some may have been missed.
func (c *calls) heard(words string) {
	from, letters, _ := strings.Cut(words, ":")
	switch {
	case words == "":
		for _, do := range c.on {
			do()
		}
		return
	case from == c.life():
		return
	}
	for _, letter := range letters {
		if do := c.on[letter]; do != nil {
			do()
		}
	}
}
