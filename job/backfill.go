package job

import "time"

// Limits of a Backfill.
const (
	// MaxSlots bounds the runs of one.
	MaxSlots = 100_000
	// DefaultSlots bounds them when the request has no limit.
	DefaultSlots = 10_000
	MaxParallel  = 64
	// MaxBackfills bounds those that are not over, of all jobs together.
	MaxBackfills = 1000
)

// BackfillState is the state of a Backfill. The values are stored and served as they are.
type BackfillState string

// The states of a Backfill. All but the first are final.
const (
	BackfillRunning   BackfillState = "running"
	BackfillFinished  BackfillState = "finished"
	BackfillCancelled BackfillState = "cancelled"
)

// Backfill runs a job for the slots of a past time, at a bounded rate: the
// slots of its schedule from From to To, the oldest first.
type Backfill struct {
	ID     int64  `json:"id"`
	JobID  int64  `json:"job_id"`
	JobKey string `json:"job_key,omitempty"` // filled on reads for people, like Namespace
	// Namespace is that of the job.
	Namespace string `json:"namespace,omitempty"`
	// From and To bound the slots: From is included, To is not.
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
	// Slots is how many there are to run, 1..[MaxSlots], counted when the
	// backfill was made. First and Last are the slots at the ends.
	Slots int       `json:"slots"`
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
	// Parallel is how many runs of it may be under way at once,
	// 1..[MaxParallel]; Spacing the time from the start of one to the start of
	// the next.
	Parallel int           `json:"parallel"`
	Spacing  time.Duration `json:"spacing,omitempty"`
	// SkipSucceeded passes over slots that a run of any cause has succeeded
	// for.
	SkipSucceeded bool `json:"skip_succeeded,omitempty"`
	// Param overrides the Job's; nil means the Job's own. JobVersion is the version of the
	// Job that it was given for; zero is any. It is not kept.
	Param      *string `json:"param,omitempty"`
	JobVersion int64   `json:"-"`

	State BackfillState `json:"state"`
	// Reason is why it was cancelled, or could not continue.
	Reason string `json:"reason,omitempty"`
	// Cursor is the last slot that was taken; zero before the first one.
	Cursor time.Time `json:"cursor,omitzero"`
	// Made is the number of its runs, Skipped of the slots passed over, Succeeded and
	// Failed of the runs that ended either way. Every end but a success counts as Failed.
	Made      int `json:"made"`
	Skipped   int `json:"skipped"`
	Succeeded int `json:"succeeded"`
	Failed    int `json:"failed"`
	// Open are the ids of the runs that are not counted as over yet, at most
	// Parallel.
	Open []int64 `json:"-"`
	// StartedAt is when the last run was to be sent: what Spacing counts from.
	StartedAt time.Time `json:"-"`
	CreatedAt time.Time `json:"created_at"`
	EndedAt   time.Time `json:"ended_at,omitzero"`
}
