package dispatcher

import (
	"context"
	"strings"
	"sync"

	"github.com/orthd/orth/internal/dispatcher/waiting"
	"github.com/orthd/orth/internal/route"
	"github.com/orthd/orth/job"
)

// Limits of the picks in flight that query executors first.
const (
	probesAtOnce  = 64  // groups; more wait for a place on their own goroutine
	waitersAProbe = 256 // runs of a group; more wait as rows
)

// probes runs the picks that call executors, concurrently with the loop. One probe at a
// time queries the same executors, and its answer goes to every run that waited for it:
// executors that do not answer cost their time once, not once per run. Runs with other
// eligible executors have their own probe, and so has each job where its name is queried.
type probes struct {
	d       *Dispatcher
	places  chan struct{}
	running sync.WaitGroup

	mu      sync.Mutex
	waiting map[question][]*waiting.HeldRun // guarded by mu: while its probe is in flight
}

// question is the key that the runs of one probe share.
type question struct {
	route     job.Route
	job       int64  // where the question is about it, else 0
	addresses string // those that may be picked
}

func newProbes(d *Dispatcher) *probes {
	return &probes{d: d, places: make(chan struct{}, probesAtOnce), waiting: make(map[question][]*waiting.HeldRun)}
}

// start picks in the background and returns the item to the loop, with an address or with
// the reason for none. It returns false when too many runs of the group wait already.
func (p *probes) start(ctx context.Context, kind job.Route, r route.Request, it *waiting.HeldRun) bool {
	q := question{route: kind, addresses: strings.Join(r.Addresses, "\n")}
	if kind == job.RouteBusyover {
		q.job = r.JobID
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	items, asking := p.waiting[q]
	if len(items) >= waitersAProbe {
		return false
	}
	p.waiting[q] = append(items, it)
	if !asking {
		p.running.Go(func() { p.probeOnce(ctx, q, kind, r) })
	}
	return true
}

// probeOnce probes once and distributes the answer. When ctx ends the answer is that no executor
// was found.
func (p *probes) probeOnce(ctx context.Context, q question, kind job.Route, r route.Request) {
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
	items := p.waiting[q]
	delete(p.waiting, q)
	p.mu.Unlock()
	for _, it := range items {
		it.SetRoute(choice, err)
	}
	p.d.passToLoop(items)
}

func (p *probes) waitForProbes() { p.running.Wait() }
