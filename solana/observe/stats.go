package observe

import "time"

// Stats are figures of what is observed. Those without a comment count since the beginning.
type Stats struct {
	Endpoints []EndpointStats
	Slot      uint64        // newest that is known
	ClockAge  time.Duration // since the newest tick; 0: there was none
	Tracked   int           // threads that are followed now
	Watched   int           // parts of accounts that are watched now
	Waiting   int           // events that wait to be taken now

	Ready            uint64 // threads that were emitted as ready
	RefusedThreads   uint64 // states of threads beyond MostThreads
	RefusedWatches   uint64 // triggers beyond MostWatched, or beyond 64 KiB
	Undecodable      uint64 // accounts of the program that are none of its threads
	Old              uint64 // states and ticks that were no newer than what was known
	FarBehind        uint64 // ticks more than 64 slots behind
	DroppedGone      uint64 // ThreadGone events without a receiver
	Backfills        uint64 // lists of all threads
	FailedBackfills  uint64
	LastBackfill     time.Time // zero: none
	ClockPolls       uint64
	Refreshes        uint64 // reads of threads and of watched accounts
	FailedRefreshes  uint64 // and failed polls of the clock
	ClockIsSilent    bool   // no subscription reports the clock now
	EndpointsUp      int    // now
	MostThreads      int    // of the configuration
	MostWatchedParts int    // of the configuration
}

// EndpointStats are figures of a node that is subscribed to.
type EndpointStats struct {
	Name     string // host
	Up       bool   // it is subscribed to now
	Slot     uint64 // newest of its clock
	Lag      uint64 // slots behind the newest that is known
	Messages uint64
	Garbage  uint64 // messages that cannot be read
	Stray    uint64 // messages of subscriptions that this client did not make
	Refused  uint64 // subscriptions
	Connects uint64
	Failures uint64 // connections that have ended, or never were
	Reason   string // why the last of them has; empty: none has
}

// Stats returns the figures.
func (o *Observer) Stats() Stats {
	now := time.Now()
	o.mu.Lock()
	b := o.book
	s := Stats{
		Slot: b.clock.tick.Slot, Tracked: len(b.threads), Watched: len(b.watches.all), Waiting: b.ready.len() + b.news.len(),
		Ready: b.counts.ready, RefusedThreads: b.counts.refused, RefusedWatches: b.watches.refused, Undecodable: b.counts.undecodable,
		Old: b.counts.old, FarBehind: b.counts.far, DroppedGone: b.counts.dropped,
		Backfills: o.reads.lists, FailedBackfills: o.reads.failedLists, LastBackfill: o.reads.listedAt, ClockPolls: o.reads.polls,
		Refreshes: o.reads.refreshes, FailedRefreshes: o.reads.failedReads, ClockIsSilent: now.Sub(o.reads.spokenAt) >= o.config.Silence,
		MostThreads: b.most, MostWatchedParts: b.watches.most,
	}
	if b.tickNews {
		s.Waiting++
	}
	if b.clock.known {
		s.ClockAge = now.Sub(b.clock.heard)
	}
	o.mu.Unlock()
	for _, from := range o.sources {
		e := EndpointStats{
			Name: from.name, Up: from.up.Load(), Slot: from.slot.Load(), Messages: from.messages.Load(), Garbage: from.garbage.Load(),
			Stray: from.stray.Load(), Refused: from.refused.Load(), Connects: from.connects.Load(), Failures: from.failures.Load(),
		}
		if why := from.reason.Load(); why != nil {
			e.Reason = *why
		}
		if e.Up {
			s.EndpointsUp++
		}
		if s.Slot > e.Slot {
			e.Lag = s.Slot - e.Slot
		}
		s.Endpoints = append(s.Endpoints, e)
	}
	return s
}

// anyUp reports whether any node is subscribed to.
func (o *Observer) anyUp() bool {
	for _, s := range o.sources {
		if s.up.Load() {
			return true
		}
	}
	return false
}
