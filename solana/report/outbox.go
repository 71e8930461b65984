package report

import (
	"sync"
	"time"

	"github.com/orthd/orth/solana/service"
)

// ended is an execution that has ended, on its way to becoming a run.
type ended struct {
	service.Settlement

	at time.Time
}

// outbox holds reports until the server takes them, so many at most: then the oldest goes. The last mostSent
// that were taken are kept for their runs.
type outbox struct {
	mu      sync.Mutex
	most    int
	waiting []*ended          // guarded by mu; the oldest first
	sent    map[string]*ended // guarded by mu; by key: the last mostSent, for their runs
	order   []string          // guarded by mu: keys of sent, the oldest first
	dropped uint64            // guarded by mu
	taken   uint64            // guarded by mu
	more    chan struct{}     // has room for a hint
}

// mostSent is how many reports are kept for their runs: logs of those that are older than this many when their runs come are gone.
const mostSent = 1000

func newOutbox(most int) *outbox {
	return &outbox{most: most, sent: make(map[string]*ended), more: make(chan struct{}, 1)}
}

// add takes a report.
func (o *outbox) add(e *ended) {
	o.mu.Lock()
	if len(o.waiting) >= o.most {
		o.waiting[0] = nil
		o.waiting = o.waiting[1:]
		o.dropped++
	}
	o.waiting = append(o.waiting, e)
	o.mu.Unlock()
	select {
	case o.more <- struct{}{}:
	default:
	}
}

// take returns up to n of the oldest reports, which are not dropped while they are sent.
func (o *outbox) take(n int) []*ended {
	o.mu.Lock()
	defer o.mu.Unlock()
	n = min(n, len(o.waiting))
	taken := append([]*ended(nil), o.waiting[:n]...)
	clear(o.waiting[:n])
	o.waiting = o.waiting[n:]
	return taken
}

// giveBack puts what was not sent in front again, as far as there is room.
func (o *outbox) giveBack(all []*ended) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if room := max(o.most-len(o.waiting), 0); len(all) > room {
		o.dropped += uint64(len(all) - room)
		all = all[len(all)-room:]
	}
	o.waiting = append(append([]*ended(nil), all...), o.waiting...)
}

// keep holds a report, which is being sent under a key, for its run.
func (o *outbox) keep(key string, e *ended) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, known := o.sent[key]; !known {
		if len(o.order) >= mostSent {
			delete(o.sent, o.order[0])
			o.order = o.order[1:]
		}
		o.order = append(o.order, key)
	}
	o.sent[key] = e
}

// counted notes that the server has taken a report.
func (o *outbox) counted() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.taken++
}

// refused drops a report that no server will take.
func (o *outbox) refused() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.dropped++
}

// find returns the report with a key, nil when it is not there any more. It stays: a run may have several attempts.
func (o *outbox) find(key string) *ended {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.sent[key]
}

func (o *outbox) figures() (waiting int, dropped, sent uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.waiting), o.dropped, o.taken
}
