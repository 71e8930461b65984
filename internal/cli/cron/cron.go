package cron

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/schedule"
)

// maxFirings is the maximum number of listed firings of one expression.
const maxFirings = 10_000

// question is an expression with the settings that determine its firings.
type question struct {
	expr, zone, from, dst string
	count                 int
	names                 []string // of calendars
	excluded              kit.Choice
	calendars             []foundCalendar // resolved from names
}

// solution is a parsed question.
type solution struct {
	spec schedule.Spec
	when schedule.Schedule
	cron *schedule.Cron // same as when, without calendars; nil for a rate
	zone *time.Location
	from time.Time

	calendars []foundCalendar
}

// NewCommand returns the command orth cron.
func NewCommand(t *kit.Tool) *cobra.Command {
	return output.Parent(
		&cobra.Command{Use: "cron", Short: "Explain cron expressions and list their firings, offline"},
		newNextCommand(t), newExplainCommand(t),
	)
}

// add defines the flags of a question.
func (q *question) add(flags *pflag.FlagSet) {
	flags.SortFlags = false
	flags.StringVar(&q.zone, "zone", "UTC", "IANA time `zone` of the expression, such as Europe/Berlin")
	flags.StringVar(&q.from, "from", "", "start `time`, exclusive: 2030-01-31T08:00:00+01:00, or 2030-01-31T08:00 in --zone (default now)")
	flags.StringVar(&q.dst, "dst", defaultDST, "`preset` for daylight saving changes: quartz or wall")
	flags.StringArrayVar(&q.names, "calendar", nil, "`calendar` that must allow the day: an .ics, .csv or .json file, the key of built-in holiday data such as cn, or a calendar of the server; may be repeated")
	q.excluded = kit.NewChoice("", "skip", "shift")
	flags.Var(&q.excluded, "excluded", "handling of firings on excluded days: skip them, or shift them to the next allowed day (default skip)")
}

// find resolves the calendars of the flags.
func (q *question) find(ctx context.Context, t *kit.Tool) (err error) {
	if q.excluded.Value != "" && len(q.names) == 0 {
		return output.Usagef("--excluded requires --calendar")
	}
	q.calendars, err = findCalendars(ctx, t, q.names)
	return err
}

// answer parses a question. now is the default start of the listed firings.
func (q *question) answer(zones timing.Zones, now time.Time) (solution, error) {
	zone, err := zones.Load(q.zone)
	if err != nil {
		return solution{}, err
	}
	from := now
	if q.from != "" {
		if from, err = timing.ParseInstant("from", q.from, zone); err != nil {
			return solution{}, err
		}
	}
	rules, err := timing.ParseDST(q.dst)
	if err != nil {
		return solution{}, err
	}
	a := solution{
		spec: schedule.Spec{Kind: schedule.KindCron, Cron: q.expr, Zone: zone.String(), DST: &rules},
		zone: zone, from: from, calendars: q.calendars,
	}
	if isRate(q.expr) {
		a.when, err = a.spec.Compile()
	} else {
		a.cron, err = schedule.ParseCronWith(q.expr, schedule.CronOptions{Zone: zone, DST: rules})
		a.when = a.cron
	}
	if err == nil && len(q.calendars) > 0 {
		a.spec.Calendars, a.spec.Excluded = namesOf(q.calendars), schedule.Excluded(q.excluded.Word())
		a.when, err = a.spec.CompileWith(lookup(q.calendars))
	}
	return a, err
}

// checkCount rejects a number of firings that is out of range.
func checkCount(count int) error {
	if count < 1 || count > maxFirings {
		return &timing.InputError{Place: "count", Text: fmt.Sprintf("must be between 1 and %d, got %d", maxFirings, count)}
	}
	return nil
}

// firings returns the next firings, at most count.
func (a *solution) firings(count int) []time.Time {
	found := []time.Time{}
	for at := a.from; len(found) < count; {
		next, ok := a.when.Next(at)
		if !ok {
			break
		}
		found = append(found, next)
		at = next
	}
	return found
}

// defaultDST is the default preset for clock changes.
const defaultDST = "wall"

// isRate reports whether an expression is a rate, such as "@every 90s", which ignores
// clocks.
func isRate(expr string) bool {
	const every = "@every"
	expr = strings.TrimLeft(expr, " \t\r\n")
	return len(expr) >= len(every) && strings.EqualFold(expr[:len(every)], every)
}

// neverFires returns why an expression never fires, "" when it does fire.
func (a *solution) neverFires() string {
	if err := a.spec.ValidateWith(lookup(a.calendars)); err != nil {
		return err.Error()
	}
	return ""
}

// sentence describes an expression in words, with its zone.
func (a *solution) sentence(language string) string {
	return a.spec.Describe(schedule.Language(language))
}
