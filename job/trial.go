package job

import (
	"math"
	"time"
)

// Limits of trials.
const (
	// MaxTrials bounds the trials in progress on a server; of one user and job only one may
	// be.
	MaxTrials           = 10
	DefaultTrialTimeout = time.Minute
	MaxTrialTimeout     = 10 * time.Minute
	// TrialPatience is how long a trial waits for an executor.
	TrialPatience = time.Minute
	// trialGrace is how much later than its timeout the server ends a trial whose
	// executor does not.
	trialGrace = 30 * time.Second
)

// Executors identify jobs by their ids, and many of them keep one thread, one script and
// one version of it for each: a trial under the id of its job would end the run that the
// job has there. So trials have ids of their own, the highest that the wire can carry.
const (
	trialIDs = 1 << 20
	// MaxJobID is the highest id that a job can have.
	MaxJobID = math.MaxInt32 - trialIDs
)

// Trial is the trial of a Run of [CauseTrial]: a job without any consequence, or code that
// is not saved.
type Trial struct {
	RunID int64
	JobID int64
	By    Author
	// Owner identifies the user, as in idempotency keys; not for people.
	Owner string
	// Handler replaces the job's code; nil for the job's own.
	Handler *Handler
	Timeout time.Duration
}

// Check reports the first thing wrong with the timeout of a trial.
func (t *Trial) Check() error {
	if t.Timeout < time.Second || t.Timeout > MaxTrialTimeout {
		return FieldErrorf("timeout", "%s is not between 1s and %s", t.Timeout, MaxTrialTimeout)
	}
	return nil
}

// Job returns the job as the trial runs it: once, in parallel with other runs, and without
// effects of its end. It shares the contents of j's slices and maps.
func (t *Trial) Job(j *Job) Job {
	tried := *j
	if t.Handler != nil {
		tried.Handler, tried.Template, tried.TemplateVersion = *t.Handler, 0, 0
	}
	tried.Timeout = t.Timeout
	if tried.Route == RouteBroadcast {
		tried.Route, tried.Shards = RouteRound, 0
	}
	tried.Overlap, tried.OverlapScope, tried.Concurrency = OverlapSerial, ScopeExecutor, 0
	tried.OnCrash, tried.Children, tried.StopAfter = CrashReport, nil, 0
	tried.Delivery.Deadline, tried.Delivery.ExpireAfter = t.Timeout+trialGrace, TrialPatience
	tried.Logs.Off = false
	return tried
}

// TaskJobID returns the id under which executors know the job of the run: that of the
// job, and for a trial one of its own.
func (r *Run) TaskJobID() int64 {
	if r.Cause != CauseTrial {
		return r.JobID
	}
	return MaxJobID + 1 + r.ID%trialIDs
}
