package alarms

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
)

// ruleFlags holds the flags that describe a rule.
type ruleFlags struct {
	title                             string
	kinds, channels                   []string
	scope                             scopeFlags
	severity, groupBy                 kit.Choice
	count, percent, minRuns           int
	window, longer, within, forAtMost time.Duration
	factor                            float64
	wait, interval                    time.Duration
	repeat                            string
	recovered, disabled               bool
	escalate                          []string
}

// scopeFlags holds the flags that select the jobs of a rule or a silence.
type scopeFlags struct{ jobs, groups, labels []string }

func (f *scopeFlags) add(flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.jobs, "job", nil, "only jobs with this `key`, which may end with *; may be repeated (default all)")
	flags.StringSliceVar(&f.groups, kit.GroupFlag, nil, "only this `group` of executors and its jobs, which may end with *; may be repeated (default all)")
	flags.StringArrayVar(&f.labels, "label", nil, "only jobs with this label, `key=value`; the value * matches any value; may be repeated")
}

func (f *scopeFlags) scope() (api.AlarmScope, error) {
	labels, err := kit.ParsePairs("label", f.labels)
	return api.AlarmScope{Jobs: f.jobs, Groups: f.groups, Labels: labels}, err
}

func (f *ruleFlags) add(flags *pflag.FlagSet) {
	f.severity = kit.NewChoice("", "info", "warning", "critical")
	f.groupBy = kit.NewChoice("", "job", "group", "rule")
	flags.SortFlags = false
	flags.StringSliceVar(&f.kinds, "kind", nil, "`kinds` of events that raise an alarm: "+kindNames())
	flags.StringSliceVar(&f.channels, "channel", nil, "`keys` of the channels that deliver the messages")
	f.scope.add(flags)
	flags.Var(&f.severity, "severity", "severity of the alarms (default warning)")
	flags.IntVar(&f.count, "count", 0, "streak: consecutive failed runs (default 3); backlog: waiting runs (default 1000)")
	flags.IntVar(&f.percent, "percent", 0, "failure-rate: percentage of failed runs (default 50)")
	flags.DurationVar(&f.window, "window", 0, "failure-rate: evaluation window (default 1h)")
	flags.IntVar(&f.minRuns, "min-runs", 0, "failure-rate: minimum number of runs in the window (default 5)")
	flags.DurationVar(&f.longer, "longer-than", 0, "slow: attempt duration that raises an alarm")
	flags.Float64Var(&f.factor, "factor", 0, "slow: multiple of the 95th percentile of recent attempts")
	flags.DurationVar(&f.within, "within", 0, "not-started: time that a run is overdue (default 5m)")
	flags.DurationVar(&f.forAtMost, "for", 0, "backlog, group-down: time that the condition must hold (default 2m)")
	flags.BoolVar(&f.recovered, "notify-resolved", false, "also notify when an alarm is resolved")
	flags.Var(&f.groupBy, "group-by", "grouping of alarms into one message: by job, by group of executors, or by rule (default group)")
	flags.DurationVar(&f.wait, "wait", 0, "how long the first message waits for related alarms (default 10s)")
	flags.DurationVar(&f.interval, "interval", 0, "minimum time between two messages about a growing group (default 5m)")
	flags.StringVar(&f.repeat, "repeat", "", "`time` after which an unresolved alarm is notified again, or never (default 4h)")
	flags.StringArrayVar(&f.escalate, "escalate", nil, "`time=channels` to notify when the alarm is not acknowledged within the time, such as 30m=boss,phone; may be repeated")
	flags.StringVar(&f.title, kit.TitleFlag, "", "display `name`")
	flags.BoolVar(&f.disabled, "disabled", false, "disable the rule")
}

