package sim

import (
	"sync"
	"time"
)

// disturbance is what a storm does to one host: how many faults touch it now, and when the
// last one was over.
type disturbance struct {
	mu    sync.Mutex
	now   int       // guarded by mu
	until time.Time // guarded by mu
}

// begin notes a fault; end is called when it has healed.
func (d *disturbance) begin() (end func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now++
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.now--
		d.until = time.Now()
	}
}

// since returns how long nothing has touched the host.
func (d *disturbance) since() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.now > 0 {
		return 0
	}
	return time.Since(d.until)
}

// spell is a span of time.
type spell struct{ from, to time.Time }

func (s spell) meets(from, to time.Time) bool { return s.from.Before(to) && s.to.After(from) }

// disturb notes that a fault touches the hosts; all of them when none is named.
func (w *world) disturb(hosts []*disturbance) (end func()) {
	if hosts == nil {
		for _, s := range w.servers {
			hosts = append(hosts, &s.calm)
		}
		for _, m := range w.machines {
			hosts = append(hosts, &m.calm)
		}
	}
	ends := make([]func(), len(hosts))
	for i, h := range hosts {
		ends[i] = h.begin()
	}
	return func() {
		for _, end := range ends {
			end()
		}
	}
}
