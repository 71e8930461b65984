package alarm

import (
	"slices"
	"time"

	"github.com/orthd/orth/job"
)

// Kind is something that is worth an alarm. The values are stored and served as
// they are.
type Kind string

// The kinds. Those of runs are about runs that are over after their last attempt;
// the shards of a broadcast raise none, the run that was split does.
const (
	KindFailed   Kind = "failed"    // a run failed
	KindTimedOut Kind = "timed_out" // a run took longer than its job allows
	KindLost     Kind = "lost"      // a run's executor was lost, or its deadline passed
	// KindStreak: Rule.Count runs of a job in a row ended badly.
	KindStreak Kind = "streak"
	// KindRate: of the runs of a job that ended within Rule.Window, at least
	// Rule.MinRuns, Rule.Percent or more ended badly.
	KindRate Kind = "failure_rate"
	// KindSlow: an attempt took longer than Rule.Longer, or than Rule.Factor times
	// the 95th percentile of the job's last attempts.
	KindSlow Kind = "slow"
	// KindNotStarted: a run is due for Rule.Within, and no executor has begun it.
	KindNotStarted Kind = "not_started"
	// KindMissed: a firing was not carried out: it was skipped because it came too
	// late, or a run was given up before an executor took it.
	KindMissed Kind = "missed"
	// KindBacklog: Rule.Count runs of a group or more have been waiting, for all
	// of Rule.For.
	KindBacklog Kind = "backlog"
	// KindGroupDown: a group that has enabled jobs has had no executor, for all of
	// Rule.For.
	KindGroupDown Kind = "group_down"
	// KindDeadLetter: a run has become a dead letter.
	KindDeadLetter Kind = "dead_letter"
)

// Kinds returns every kind.
func Kinds() []Kind {
	return []Kind{
		KindFailed, KindTimedOut, KindLost, KindStreak, KindRate, KindSlow, KindNotStarted, KindMissed,
		KindBacklog, KindGroupDown, KindDeadLetter,
	}
}

// Known reports whether k is one of the kinds above.
func (k Kind) Known() bool { return slices.Contains(Kinds(), k) }

// OfGroup reports whether alarms of the kind are about a group of executors and
// not about a job.
func (k Kind) OfGroup() bool { return k == KindBacklog || k == KindGroupDown }

// Severity says how bad it is. The values are stored and served as they are.
type Severity string

// The severities.
const (
	Info     Severity = "info"
	Warning  Severity = "warning"
	Critical Severity = "critical"
)

// Severities returns every severity, the least first.
func Severities() []Severity { return []Severity{Info, Warning, Critical} }

// Scope says what a rule or a silence is about. What is empty leaves nothing out;
// something has to fit every part that is not.
type Scope struct {
	// Jobs and Groups are keys; a trailing * stands for any rest.
	Jobs   []string `json:"jobs,omitempty"`
	Groups []string `json:"groups,omitempty"`
	// Labels are labels that the job must have; the value * stands for any.
	Labels map[string]string `json:"labels,omitempty"`
}

// Limits of what a definition may say.
const (
	MaxScope    = 64 // entries of a part of a Scope
	MaxChannels = 16 // of a rule, and of a step of its escalation
	MaxSteps    = 8  // of an escalation
	MaxTitle    = 200
	MaxTemplate = 8 << 10 // bytes of a template's text
	// MaxFor bounds every duration of a rule.
	MaxFor = 30 * 24 * time.Hour
)

// GroupBy says which alarms share a message. The values are stored and served as
// they are.
type GroupBy string

// The ways to share.
const (
	ByJob  GroupBy = "job"   // those of one job (of one group of executors, when it is about that)
	ByPool GroupBy = "group" // those of the jobs of one group of executors
	ByRule GroupBy = "rule"  // all of the rule
)

// Rule says what is worth an alarm, and who hears of it.
type Rule struct {
	ID        int64    `json:"id"`
	Namespace string   `json:"namespace"`
	Key       string   `json:"key"`
	Title     string   `json:"title,omitempty"`
	Enabled   bool     `json:"enabled"`
	Kinds     []Kind   `json:"kinds"` // at least one
	Scope     Scope    `json:"scope,omitzero"`
	Severity  Severity `json:"severity"` // defaults to Warning

	// What the kinds need; see there. Zero means the default: Count 3, for a backlog
	// 1,000; Percent 50; Window 1 h; MinRuns 5; Within 5 m; For 2 m. Of Longer and
	// Factor one or both must be set for KindSlow.
	Count   int           `json:"count,omitempty"`
	Percent int           `json:"percent,omitempty"` // 1..100
	MinRuns int           `json:"min_runs,omitempty"`
	Window  time.Duration `json:"window,omitempty"`
	Longer  time.Duration `json:"longer,omitempty"`
	Factor  float64       `json:"factor,omitempty"` // 1.1..100
	Within  time.Duration `json:"within,omitempty"`
	For     time.Duration `json:"for,omitempty"`

	// Channels are keys of channels in the same namespace, at least one.
	Channels []string `json:"channels"`
	// Recovered says that the end of an alarm is told too.
	Recovered bool `json:"recovered,omitempty"`
	// GroupBy defaults to ByPool. Wait is how long the first message of an alarm
	// waits for more of the same; Interval the least time between two messages
	// about it while more comes; Repeat when it is told again although nothing is
	// new. Default to 10 s, 5 m and 4 h; Repeat may be Never.
	GroupBy  GroupBy       `json:"group_by,omitempty"`
	Wait     time.Duration `json:"wait,omitempty"`
	Interval time.Duration `json:"interval,omitempty"`
	Repeat   time.Duration `json:"repeat,omitempty"`
	// Escalation is who else hears of it when it lasts, and nobody has taken note.
	Escalation []Step `json:"escalation,omitempty"`

	Version   int64     `json:"version"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Never as a Rule's Repeat: it is not told again.
const Never time.Duration = -1

// Step is a step of an escalation: once an alarm has lasted for After, and nobody has
// taken note of it, the Channels hear of it too.
type Step struct {
	After    time.Duration `json:"after"`
	Channels []string      `json:"channels"`
}

// BadEnd returns the kind of a run's bad end, and false when it is none.
func BadEnd(state job.State) (Kind, bool) {
	switch state {
	case job.Failed:
		return KindFailed, true
	case job.TimedOut:
		return KindTimedOut, true
	case job.Lost:
		return KindLost, true
	default:
		return "", false
	}
}
