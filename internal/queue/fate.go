package queue

import (
	"time"

	"github.com/orthd/orth/retry"
)

// Fate is what became of an item that failed.
type Fate struct {
	// Class is what the failure meant for the next try.
	Class retry.Class
	// Buried means that there is none: the item is dead. Otherwise it is scheduled at Due.
	Buried bool
	Due    time.Time
}

// Fail decides by [QueueConfig.Retry] and the class of err what becomes of an
// item in processing, and does it, with err's text as the note. A permanent
// failure buries it. One that is not ready waits for the delay that err names,
// or for the policy's first one, and counts no try. Every other waits for the
// policy's next delay, and at least for the one that err names; an item whose
// tries are used up is buried. A buried item's Due is now, see [Queue.Expire].
// random is in [0,1) and spreads the delay.
func (q *Queue) Fail(tx *Tx, key int64, now time.Time, err error, random float64) (Fate, error) {
	r, lookup := q.expect(tx, key, Processing)
	if lookup != nil {
		return Fate{}, lookup
	}
	note := ""
	if err != nil {
		note = err.Error()
	}
	class, after := retry.ClassOf(err)
	fate := Fate{Class: class}
	switch class {
	case retry.ClassPermanent:
		fate.Buried = true
	case retry.ClassNotReady:
		if after == 0 {
			after, _ = q.config.Retry.Delay(1, random)
		}
		fate.Due = now.Add(after)
		return fate, q.Defer(tx, key, fate.Due, note)
	default:
		delay, again := q.config.Retry.Delay(int(r.tries)+1, random)
		if again {
			fate.Due = now.Add(max(delay, after))
			return fate, q.Nack(tx, key, fate.Due, note)
		}
		fate.Buried = true
	}
	return fate, q.moveToDead(tx, key, func(m *mutable) { m.due, m.note = now.UnixMilli(), note })
}
