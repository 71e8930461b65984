package alarms

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/internal/plural"
)

// raises summarizes a rule in one line.
func raises(r *api.AlarmRule) string {
	kinds := make([]string, len(r.Kinds))
	for i, kind := range r.Kinds {
		kinds[i] = spaced(kind)
	}
	text := strings.Join(kinds, ", ") + " of " + about(&r.Scope) + " → " + strings.Join(r.Channels, ", ")
	if !r.Enabled {
		text += " (disabled)"
	}
	return text
}

// about summarizes a scope.
func about(s *api.AlarmScope) string {
	var parts []string
	if len(s.Jobs) > 0 {
		parts = append(parts, "jobs "+strings.Join(s.Jobs, ", "))
	}
	if len(s.Groups) > 0 {
		parts = append(parts, "groups "+strings.Join(s.Groups, ", "))
	}
	if len(s.Labels) > 0 {
		parts = append(parts, "labels "+strings.ReplaceAll(kit.JoinPairs(s.Labels), "\n", ", "))
	}
	if len(parts) == 0 {
		return "everything"
	}
	return strings.Join(parts, "; ")
}

func newRuleListCommand(t *kit.Tool) *cobra.Command {
	return kit.SpaceList[api.AlarmRule]{
		Short: "List rules, sorted by key", Example: "  orth alarm rule list",
		Every: (*client.Client).AllAlarmRules, Own: (*client.Client).AlarmRules,
		None:  "No rules found. Create one with 'orth alarm rule create'.",
		Heads: "KEY ENABLED SEVERITY KINDS ABOUT CHANNELS TITLE",
		Row: func(r *api.AlarmRule) (string, []string) {
			full := filled(r)
			kinds := make([]string, len(r.Kinds))
			for k, kind := range r.Kinds {
				kinds[k] = spaced(kind)
			}
			return r.Namespace, []string{
				r.Key, kit.YesOrNo(r.Enabled), string(full.Severity), strings.Join(kinds, ", "), about(&r.Scope), strings.Join(r.Channels, ", "), r.Title,
			}
		},
	}.Command(t)
}

// filled returns a rule with its defaults.
func filled(r *api.AlarmRule) alarm.Rule {
	plain := r.Rule()
	return plain.WithDefaults()
}

func newRuleShowCommand(t *kit.Tool) *cobra.Command {
	return newOneCommand(t, "show KEY", "Show a rule", "  orth alarm rule show nightly", func(ctx context.Context, c *client.Client, key string) error {
		r, err := c.AlarmRule(ctx, key)
		if err != nil || t.ForPrograms() {
			return t.PrintJSON(r, err)
		}
		return t.PrintSheet(rulePairs(t, &r))
	})
}

// rulePairs returns the rows of a rule, defaults included.
func rulePairs(t *kit.Tool, r *api.AlarmRule) [][2]string {
	full := filled(r)
	pairs := [][2]string{
		{kit.RowKey, r.Key},
		{kit.RowTitle, r.Title},
		{kit.RowNamespace, r.Namespace},
		{"Enabled", kit.YesOrNo(r.Enabled)},
		{"Severity", string(full.Severity)},
		{"About", about(&r.Scope)},
	}
	for _, kind := range r.Kinds {
		pairs = append(pairs, [2]string{"Raised by", kindInWords(kind, &full)})
	}
	pairs = append(pairs,
		[2]string{"Channels", strings.Join(r.Channels, ", ")},
		[2]string{"Messages", fmt.Sprintf("grouped by %s; first after %s, then at most every %s", full.GroupBy, timing.FormatDuration(full.Wait), timing.FormatDuration(full.Interval))},
		[2]string{"Repeated", repeats(full.Repeat)},
		[2]string{"Notify resolved", kit.YesOrNo(r.Recovered)},
	)
	for _, step := range r.Escalation {
		pairs = append(pairs, [2]string{"Escalates", "after " + kit.Span(step.After) + " to " + strings.Join(step.Channels, ", ")})
	}
	return append(pairs, t.AgeRows(r.Version, r.CreatedAt, r.UpdatedAt)...)
}

func repeats(d time.Duration) string {
	if d == alarm.Never {
		return "never"
	}
	return "every " + timing.FormatDuration(d) + " until resolved"
}

// kindInWords describes the condition of a kind with the thresholds of the rule.
func kindInWords(kind alarm.Kind, r *alarm.Rule) string {
	switch kind {
	case alarm.KindStreak:
		return fmt.Sprintf("streak: %s of a job in a row %s", plural.Count(r.Count, "run"), plural.Verb(r.Count, "fails", "fail"))
	case alarm.KindRate:
		return fmt.Sprintf("failure rate: %d%% of the runs of a job fail within %s (at least %d runs)", r.Percent, timing.FormatDuration(r.Window), r.MinRuns)
	case alarm.KindSlow:
		var bounds []string
		if r.Longer > 0 {
			bounds = append(bounds, timing.FormatDuration(r.Longer))
		}
		if r.Factor > 0 {
			bounds = append(bounds, strconv.FormatFloat(r.Factor, 'g', -1, 64)+" times the 95th percentile")
		}
		return "slow: an attempt takes more than " + strings.Join(bounds, " or ")
	case alarm.KindNotStarted:
		return "not started: a run is overdue by " + timing.FormatDuration(r.Within)
	case alarm.KindBacklog:
		return fmt.Sprintf("backlog: %s of a group %s for %s", plural.Count(r.Count, "run"), plural.Verb(r.Count, "waits", "wait"), timing.FormatDuration(r.For))
	case alarm.KindGroupDown:
		return "group down: a group has no live executor for " + timing.FormatDuration(r.For)
	case alarm.KindMissed:
		return "missed: a firing was missed"
	case alarm.KindDeadLetter:
		return "dead letter: a run becomes a dead letter"
	case alarm.KindFailed, alarm.KindTimedOut, alarm.KindLost:
	}
	return spaced(kind) + ": final state of a run"
}
