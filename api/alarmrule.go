package api

import (
	"time"

	"github.com/orthd/orth/alarm"
)

// AlarmRule defines the conditions of an alarm and its recipients. Absent fields have their
// defaults.
type AlarmRule struct {
	ID int64 `json:"id"`
	AlarmRuleFields
	Enabled   bool  `json:"enabled" doc:"Whether it raises alarms."`
	Version   int64 `json:"version" doc:"Grows with each change."`
	CreatedAt Time  `json:"created_at" format:"date-time"`
	UpdatedAt Time  `json:"updated_at" format:"date-time"`
}

// NewAlarmRule is a rule to be created.
type NewAlarmRule struct {
	AlarmRuleFields
	Enabled *bool `json:"enabled,omitempty" doc:"Whether it raises alarms. Defaults to true."`
}

// AlarmRuleFields are the fields of a rule that a user sets.
type AlarmRuleFields struct {
	Namespace string         `json:"namespace,omitempty" doc:"Defaults to the namespace of the request."`
	Key       string         `json:"key" example:"nightly" doc:"Written like the key of a job."`
	Title     string         `json:"title,omitempty" maxLength:"200" doc:"A text for people."`
	Kinds     []alarm.Kind   `json:"kinds" minItems:"1" nullable:"false" enum:"failed,timed_out,lost,streak,failure_rate,slow,not_started,missed,backlog,group_down,dead_letter" doc:"The conditions that raise it. failed, timed_out, lost: a run ended like this, after its last attempt; streak: count runs in a row ended badly; failure_rate: percent of the runs within window did; slow: an attempt took longer than longer, or than factor times the 95th percentile; not_started: a run is due for within, and has not started; missed: a firing was not carried out; backlog: count runs of a group have been waiting for all of for; group_down: a group with enabled jobs has had no executor for all of for; dead_letter: a run became a dead letter."`
	Scope     AlarmScope     `json:"scope,omitzero" doc:"The objects it applies to. Defaults to everything in the namespace."`
	Severity  alarm.Severity `json:"severity,omitempty" enum:"info,warning,critical" doc:"Defaults to warning."`

	Count   int      `json:"count,omitempty" minimum:"0" maximum:"1000000" doc:"For streak and backlog. Defaults to 3, for backlog to 1000."`
	Percent int      `json:"percent,omitempty" minimum:"0" maximum:"100" doc:"For failure_rate. Defaults to 50."`
	MinRuns int      `json:"min_runs,omitempty" minimum:"0" maximum:"1000000" doc:"For failure_rate: how many runs must have ended within window. Defaults to 5."`
	Window  Duration `json:"window,omitzero" pattern:"^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$" patternDescription:"a duration such as 500ms, 30s or 1h30m" doc:"For failure_rate. Defaults to 1h."`
	Longer  Duration `json:"longer,omitzero" pattern:"^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$" patternDescription:"a duration such as 500ms, 30s or 1h30m" doc:"For slow: how long an attempt may take."`
	Factor  float64  `json:"factor,omitempty" minimum:"0" maximum:"100" doc:"For slow: how many times the 95th percentile an attempt may take, 1.1 or more. Needs 20 attempts before it."`
	Within  Duration `json:"within,omitzero" pattern:"^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$" patternDescription:"a duration such as 500ms, 30s or 1h30m" doc:"For not_started. Defaults to 5m."`
	For     Duration `json:"for,omitzero" pattern:"^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$" patternDescription:"a duration such as 500ms, 30s or 1h30m" doc:"For backlog and group_down. Defaults to 2m."`

	Channels  []string      `json:"channels" minItems:"1" maxItems:"16" nullable:"false" doc:"The keys of the channels that carry its messages, in the same namespace."`
	Recovered bool          `json:"recovered,omitempty" doc:"Also notify on recovery."`
	GroupBy   alarm.GroupBy `json:"group_by,omitempty" enum:"job,group,rule" doc:"Which alarms share a message: those of a job, of the jobs of a group of executors, or all of the rule. Defaults to group."`
	Wait      Duration      `json:"wait,omitzero" pattern:"^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$" patternDescription:"a duration such as 500ms, 30s or 1h30m" doc:"How long the first message waits for more of the same. Defaults to 10s."`
	Interval  Duration      `json:"interval,omitzero" pattern:"^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$" patternDescription:"a duration such as 500ms, 30s or 1h30m" doc:"The least time between two messages while more comes. Defaults to 5m."`
	Repeat    Repeat        `json:"repeat,omitzero" pattern:"^(never|([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+)$" patternDescription:"never, or a duration such as 30s or 1h30m" example:"4h" doc:"When it is notified again although nothing is new; never for not at all. Defaults to 4h."`

	Escalation []AlarmStep `json:"escalation,omitempty" maxItems:"8" nullable:"false" doc:"Further recipients when it lasts and has not been acknowledged, the earliest first."`
}

