package dispatcher

import (
	"runtime"
	"sync/atomic"
	"time"
)

// along is how firings find a transaction of others to share.
type along struct {
	soonest atomic.Int64 // when the first firing is due that waits for others, in µs since 1970; 0 for none
	begins  atomic.Bool  // a transaction does
}

// sharedUpTo is how many firings wait at most for some of them to come along: more fill
// transactions of their own.
const sharedUpTo = 500

// note keeps when the first of the items is due. Only the loop calls it.
func (a *along) note(soon [ranks]byDue) {
	var first time.Time
	all := 0
	for _, row := range soon {
		all += len(row)
		if len(row) > 0 && (first.IsZero() || row[0].due.Before(first)) {
			first = row[0].due
		}
	}
	if all == 0 || all > sharedUpTo {
		a.soonest.Store(0)
		return
	}
	a.soonest.Store(first.UnixMicro())
}

// Along announces a transaction of somebody else: firings that have waited for others half of
// their time are committed now, to share it. It never blocks, and wakes nobody when there are none.
func (d *Dispatcher) Along() {
	at := d.along.soonest.Load()
	if at == 0 || time.Until(time.UnixMicro(at)) > d.config.Early*3/4 {
		return
	}
	d.along.begins.Store(true)
	d.poke()
	runtime.Gosched() // else the loop would wait until the caller does, for its commit
}
