package cli

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
		parts = append(parts, "labels "+strings.ReplaceAll(listed(s.Labels), "\n", ", "))
	}
	if len(parts) == 0 {
		return "everything"
	}
	return strings.Join(parts, "; ")
}

func (t *tool) alarmRuleListCommand() *cobra.Command {
	return spaceList[api.AlarmRule]{
		short: "List rules, sorted by key", example: "  orth alarm rule list",
		every: (*client.Client).AllAlarmRules, own: (*client.Client).AlarmRules,
		none:  "No rules found. Create one with 'orth alarm rule create'.",
		heads: "KEY ENABLED SEVERITY KINDS ABOUT CHANNELS TITLE",
		row: func(r *api.AlarmRule) (string, []string) {
			full := filled(r)
			kinds := make([]string, len(r.Kinds))
			for k, kind := range r.Kinds {
				kinds[k] = spaced(kind)
			}
			return r.Namespace, []string{
				r.Key, answer(r.Enabled), string(full.Severity), strings.Join(kinds, ", "), about(&r.Scope), strings.Join(r.Channels, ", "), r.Title,
			}
		},
	}.command(t)
}

// filled returns a rule with its defaults.
func filled(r *api.AlarmRule) alarm.Rule {
	plain := r.Rule()
	return plain.WithDefaults()
}

func (t *tool) alarmRuleShowCommand() *cobra.Command {
	return t.alarmOneCommand("show KEY", "Show a rule", "  orth alarm rule show nightly", func(ctx context.Context, c *client.Client, key string) error {
		r, err := c.AlarmRule(ctx, key)
		if err != nil || t.forPrograms() {
			return t.orJSON(r, err)
		}
		return t.sheet(t.rulePairs(&r))
	})
}

// rulePairs returns the rows of a rule, defaults included.
func (t *tool) rulePairs(r *api.AlarmRule) [][2]string {
	full := filled(r)
	pairs := [][2]string{
		{rowKey, r.Key},
		{rowTitle, r.Title},
		{rowNamespace, r.Namespace},
		{"Enabled", answer(r.Enabled)},
		{"Severity", string(full.Severity)},
		{"About", about(&r.Scope)},
	}
	for _, kind := range r.Kinds {
		pairs = append(pairs, [2]string{"Raised by", kindInWords(kind, &full)})
	}
	pairs = append(pairs,
		[2]string{"Channels", strings.Join(r.Channels, ", ")},
		[2]string{"Messages", fmt.Sprintf("grouped by %s; first after %s, then at most every %s", full.GroupBy, shortTime(full.Wait), shortTime(full.Interval))},
		[2]string{"Repeated", repeats(full.Repeat)},
		[2]string{"Notify resolved", answer(r.Recovered)},
	)
	for _, step := range r.Escalation {
		pairs = append(pairs, [2]string{"Escalates", "after " + span(step.After) + " to " + strings.Join(step.Channels, ", ")})
	}
	return append(pairs, t.ages(r.Version, r.CreatedAt, r.UpdatedAt)...)
}

func repeats(d time.Duration) string {
	if d == alarm.Never {
		return "never"
	}
	return "every " + shortTime(d) + " until resolved"
}

// kindInWords describes the condition of a kind with the thresholds of the rule.
func kindInWords(kind alarm.Kind, r *alarm.Rule) string {
	switch kind {
	case alarm.KindStreak:
		return fmt.Sprintf("streak: %s of a job in a row %s", plural.Count(r.Count, "run"), plural.Verb(r.Count, "fails", "fail"))
	case alarm.KindRate:
		return fmt.Sprintf("failure rate: %d%% of the runs of a job fail within %s (at least %d runs)", r.Percent, shortTime(r.Window), r.MinRuns)
	case alarm.KindSlow:
		var bounds []string
		if r.Longer > 0 {
			bounds = append(bounds, shortTime(r.Longer))
		}
		if r.Factor > 0 {
			bounds = append(bounds, strconv.FormatFloat(r.Factor, 'g', -1, 64)+" times the 95th percentile")
		}
		return "slow: an attempt takes more than " + strings.Join(bounds, " or ")
	case alarm.KindNotStarted:
		return "not started: a run is overdue by " + shortTime(r.Within)
	case alarm.KindBacklog:
		return fmt.Sprintf("backlog: %s of a group %s for %s", plural.Count(r.Count, "run"), plural.Verb(r.Count, "waits", "wait"), shortTime(r.For))
	case alarm.KindGroupDown:
		return "group down: a group has no live executor for " + shortTime(r.For)
	case alarm.KindMissed:
		return "missed: a firing was missed"
	case alarm.KindDeadLetter:
		return "dead letter: a run becomes a dead letter"
	case alarm.KindFailed, alarm.KindTimedOut, alarm.KindLost:
	}
	return spaced(kind) + ": final state of a run"
}

// ages returns the rows with the version and the times of a definition.
func (t *tool) ages(version int64, created, changed api.Time) [][2]string {
	return [][2]string{{"Version", strconv.FormatInt(version, 10)}, {rowCreated, t.time(created)}, {"Changed", t.time(changed)}}
}
