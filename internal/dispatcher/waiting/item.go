package waiting

import (
	"math/rand/v2"
	"time"

	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/internal/route"
	"github.com/orthd/orth/job"
)

// Ranks is the number of priorities: an item's rank is below it, 0 is the highest.
const Ranks = 3

// HeldRun is a run in memory. One goroutine owns it at a time: the loop, a probe, a lane or
// the settler.
type HeldRun struct {
	Run     job.Run
	Due     time.Time
	Claimed bool // it came from a claim and not from Take
	// Lease is when the run's row becomes visible to others, as stored, and renewals how
	// often that was postponed.
	Lease    time.Time
	Renewals int
	// Move is the uncommitted one that makes the run; until its commit there is no row, and
	// the run needs one from land on.
	Move *planner.Move
	Land time.Time
	Soon bool // it is processed Config.Early before it is due, and not Config.Lead
	Rank int  // of its priority

	Job     *job.Job      // the definition to send; shared, never changed
	Picked  bool          // the router has answered
	Address string        // what it picked; empty when the run has to wait
	Note    string        // why that one, or why none
	Again   time.Duration // the least time to wait
	Early   bool          // it goes back before its time, see [Requeued.Early]
	Homes   []string      // the executors that the run is split over; nil when it is not

	Attempt job.Attempt // set by the mark
	Task    job.Task
	SendAt  time.Time // when it may leave: a task that carries its start time leaves at once
	// CheckAt is the mark's, by the database's time. window is the same instant by this
	// machine's clock: from then on upkeep owns the attempt.
	CheckAt, Window time.Time
}

// LeaseLeft returns how long this server still owns the attempt. The stricter of the machine's
// two clocks counts: one may be set back, the other stands still while a machine sleeps.
func (it *HeldRun) LeaseLeft(now time.Time) time.Duration {
	return min(it.Window.Sub(now), it.Window.Round(0).Sub(now.Round(0)))
}

// Waited returns how long the run is overdue for sending. A run may be created long before
// it is due.
func (it *HeldRun) Waited(now time.Time) time.Duration {
	since := it.Run.CreatedAt
	if it.Run.State == job.Planned {
		since = Later(since, it.Due)
	}
	return now.Sub(since)
}

// ForgetPick resets the pick of the item.
func (it *HeldRun) ForgetPick() {
	it.Picked, it.Address, it.Note, it.Again, it.Homes = false, "", "", 0, nil
}

// Expired reports whether the run has waited too long and no executor has ever
// taken it.
func (it *HeldRun) Expired(now time.Time) bool {
	end := it.ExpireAt()
	return !end.IsZero() && !now.Before(end) && it.Run.Tries == it.Run.Undelivered
}

// ExpireAt returns when the run expires, and zero for never. A row has it; a run that was
// handed over was not read from its row.
func (it *HeldRun) ExpireAt() time.Time {
	after := it.Job.Delivery.ExpireAfter
	if it.Claimed || !it.Run.ExpireAt.IsZero() || after <= 0 {
		return it.Run.ExpireAt
	}
	return it.Due.Add(after)
}

// SetRoute stores the router's choice.
func (it *HeldRun) SetRoute(c route.Choice, err error) {
	it.Picked = true
	it.Address, it.Note = c.Address, c.Note
	if err != nil {
		it.Address, it.Note = "", err.Error()
	}
}

// BackOff makes the item wait for the reason, longer each time.
func (it *HeldRun) BackOff(now time.Time, least time.Duration, reason string) {
	it.Address, it.Note, it.Again = "", reason, Patience(it.Waited(now), least)
}

// Splits reports whether the run is to be split into shards.
func (it *HeldRun) Splits() bool { return it.Job.Route == job.RouteBroadcast && it.Run.Shard.IsZero() }

// Request returns the request for the item's route, and the route. A shard keeps to its
// place even if its job has another route by now.
func (it *HeldRun) Request() (route.Request, job.Route) {
	r := route.Request{JobID: it.Job.ID}
	if it.Run.Shard.IsZero() {
		return r, it.Job.Route
	}
	r.Shard, r.Try = it.Run.Shard.Index, it.Run.Tries
	if it.Run.Tries == 0 {
		r.Home = it.Run.Home
	}
	return r, job.RouteBroadcast
}

// The least delays before a run is tried again.
const (
	ProbeAgain = 5 * time.Second        // executors were probed and none would take it
	StuckAgain = time.Second            // its executor does not keep up
	LostAgain  = 100 * time.Millisecond // another writer changed its row
	TrialAgain = 500 * time.Millisecond // another run tests whether its executor has recovered
	CrowdAgain = 200 * time.Millisecond // its group has its share of the memory
	longestTry = 30 * time.Second       // the most, however long it has waited
)

// Patience returns how long a run waits that has already waited for so long: half as long
// again, at least least. So the work for runs that cannot be sent grows with the logarithm
// of the time they wait.
func Patience(waited, least time.Duration) time.Duration {
	wait := min(max(waited/2, least), longestTry)
	return wait + time.Duration((rand.Float64()-0.5)*0.4*float64(wait))
}

// Later returns the later of two instants.
func Later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