// rule returns the rule that the flags describe.
func (f *ruleFlags) rule(flags *pflag.FlagSet) (api.NewAlarmRule, error) {
	wanted := api.NewAlarmRule{AlarmRuleFields: api.AlarmRuleFields{
		Title: f.title, Severity: alarm.Severity(f.severity.Value), Count: f.count, Percent: f.percent, MinRuns: f.minRuns,
		Window: api.Duration(f.window), Longer: api.Duration(f.longer), Factor: f.factor, Within: api.Duration(f.within), For: api.Duration(f.forAtMost),
		Channels: kit.OrEmpty(f.channels), Recovered: f.recovered, GroupBy: alarm.GroupBy(f.groupBy.Value),
		Wait: api.Duration(f.wait), Interval: api.Duration(f.interval),
	}}
	if flags.Changed("disabled") {
		enabled := !f.disabled
		wanted.Enabled = &enabled
	}
	var err error
	if wanted.Kinds, err = readKinds(f.kinds); err != nil {
		return wanted, err
	}
	if wanted.Scope, err = f.scope.scope(); err != nil {
		return wanted, err
	}
	if f.repeat != "" {
		if err := wanted.Repeat.UnmarshalText([]byte(f.repeat)); err != nil {
			return wanted, output.Usagef("--repeat: must be never or a duration such as 4h, got %q", f.repeat)
		}
	}
	for _, text := range f.escalate {
		after, channels, ok := strings.Cut(text, "=")
		step := api.AlarmStep{Channels: strings.Split(channels, ",")}
		if step.After.UnmarshalText([]byte(after)) != nil || !ok || channels == "" {
			return wanted, output.Usagef("--escalate: %q must have the form time=channels, such as 30m=boss,phone", text)
		}
		wanted.Escalation = append(wanted.Escalation, step)
	}
	return wanted, nil
}

// readKinds parses kinds of alarms, written with dashes or underscores.
func readKinds(texts []string) ([]alarm.Kind, error) {
	kinds := make([]alarm.Kind, len(texts))
	for i, text := range texts {
		if kinds[i] = alarm.Kind(underscored(strings.TrimSpace(text))); !kinds[i].Known() {
			return nil, output.Usagef("--kind: unknown kind %q; use one of %s", text, kindNames())
		}
	}
	return kinds, nil
}

// ruleFields maps the flags of a rule to the fields that they change.
func ruleFields() [][2]string {
	return [][2]string{
		{"kind", "kinds"},
		{"channel", "channels"},
		{"job", "scope.jobs"},
		{kit.GroupFlag, "scope.groups"},
		{"label", "scope.labels"},
		{"severity", "severity"},
		{kit.CountFlag, "count"},
		{"percent", "percent"},
		{"window", "window"},
		{"min-runs", "min_runs"},
		{"longer-than", "longer"},
		{"factor", "factor"},
		{"within", "within"},
		{"for", "for"},
		{"notify-resolved", "recovered"},
		{"group-by", "group_by"},
		{"wait", "wait"},
		{"interval", "interval"},
		{"repeat", "repeat"},
		{"escalate", "escalation"},
		{kit.TitleFlag, kit.TitleFlag},
		{"disabled", kit.FieldEnabled},
	}
}

// patchOf returns a patch with the fields of wanted whose flags are given. Fields
// named in unsets, by flag or by path, are reset to their defaults.
func patchOf(flags *pflag.FlagSet, names [][2]string, wanted any, unsets []string) (map[string]any, error) {
	text, err := json.Marshal(wanted)
	if err != nil {
		return nil, fmt.Errorf("encode the patch: %w", err)
	}
	var whole map[string]any
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, fmt.Errorf("decode the patch: %w", err)
	}
	patch := map[string]any{}
	for _, name := range names {
		if flags.Changed(name[0]) {
			put(patch, name[1], at(whole, name[1]))
		}
	}
	for _, unset := range unsets {
		path := underscored(unset)
		for _, name := range names {
			if name[0] == unset {
				path = name[1]
			}
		}
		put(patch, path, nil)
	}
	if len(patch) == 0 {
		return nil, output.Usagef("nothing to change: give at least one flag")
	}
	return patch, nil
}

// at returns the value at a dotted path, nil if there is none.
func at(fields map[string]any, path string) any {
	name, rest, deeper := strings.Cut(path, ".")
	if !deeper {
		return fields[name]
	}
	inner, _ := fields[name].(map[string]any)
	return at(inner, rest)
}

// put sets the value at a dotted path.
func put(fields map[string]any, path string, value any) {
	name, rest, deeper := strings.Cut(path, ".")
	if !deeper {
		fields[name] = value
		return
	}
	inner, ok := fields[name].(map[string]any)
	if !ok {
		inner = map[string]any{}
		fields[name] = inner
	}
	put(inner, rest, value)
}
