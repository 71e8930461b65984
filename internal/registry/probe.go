package registry

import (
	"context"
	"sync"
	"time"

	"github.com/orthd/orth/job"
)

const (
	// probesAtOnce bounds the executors that are asked back at the same time.
	probesAtOnce = 32
	// probeTick is the time between two looks who is to be asked.
	probeTick = time.Second
	// probeDoubt is when an executor is asked again that gave no answer for the
	// first time: one lost answer must not keep it without work for long.
	probeDoubt = 2 * time.Second
)

// probing is what came of asking an executor back.
type probing struct {
	at    time.Time // of the answer
	wrong string    // why it cannot be reached; empty when it can
	vain  int       // questions in a row without an answer
}

// probe asks executors back until ctx ends, and renews the leases of those that
// were entered by hand and answer.
func (r *Registry) probe(ctx context.Context) {
	var asking sync.WaitGroup
	defer asking.Wait()
	places := make(chan struct{}, probesAtOnce)
	ticker := time.NewTicker(probeTick)
	defer ticker.Stop()
	var under sync.Map // addresses that are asked at the moment
	away := false      // the store did not take the last renewal
	for {
		for _, address := range r.dueProbes(time.Now()) {
			if _, asked := under.LoadOrStore(address, nil); asked {
				continue
			}
			select {
			case places <- struct{}{}:
			case <-ctx.Done():
				return
			}
			asking.Go(func() {
				defer func() { under.Delete(address); <-places }()
				r.learn(ctx, address, r.config.Prober.Beat(ctx, address))
			})
		}
		err := r.renew(ctx)
		if err != nil && !away && ctx.Err() == nil {
			r.config.Logger.Error("leases of addresses entered by hand could not be renewed; trying again", "error", err)
		}
		away = err != nil
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-r.asks:
		}
	}
}

// dueProbes returns the addresses that are to be asked by now.
func (r *Registry) dueProbes(now time.Time) []string {
	v := r.view.Load()
	r.mu.Lock()
	defer r.mu.Unlock()
	var due []string
	chosen := make(map[string]struct{})
	for i := range v.executors {
		e := &v.executors[i]
		every := r.config.Probe
		if e.Manual {
			every = r.config.ProbeManual
		}
		last, known := r.reach[e.Address]
		if last.vain == 1 {
			every = min(every, probeDoubt)
		}
		if _, twice := chosen[e.Address]; !twice && (!known || now.Sub(last.at) >= every) {
			chosen[e.Address] = struct{}{}
			due = append(due, e.Address)
		}
	}
	return due
}

// learn notes what came of asking. What the end of ctx did is not noted.
func (r *Registry) learn(ctx context.Context, address string, err error) {
	if ctx.Err() != nil {
		return
	}
	asked := probing{at: time.Now()}
	if err != nil {
		asked.wrong = job.Clean(err.Error(), maxReason)
	}
	r.mu.Lock()
	before := r.reach[address]
	if err != nil {
		asked.vain = before.vain + 1
	}
	r.reach[address] = asked
	r.mu.Unlock()
	if before.wrong == asked.wrong && !before.at.IsZero() {
		return
	}
	switch {
	case asked.wrong != "" && before.wrong == "":
		r.config.Logger.Warn("executor cannot be reached", "address", address, "error", asked.wrong)
	case asked.wrong == "" && before.wrong != "":
		r.config.Logger.Info("executor can be reached again", "address", address)
	}
	r.reshow()
	if asked.wrong == "" {
		r.config.Hooks.Reached(address)
	}
}

// maxReason is the characters that are kept of why an executor cannot be
// reached.
const maxReason = 300

// askAgain forgets what came of asking, so that the executor is asked soon.
func (r *Registry) askAgain(address string) {
	r.mu.Lock()
	delete(r.reach, address)
	r.mu.Unlock()
	nudge(r.asks)
}

// Came says that the executor at an address shows by other means that it is there
// again: what came of asking it before counts no more.
func (r *Registry) Came(address string) {
	if _, known := r.At(address); known {
		r.askAgain(address)
	}
}

// forget drops what is known of addresses that nobody has any more. The caller
// holds mu. It is done when there are many of them: until an executor is in the
// view, what is known of it must not be dropped.
func (r *Registry) forget() {
	v := r.view.Load()
	if limit := 2*len(v.executors) + 1000; len(r.reach) <= limit && len(r.lives) <= limit {
		return
	}
	here := make(map[string]struct{}, len(v.executors))
	for i := range v.executors {
		here[v.executors[i].Address] = struct{}{}
	}
	for address := range r.reach {
		if _, ok := here[address]; !ok {
			delete(r.reach, address)
		}
	}
	for address := range r.lives {
		if _, ok := here[address]; !ok {
			delete(r.lives, address)
		}
	}
}

// renew moves on the leases, when they are a third over, of executors that were
// entered by hand and have answered.
func (r *Registry) renew(ctx context.Context) error {
	v, now := r.view.Load(), r.config.Now()
	var due []job.Executor
	r.mu.Lock()
	for i := range v.executors {
		e := &v.executors[i]
		if !e.Manual || e.LeaseUntil.Sub(now) > r.config.LeaseTTL*2/3 {
			continue
		}
		last, known := r.reach[e.Address]
		if known && last.wrong == "" && time.Since(last.at) <= 2*r.config.ProbeManual {
			due = append(due, *e)
		}
	}
	r.mu.Unlock()
	if len(due) == 0 {
		return nil
	}
	defer r.look()
	return r.config.Store.RenewManual(ctx, due, now.Add(r.config.LeaseTTL), now)
}
