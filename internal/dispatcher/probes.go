package dispatcher

import (
	"context"
	"sync"

	"github.com/orthd/orth/internal/route"
	"github.com/orthd/orth/job"
)

// Limits of the picks under way that ask executors first.
const (
	probesAtOnce  = 64  // groups; more wait for a place on their own goroutine
	waitersAProbe = 256 // runs of a group; more wait as rows
)

// probes runs the picks that call executors, beside the loop. A group is asked
// by one probe at a time, and the answer goes to every run that waited for it:
// executors that do not answer cost their time once, not once per run.
type probes struct {
	d       *Dispatcher
	places  chan struct{}
	running sync.WaitGroup

	mu      sync.Mutex
	waiting map[int64][]*item // guarded by mu: by group, while its probe is under way
}

func newProbes(d *Dispatcher) *probes {
	return &probes{d: d, places: make(chan struct{}, probesAtOnce), waiting: make(map[int64][]*item)}
}

// start picks in the background and brings the item back to the loop, with an
// address or with the reason why there is none. It returns false when too many
// runs of the group wait already.
func (p *probes) start(ctx context.Context, kind job.Route, r route.Request, it *item) bool {
	group := it.job.GroupID
	p.mu.Lock()
	defer p.mu.Unlock()
	items, asking := p.waiting[group]
	if len(items) >= waitersAProbe {
		return false
	}
	p.waiting[group] = append(items, it)
	if !asking {
		p.running.Go(func() { p.ask(ctx, group, kind, r) })
	}
	return true
}

// ask probes once and hands out the answer. When ctx ends the answer is that
// nobody was found.
func (p *probes) ask(ctx context.Context, group int64, kind job.Route, r route.Request) {
	var choice route.Choice
	var err error
	select {
	case p.places <- struct{}{}:
		choice, err = p.d.config.Router.Pick(ctx, kind, r)
		<-p.places
	case <-ctx.Done():
		err = ctx.Err()
	}
	p.mu.Lock()
	items := p.waiting[group]
	delete(p.waiting, group)
	p.mu.Unlock()
	for _, it := range items {
		it.take(choice, err)
	}
	p.d.hand(items)
}

func (p *probes) wait() { p.running.Wait() }
