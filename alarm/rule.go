package alarm

import (
	"slices"
	"time"

	"github.com/orthd/orth/job"
)

// Kind is a condition that raises an alarm. The values are part of the database and the
// API.
type Kind string

// The kinds. Those of runs apply to runs that are finished after their last attempt. The
// shards of a broadcast raise no alarm; the run that was split does.
const (
	KindFailed   Kind = "failed"    // a run failed
	KindTimedOut Kind = "timed_out" // a run took longer than its job allows
	KindLost     Kind = "lost"      // a run's executor was lost, or its deadline passed
	// KindStreak: Rule.Count runs of a job in a row ended badly.
	KindStreak Kind = "streak"
	// KindRate: of the job's runs that ended within Rule.Window, Rule.Percent or more ended
	// badly. There must be at least Rule.MinRuns of them.
	KindRate Kind = "failure_rate"
	// KindSlow: an attempt took longer than Rule.Longer, or than Rule.Factor times the 95th
	// percentile of the job's last attempts.
	KindSlow Kind = "slow"
	// KindNotStarted: a run has been due for Rule.Within, and no executor has started it.
	KindNotStarted Kind = "not_started"
	// KindMissed: a firing was skipped because it was too late, or a run was given up
	// before an executor accepted it.
	KindMissed Kind = "missed"
	// KindBacklog: at least Rule.Count runs of a group have been waiting for all of
	// Rule.For.
	KindBacklog Kind = "backlog"
	// KindGroupDown: a group with enabled jobs has had no executor for all of Rule.For.
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

// Known reports whether k is a valid kind.
func (k Kind) Known() bool { return slices.Contains(Kinds(), k) }

// OfGroup reports whether alarms of the kind concern a group of executors and not a job.
func (k Kind) OfGroup() bool { return k == KindBacklog || k == KindGroupDown }

// Severity is the severity of an alarm. The values are part of the database and the API.
type Severity string

// The severities.
const (
	Info     Severity = "info"
	Warning  Severity = "warning"
	Critical Severity = "critical"
)

// Severities returns every severity in ascending order.
func Severities() []Severity { return []Severity{Info, Warning, Critical} }

// Scope selects the jobs and groups that a rule or a silence applies to. An empty part
// matches everything. Every other part must match.
type Scope struct {
	// Jobs and Groups are keys; a trailing * matches any suffix.
	Jobs   []string `json:"jobs,omitempty"`
	Groups []string `json:"groups,omitempty"`
	// Labels are labels that the job must have; the value * matches any value.
	Labels map[string]string `json:"labels,omitempty"`
}

// Limits of definitions.
const (
	MaxScope    = 64 // entries of a part of a Scope
	MaxChannels = 16 // of a rule, and of a step of its escalation
	MaxSteps    = 8  // of an escalation
	MaxTitle    = 200
	MaxTemplate = 8 << 10 // bytes of a template's text
	// MaxFor bounds every duration of a rule.
	MaxFor = 30 * 24 * time.Hour
)

// GroupBy defines which alarms share a message. The values are part of the database and the
// API.
type GroupBy string

// The ways to group.
const (
	ByJob  GroupBy = "job"   // those of one job, or of one group of executors for kinds of groups
	ByPool GroupBy = "group" // those of the jobs of one group of executors
	ByRule GroupBy = "rule"  // all of the rule
)

// Rule defines which conditions raise an alarm, and which channels are notified.
type Rule struct {
	ID        int64    `json:"id"`
	Namespace string   `json:"namespace"`
	Key       string   `json:"key"`
	Title     string   `json:"title,omitempty"`
	Enabled   bool     `json:"enabled"`
	Kinds     []Kind   `json:"kinds"` // at least one
	Scope     Scope    `json:"scope,omitzero"`
	Severity  Severity `json:"severity"` // defaults to Warning

	// Parameters of the kinds; see there. Zero means the default: Count 3, for a backlog
	// 1,000; Percent 50; Window 1 h; MinRuns 5; Within 5 m; For 2 m. KindSlow requires
	// Longer, Factor or both.
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
	// Recovered enables a message when the alarm is resolved.
	Recovered bool `json:"recovered,omitempty"`
	// GroupBy defaults to ByPool. Wait is how long the first message of an alarm waits for
	// more events. Interval is the minimum time between two messages with new events.
	// Repeat is the time until an unchanged alarm is sent again. They default to 10 s, 5 m
	// and 4 h; Repeat may be Never.
	GroupBy  GroupBy       `json:"group_by,omitempty"`
	Wait     time.Duration `json:"wait,omitempty"`
	Interval time.Duration `json:"interval,omitempty"`
	Repeat   time.Duration `json:"repeat,omitempty"`
	// Escalation lists further channels for an alarm that lasts and is not acknowledged.
	Escalation []Step `json:"escalation,omitempty"`

	Version   int64     `json:"version"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Never as a Rule's Repeat disables repetition.
const Never time.Duration = -1

// Step is a step of an escalation. When an alarm has lasted for After without being
// acknowledged, the Channels are notified too.
type Step struct {
	After    time.Duration `json:"after"`
	Channels []string      `json:"channels"`
}

// BadEnd returns the kind of a run's bad end. It returns false for other states.
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
