package observe

import "time"

const (
	// mostAhead is how far the chain's clock is thought to have gone since it was seen to move, in seconds: a chain that stands
	// still has the time at which it stands.
	mostAhead = 2
	// farBehind is how many slots a tick may be older than the newest to be one of a node that follows the chain.
	farBehind = 64
	// chainAnew is how long only ticks from far behind must arrive until the observer
	// assumes that the chain has restarted.
	chainAnew = 30 * time.Second
)

// chainClock is the chain's clock between two ticks: it goes on by the machine's own, from when its time was seen first.
type chainClock struct {
	known  bool
	tick   ClockUpdate // newest
	anchor time.Time   // when tick's time was seen first
	heard  time.Time   // of the last tick that was taken
}

// ticked is what became of a tick.
type ticked uint8

const (
	tickTaken ticked = iota
	tickOld          // no newer than what is known
	tickFar          // of a node that is far behind
	tickAnew         // accepted: the chain has restarted
)

// applyTick takes a tick that has come at an instant, unless it is an old one.
func (c *chainClock) applyTick(tick ClockUpdate, now time.Time) ticked {
	what := tickTaken
	if c.known && tick.Slot <= c.tick.Slot {
		if c.tick.Slot-tick.Slot <= farBehind {
			return tickOld
		}
		if now.Sub(c.heard) < chainAnew {
			return tickFar
		}
		what = tickAnew
	}
	if !c.known || tick.UnixTimestamp != c.tick.UnixTimestamp {
		c.anchor = now
	}
	c.known, c.tick, c.heard = true, tick, now
	return what
}

// estimateAt returns what the chain's time is thought to be, in unix seconds.
func (c *chainClock) estimateAt(now time.Time) int64 {
	return later(c.tick.UnixTimestamp, min(int64(max(0, now.Sub(c.anchor))/time.Second), mostAhead))
}

// instant returns when the chain reaches a time, as far as that can be predicted before the
// next tick.
func (c *chainClock) instant(unix int64) (time.Time, bool) {
	if !c.known || unix > later(c.tick.UnixTimestamp, mostAhead) {
		return time.Time{}, false
	}
	if unix <= c.tick.UnixTimestamp {
		return c.anchor, true // the difference might not fit
	}
	return c.anchor.Add(time.Duration(unix-c.tick.UnixTimestamp) * time.Second), true
}

// later adds seconds, which are not below 0, and stops at the last time that there is.
func later(unix, seconds int64) int64 {
	if sum := unix + seconds; sum >= unix {
		return sum
	}
	return unix
}
