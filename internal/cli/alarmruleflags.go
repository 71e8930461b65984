package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/api"
)

// fieldEnabled is the field of rules and channels that the flag disabled changes,
// groupFlag the flag that names groups of executors, titleFlag the flag and the
// field of a text for people.
const (
	fieldEnabled = "enabled"
	groupFlag    = "group"
	titleFlag    = "title"
)

// ruleFlags are the flags that describe a rule.
type ruleFlags struct {
	title                             string
	kinds, channels                   []string
	scope                             scopeFlags
	severity, groupBy                 choice
	count, percent, minRuns           int
	window, longer, within, forAtMost time.Duration
	factor                            float64
	wait, interval                    time.Duration
	repeat                            string
	recovered, disabled               bool
	escalate                          []string
}

// scopeFlags are the flags that say what a rule or a silence is about.
type scopeFlags struct{ jobs, groups, labels []string }

func (f *scopeFlags) add(flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.jobs, "job", nil, "only jobs with this `key`; a * at the end stands for any rest; may be repeated (default all)")
	flags.StringSliceVar(&f.groups, groupFlag, nil, "only this `group` of executors and its jobs; as --job (default all)")
	flags.StringArrayVar(&f.labels, "label", nil, "only jobs with this label, `key=value`; the value * stands for any; may be repeated")
}

func (f *scopeFlags) scope() (api.AlarmScope, error) {
	labels, err := pairs("label", f.labels)
	return api.AlarmScope{Jobs: f.jobs, Groups: f.groups, Labels: labels}, err
}

func (f *ruleFlags) add(flags *pflag.FlagSet) {
	f.severity = newChoice("", "info", "warning", "critical")
	f.groupBy = newChoice("", "job", "group", "rule")
	flags.SortFlags = false
	flags.StringSliceVar(&f.kinds, "kind", nil, "`kinds` of events that raise alarms: "+kindNames())
	flags.StringSliceVar(&f.channels, "channel", nil, "`keys` of the channels that carry its messages")
	f.scope.add(flags)
	flags.Var(&f.severity, "severity", "how bad it is (default warning)")
	flags.IntVar(&f.count, "count", 0, "streak: runs in a row that end badly (default 3); backlog: runs that wait (default 1000)")
	flags.IntVar(&f.percent, "percent", 0, "failure-rate: so many of 100 runs end badly (default 50)")
	flags.DurationVar(&f.window, "window", 0, "failure-rate: of those that ended within this time (default 1h)")
	flags.IntVar(&f.minRuns, "min-runs", 0, "failure-rate: when there were at least so many (default 5)")
	flags.DurationVar(&f.longer, "longer", 0, "slow: an attempt takes longer than this")
	flags.Float64Var(&f.factor, "factor", 0, "slow: an attempt takes so many times the 95th percentile of the last ones")
	flags.DurationVar(&f.within, "within", 0, "not-started: a run is due for so long (default 5m)")
	flags.DurationVar(&f.forAtMost, "for", 0, "backlog, group-down: it lasts for so long (default 2m)")
	flags.BoolVar(&f.recovered, "recovered", false, "tell the end of an alarm too")
	flags.Var(&f.groupBy, "group-by", "alarms that share a message: of one job, of a group of executors, or of the rule (default group)")
	flags.DurationVar(&f.wait, "wait", 0, "how long the first message waits for more of the same (default 10s)")
	flags.DurationVar(&f.interval, "interval", 0, "the least time between two messages while more comes (default 5m)")
	flags.StringVar(&f.repeat, "repeat", "", "`time` after which it is told again although nothing is new, or never (default 4h)")
	flags.StringArrayVar(&f.escalate, "escalate", nil, "`time=channels` that hear of it too when it lasts and nobody has taken note, as 30m=boss,phone; may be repeated")
	flags.StringVar(&f.title, titleFlag, "", "a `text` for people")
	flags.BoolVar(&f.disabled, "disabled", false, "raise no alarms")
}

// rule returns the rule that the flags describe.
func (f *ruleFlags) rule(flags *pflag.FlagSet) (api.NewAlarmRule, error) {
	wanted := api.NewAlarmRule{AlarmRuleFields: api.AlarmRuleFields{
		Title: f.title, Severity: alarm.Severity(f.severity.value), Count: f.count, Percent: f.percent, MinRuns: f.minRuns,
		Window: api.Duration(f.window), Longer: api.Duration(f.longer), Factor: f.factor, Within: api.Duration(f.within), For: api.Duration(f.forAtMost),
		Channels: orEmpty(f.channels), Recovered: f.recovered, GroupBy: alarm.GroupBy(f.groupBy.value),
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
			return wanted, usagef("--repeat: write never, or a time such as 4h, not %q", f.repeat)
		}
	}
	for _, text := range f.escalate {
		after, channels, ok := strings.Cut(text, "=")
		step := api.AlarmStep{Channels: strings.Split(channels, ",")}
		if step.After.UnmarshalText([]byte(after)) != nil || !ok || channels == "" {
			return wanted, usagef("--escalate: %q is not time=channels, such as 30m=boss,phone", text)
		}
		wanted.Escalation = append(wanted.Escalation, step)
	}
	return wanted, nil
}

// readKinds reads kinds of alarms, with dashes or underscores.
func readKinds(texts []string) ([]alarm.Kind, error) {
	kinds := make([]alarm.Kind, len(texts))
	for i, text := range texts {
		if kinds[i] = alarm.Kind(underscored(strings.TrimSpace(text))); !kinds[i].Known() {
			return nil, usagef("--kind: %q is none of %s", text, kindNames())
		}
	}
	return kinds, nil
}

// ruleFields are the flags of a rule with the fields that they change.
func ruleFields() [][2]string {
	return [][2]string{
		{"kind", "kinds"},
		{"channel", "channels"},
		{"job", "scope.jobs"},
		{groupFlag, "scope.groups"},
		{"label", "scope.labels"},
		{"severity", "severity"},
		{countFlag, "count"},
		{"percent", "percent"},
		{"window", "window"},
		{"min-runs", "min_runs"},
		{"longer", "longer"},
		{"factor", "factor"},
		{"within", "within"},
		{"for", "for"},
		{"recovered", "recovered"},
		{"group-by", "group_by"},
		{"wait", "wait"},
		{"interval", "interval"},
		{"repeat", "repeat"},
		{"escalate", "escalation"},
		{titleFlag, titleFlag},
		{"disabled", fieldEnabled},
	}
}

// patchOf returns the patch that changes the fields whose flags are given to what
// they are in wanted, and gives the fields of unsets, or of flags that are named
// so, their defaults.
func patchOf(flags *pflag.FlagSet, names [][2]string, wanted any, unsets []string) (map[string]any, error) {
	text, err := json.Marshal(wanted)
	if err != nil {
		return nil, fmt.Errorf("write the change as JSON: %w", err)
	}
	var whole map[string]any
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, fmt.Errorf("read the change as JSON: %w", err)
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
		return nil, usagef("nothing is to change: give a flag")
	}
	return patch, nil
}

// at returns the value at a path of names with dots between them, nil for none.
func at(fields map[string]any, path string) any {
	name, rest, deeper := strings.Cut(path, ".")
	if !deeper {
		return fields[name]
	}
	inner, _ := fields[name].(map[string]any)
	return at(inner, rest)
}

// put sets the value at a path of names with dots between them.
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
