package job

import "slices"

// State is the state of a Run or an Attempt. The values are stored and served as they are,
// so they never change.
type State string

// The states of a Run, in the order of its life. An Attempt uses Dispatched,
// Running and the final ones only.
const (
	Planned      State = "planned"
	Queued       State = "queued"
	Dispatched   State = "dispatched"
	Running      State = "running"
	Stopping     State = "stopping"
	WaitingRetry State = "waiting_retry"
	Succeeded    State = "succeeded"
	Failed       State = "failed"
	TimedOut     State = "timed_out"
	Cancelled    State = "cancelled"
	Lost         State = "lost"
	Skipped      State = "skipped"
)

// moves is the table of legal moves of a Run. A state that is absent is final.
var moves = map[State][]State{
	Planned:      {Queued, Dispatched, Cancelled, Skipped, Failed},
	Queued:       {Dispatched, Cancelled, Skipped, Failed, Lost},
	Dispatched:   {Running, Stopping, Queued, WaitingRetry, Succeeded, Failed, TimedOut, Cancelled, Lost, Skipped},
	Running:      {Stopping, WaitingRetry, Succeeded, Failed, TimedOut, Cancelled, Lost, Skipped},
	Stopping:     {Succeeded, Failed, TimedOut, Cancelled, Lost},
	WaitingRetry: {Dispatched, Queued, Cancelled, Failed, Lost},
}

// States returns every state in the order of a Run's life. The caller owns the
// slice.
func States() []State {
	return []State{
		Planned, Queued, Dispatched, Running, Stopping, WaitingRetry,
		Succeeded, Failed, TimedOut, Cancelled, Lost, Skipped,
	}
}

// MayMove reports whether a Run may pass from one state to the other. A move to the same
// state is refused.
func MayMove(from, to State) bool { return slices.Contains(moves[from], to) }

// Final reports whether nothing follows s.
func (s State) Final() bool {
	_, open := moves[s]
	return !open && s.Known()
}

// Known reports whether s is one of the states above.
func (s State) Known() bool { return slices.Contains(States(), s) }

// Waiting reports whether the Run is still to be sent: it is planned, queued or waiting for
// its next try.
func (s State) Waiting() bool { return s == Planned || s == Queued || s == WaitingRetry }

// Cause is why a Run exists.
type Cause string

// The causes of a Run.
const (
	CauseSchedule Cause = "schedule"
	CauseMisfire  Cause = "misfire"
	CauseManual   Cause = "manual"
	CauseAPI      Cause = "api"
	CauseParent   Cause = "parent"
	CauseRetry    Cause = "retry"
	CauseBackfill Cause = "backfill"
	// CauseRedrive: the run replaces a dead one; see [DeadLetter].
	CauseRedrive Cause = "redrive"
	// CauseShard: the run is a shard of another run; see [Broadcast].
	CauseShard Cause = "shard"
	// CauseTrial: a user tries a job, or code that is not saved. Its end has no effects;
	// see [Trial].
	CauseTrial Cause = "trial"
)

// Known reports whether c is one of the causes above.
func (c Cause) Known() bool {
	switch c {
	case CauseSchedule, CauseMisfire, CauseManual, CauseAPI, CauseParent, CauseRetry, CauseBackfill, CauseShard, CauseRedrive, CauseTrial:
		return true
	}
	return false
}
