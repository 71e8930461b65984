package thread

import (
	"math"
	"time"
)

// Clock is the chain's own.
type Clock struct {
	Slot  uint64
	Epoch uint64
	Unix  int64 // seconds
}

// slotMillis is how long the programs take a slot to be.
const slotMillis = 400

// Unit is what a thread waits in.
type Unit uint8

// The units.
const (
	Now     Unit = iota // it waits for nothing
	Seconds             // a unix time
	Slots
	Epochs
	Change // other bytes in the watched account
)

// Due is when a thread may be executed by the chain's clock.
type Due struct {
	Unit Unit
	At   int64 // Seconds, Slots and Epochs
}

// Due returns when the thread at self may be executed. There is no such time while it is paused, while it has nothing to
// execute, and when its schedule is none of its trigger's.
func (t *Thread) Due(p Profile, self Key) (Due, bool) {
	if t.Paused {
		return Due{}, false
	}
	if t.Signal.Kind == Close {
		return Due{}, true
	}
	if _, found := t.Fiber(p); !found {
		return Due{}, false
	}
	if t.Signal.Kind == Chain {
		return Due{}, true
	}
	switch t.Trigger.Kind {
	case Immediate:
		return Due{}, true
	case OnTimestamp:
		if t.Schedule.Kind != Timed {
			return Due{}, false
		}
		return Due{Unit: Seconds, At: later(t.Trigger.At, JitterOffset(self, t.Schedule.Prev, t.Trigger.Jitter))}, true
	case OnInterval, OnCron:
		return Due{Unit: Seconds, At: t.Schedule.Next}, t.Schedule.Kind == Timed
	case OnSlot:
		return Due{Unit: Slots, At: clamped(t.Trigger.Number)}, true
	case OnEpoch:
		return Due{Unit: Epochs, At: clamped(t.Trigger.Number)}, true
	case OnAccount:
		return Due{Unit: Change}, t.Schedule.Kind == OnChange
	default:
		return Due{}, false
	}
}

// Since returns for how many seconds what is due at d has been ready; it is not before the clock has got there. A change of
// an account is seen elsewhere: see [Thread.HasChanged].
func (d Due) Since(c Clock) (seconds int64, ready bool) {
	switch d.Unit {
	case Now:
		return 0, true
	case Seconds:
		return c.Unix - d.At, c.Unix >= d.At
	case Slots:
		slots := clamped(c.Slot) - d.At
		return slots/1000*slotMillis + slots%1000*slotMillis/1000, slots >= 0 // the product might not fit
	case Epochs:
		return 0, clamped(c.Epoch) >= d.At
	default:
		return 0, false
	}
}

// HasChanged reports whether the watched account's data are others than at the last execution.
func (t *Thread) HasChanged(data []byte) bool {
	return t.Trigger.Kind == OnAccount && t.Schedule.Kind == OnChange && t.Trigger.Watched(data) != t.Schedule.Hash
}

// HasChangedPart is HasChanged for who has only the part of the data that the trigger watches.
func (t *Thread) HasChangedPart(part []byte) bool {
	alone := *t
	alone.Trigger.Offset = 0
	return alone.HasChanged(part)
}

// Next returns the schedule that the thread at self has after an execution at c; watched are the watched account's data.
// An expression that the program cannot read has none: it ends there, and must not here.
func (t *Thread) Next(self Key, c Clock, watched []byte) (Schedule, error) {
	switch t.Trigger.Kind {
	case OnAccount:
		return Schedule{Kind: OnChange, Hash: t.Trigger.Watched(watched)}, nil
	case OnInterval:
		next := later(c.Unix, uint64(max(t.Trigger.Every, 0)))
		return Schedule{Kind: Timed, Prev: c.Unix, Next: later(next, JitterOffset(self, c.Unix, t.Trigger.Jitter))}, nil
	case OnCron:
		cron, err := ParseCron(t.Trigger.Cron)
		if err != nil {
			return Schedule{}, err
		}
		s := Schedule{Kind: Timed, Prev: c.Unix}
		if next, found := cron.After(time.Unix(c.Unix, 0)); found {
			s.Next = later(next.Unix(), JitterOffset(self, c.Unix, t.Trigger.Jitter))
		}
		return s, nil
	case OnSlot:
		return Schedule{Kind: Block, Prev: clamped(c.Slot), Next: clamped(t.Trigger.Number)}, nil
	case OnEpoch:
		return Schedule{Kind: Block, Prev: clamped(c.Epoch), Next: clamped(t.Trigger.Number)}, nil
	case OnTimestamp: // never again
		return Schedule{Kind: Timed, Prev: c.Unix, Next: math.MaxInt64}, nil
	default:
		return Schedule{Kind: Timed, Prev: c.Unix}, nil
	}
}

// later adds seconds to a time, and stops at the last that there is.
func later(unix int64, seconds uint64) int64 {
	if add := clamped(seconds); unix <= math.MaxInt64-add {
		return unix + add
	}
	return math.MaxInt64
}

func clamped(n uint64) int64 { return int64(min(n, math.MaxInt64)) }
