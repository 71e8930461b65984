// Package route picks the executor that gets an attempt.
//
// It knows the strategies, one value with one method each, in a file of its own. It must
// never know leases, breakers, tasks or a protocol: it queries whether an address answers
// through a [Prober]. It takes a job's id and the live addresses, and returns one address,
// or the reason why there is none.
package route

import (
	"context"
	"math/rand/v2"

	"github.com/orthd/orth/job"
)

// Prober queries executors. The time limit of one query is the Prober's; any error means
// that the executor must not be picked, and its text reaches the user.
type Prober interface {
	Beat(ctx context.Context, address string) error
	// IdleBeat asks whether the executor runs the job, or has it queued.
	IdleBeat(ctx context.Context, address string, jobID int64) (busy bool, err error)
}

// Request is the input of a pick.
type Request struct {
	JobID int64
	// Addresses are the base URLs that may be picked, without repetitions.
	// The order matters to first, last, round, failover and busyover, so pass
	// them sorted: then every server sees the same order. They are read during
	// the call and may be kept, so they must not be changed afterwards.
	Addresses []string
	// Load returns how many tasks are under way at an address, for
	// least_loaded. Nil means that all have the same.
	Load func(address string) int
	// Weight returns the weight of an address, for weighted: 0 keeps it out
	// while another has more, less counts as 0. Nil means that all have 1.
	Weight func(address string) int
	// Shard, Try and Home are for broadcast: the number of the part, 0 for the
	// first, how many tries it has had, and the address that it is to go to, if
	// that may be picked; empty for none.
	Shard int
	Try   int
	Home  string
}

// Choice is the result of a pick.
type Choice struct {
	// Address is one of the Request's.
	Address string
	// Note lists the addresses that were passed over and why; empty when the strategy
	// queried none.
	Note string
}

// strategy is one way to pick. It is called with at least one address and must
// be safe for concurrent use.
type strategy interface {
	choose(ctx context.Context, r Request) (Choice, error)
}

// Config is what a Set needs.
type Config struct {
	// Prober is asked by failover and busyover only. Defaults to none, and
	// then they are refused as not configured.
	Prober Prober
	// Random returns a number in [0,n) and is called from many goroutines.
	// Defaults to [rand.IntN].
	Random func(n int) int
}

// Set has every strategy, built once. It is safe for concurrent use. It holds what
// strategies remember of jobs: each server has its own.
type Set struct {
	strategies map[job.Route]strategy // read only after NewSet
}

// NewSet returns the strategies.
func NewSet(c Config) *Set {
	if c.Random == nil {
		c.Random = rand.IntN
	}
	return &Set{strategies: map[job.Route]strategy{
		job.RouteFirst:          first{},
		job.RouteLast:           last{},
		job.RouteRound:          newRound(c.Random),
		job.RouteRandom:         random{draw: c.Random},
		job.RouteConsistentHash: newConsistent(),
		job.RouteLeastFrequent:  newFrequent(c.Random),
		job.RouteLeastRecent:    newLongest(),
		job.RouteFailover:       failover{prober: c.Prober},
		job.RouteBusyover:       busyover{prober: c.Prober},
		job.RouteLeastLoaded:    newLeast(c.Random),
		job.RouteWeighted:       newWeighted(),
		job.RouteBroadcast:      shard{},
	}}
}

// Pick chooses one of r.Addresses by the strategy kind. To try another address after a
// failed attempt to send, call it again without the address that failed.
//
// The error is job.Invalid when kind is unknown, job.Unavailable when no address is there
// or none of them answers, and the context's own when ctx ended first.
func (s *Set) Pick(ctx context.Context, kind job.Route, r Request) (Choice, error) {
	chosen, known := s.strategies[kind]
	if !known {
		return Choice{}, job.FieldErrorf("route", "%q is unknown; use one of %v", kind, job.Routes())
	}
	if len(r.Addresses) == 0 {
		return Choice{}, job.Errorf(job.Unavailable, "no executor of the group is alive")
	}
	return chosen.choose(ctx, r)
}
