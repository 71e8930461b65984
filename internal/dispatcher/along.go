package dispatcher

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/internal/dispatcher/waiting"
)

// along lets firings share a transaction of others.
type along struct {
	soonest atomic.Int64 // due time of the first firing that waits for others, in µs since 1970; 0 for none
	begins  atomic.Bool  // another transaction is about to begin
}

// sharedUpTo is how many firings may wait for some of them to share a transaction: more
// fill transactions of their own.
const sharedUpTo = 500

// noteDue stores the due time of the first of the items. Only the loop calls it.
func (a *along) noteDue(soon [waiting.Ranks]waiting.ByDue) {
	var first time.Time
	all := 0
	for _, row := range soon {
		all += len(row)
		if len(row) > 0 && (first.IsZero() || row[0].Due.Before(first)) {
			first = row[0].Due
		}
	}
	if all == 0 || all > sharedUpTo {
		a.soonest.Store(0)
		return
	}
	a.soonest.Store(first.UnixMicro())
}

// Along announces a transaction of another component: firings that have waited for others
// half of their time are committed now, to share it. It never blocks, and wakes the loop
// only when there are such firings.
func (d *Dispatcher) Along() {
	at := d.along.soonest.Load()
	if at == 0 || time.Until(time.UnixMicro(at)) > d.config.Early*3/4 {
		return
	}
	d.along.begins.Store(true)
	d.wakeLoop()
	runtime.Gosched() // otherwise the loop, and its commit, would wait until the caller does
}