// AlarmScope selects the objects of a rule or a silence. An object must match every part
// that is present.
type AlarmScope struct {
	Jobs   []string          `json:"jobs,omitempty" maxItems:"64" nullable:"false" example:"[\"billing-*\"]" doc:"Keys of jobs; a * at the end stands for any rest."`
	Groups []string          `json:"groups,omitempty" maxItems:"64" nullable:"false" doc:"Keys of groups; a * at the end stands for any rest."`
	Labels map[string]string `json:"labels,omitempty" doc:"Labels that the job must have; the value * stands for any."`
}

// AlarmStep is a step of an escalation.
type AlarmStep struct {
	After    Duration `json:"after" pattern:"^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$" patternDescription:"a duration such as 500ms, 30s or 1h30m" example:"30m" doc:"How long the alarm must have lasted."`
	Channels []string `json:"channels" minItems:"1" maxItems:"16" nullable:"false" doc:"The keys of the channels that hear of it then."`
}

// AlarmRuleList is the rules of a namespace in order of key.
type AlarmRuleList struct {
	Rules []AlarmRule `json:"rules" nullable:"false"`
}

// FromAlarmRule returns the rule as the API shows it.
func FromAlarmRule(r alarm.Rule) AlarmRule {
	return AlarmRule{
		ID: r.ID, Enabled: r.Enabled, Version: r.Version, CreatedAt: At(r.CreatedAt), UpdatedAt: At(r.UpdatedAt),
		AlarmRuleFields: AlarmRuleFields{
			Namespace: r.Namespace, Key: r.Key, Title: r.Title, Kinds: r.Kinds, Scope: AlarmScope(r.Scope), Severity: r.Severity,
			Count: r.Count, Percent: r.Percent, MinRuns: r.MinRuns, Window: Duration(r.Window), Longer: Duration(r.Longer), Factor: r.Factor,
			Within: Duration(r.Within), For: Duration(r.For), Channels: r.Channels, Recovered: r.Recovered, GroupBy: r.GroupBy,
			Wait: Duration(r.Wait), Interval: Duration(r.Interval), Repeat: Repeat(r.Repeat),
			Escalation: convert(r.Escalation, func(s alarm.Step) AlarmStep { return AlarmStep{Duration(s.After), s.Channels} }),
		},
	}
}

// Rule returns the rule that the fields describe. Nothing is checked and no default
// is filled in here.
func (f AlarmRuleFields) Rule() alarm.Rule {
	return alarm.Rule{
		Namespace: f.Namespace, Key: f.Key, Title: f.Title, Kinds: f.Kinds, Scope: alarm.Scope(f.Scope), Severity: f.Severity,
		Count: f.Count, Percent: f.Percent, MinRuns: f.MinRuns, Window: time.Duration(f.Window), Longer: time.Duration(f.Longer), Factor: f.Factor,
		Within: time.Duration(f.Within), For: time.Duration(f.For), Channels: f.Channels, Recovered: f.Recovered, GroupBy: f.GroupBy,
		Wait: time.Duration(f.Wait), Interval: time.Duration(f.Interval), Repeat: time.Duration(f.Repeat),
		Escalation: convert(f.Escalation, func(s AlarmStep) alarm.Step { return alarm.Step{After: time.Duration(s.After), Channels: s.Channels} }),
	}
}

// Repeat is a duration, or [alarm.Never]: in JSON "never".
type Repeat time.Duration

// never is the text of alarm.Never.
const never = "never"

// String returns the text that goes into JSON.
func (r Repeat) String() string {
	if time.Duration(r) == alarm.Never {
		return never
	}
	return Duration(r).String()
}

// MarshalText returns the text that goes into JSON.
func (r Repeat) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads "never", or what [time.ParseDuration] reads.
func (r *Repeat) UnmarshalText(text []byte) error {
	if string(text) == never {
		*r = Repeat(alarm.Never)
		return nil
	}
	return (*Duration)(r).UnmarshalText(text)
}
