package registry

import (
	"context"
	"sync"
	"time"

	"github.com/orthd/orth/job"
)

const (
	// probesAtOnce is the most executors probed concurrently.
	probesAtOnce = 32
	// probeTick is the time between two checks for due probes.
	probeTick = time.Second
	// probeDoubt is when an executor is probed again after a first probe without an answer:
	// one lost answer must not keep it without work for long.
	probeDoubt = 2 * time.Second
)

// probing is the result of the probes of an executor.
type probing struct {
	at    time.Time // of the answer
	wrong string    // why it is unreachable; empty when it is reachable
	vain  int       // probes in a row without an answer
}

// probe probes executors until ctx ends, and renews the leases of manual executors that
// answer.
func (r *Registry) probe(ctx context.Context) {
	var asking sync.WaitGroup
	defer asking.Wait()
	places := make(chan struct{}, probesAtOnce)
	ticker := time.NewTicker(probeTick)
	defer ticker.Stop()
	var under sync.Map // addresses with a probe in flight
	away := false      // the store rejected the last renewal
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
			r.config.Logger.Error("could not renew the leases of manual addresses; trying again", "error", err)
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

// dueProbes returns the addresses whose probe is due by now.
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

// learn records the result of a probe. It ignores errors caused by the end of ctx.
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

// maxReason is the most characters stored of the reason why an executor is unreachable.
const maxReason = 300

// askAgain drops the result of the probes, so that the executor is probed soon.
func (r *Registry) askAgain(address string) {
	r.mu.Lock()
	delete(r.reach, address)
	r.mu.Unlock()
	nudge(r.asks)
}

// Came reports that the executor at an address has shown by other means that it is back:
// earlier probes count no more.
func (r *Registry) Came(address string) {
	if _, known := r.At(address); known {
		r.askAgain(address)
	}
}

// forget drops the state of addresses that no executor has any more. The caller holds mu.
// It acts only when there are many addresses: the state of an executor must not be dropped
// before the executor is in the view.
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

// renew extends the leases, when a third of them has passed, of manual executors that have
// answered.
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
	defer r.requestRead()
	return r.config.Store.RenewManual(ctx, due, now.Add(r.config.LeaseTTL), now)
}
