package cli

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthd/orth/schedule"
)

// maxFirings is the most firings that are counted out for one expression.
const maxFirings = 10_000

// cronQuestion is an expression with what its meaning depends on.
type cronQuestion struct {
	expr, zone, from, dst string
	count                 int
	names                 []string // of calendars
	excluded              choice
	calendars             []foundCalendar // those of the names
}

// cronAnswer is a question understood.
type cronAnswer struct {
	spec schedule.Spec
	when schedule.Schedule
	cron *schedule.Cron // the same as when, before calendars; nil for a rate
	zone *time.Location
	from time.Time

	calendars []foundCalendar
}

func (t *tool) cronCommand() *cobra.Command {
	return parent(
		&cobra.Command{Use: "cron", Short: "Say when a cron expression fires, and why; only calendars of a server need one"},
		t.cronNextCommand(), t.cronExplainCommand(),
	)
}

// add defines the flags that say what an expression means.
func (q *cronQuestion) add(flags *pflag.FlagSet) {
	flags.SortFlags = false
	flags.StringVar(&q.zone, "zone", "UTC", "IANA `zone` whose clock the expression reads, such as Europe/Berlin")
	flags.StringVar(&q.from, "from", "", "only firings after this `time`: 2030-01-31T08:00:00+01:00, or 2030-01-31T08:00 on the zone's clock (default now)")
	flags.StringVar(&q.dst, "dst", defaultDST, "`preset` of what happens when the clock changes: quartz or wall")
	flags.StringArrayVar(&q.names, "calendar", nil, "`calendar` that must allow the day: a file ending in .ics, .csv or .json, the key of holiday data of this program such as cn, or a calendar of the server, in this order; may be repeated")
	q.excluded = newChoice("", "skip", "shift")
	flags.Var(&q.excluded, "excluded", "what becomes of a firing on a day that is not allowed: it falls away, or moves to the next allowed day (default skip)")
}

// find finds the calendars that the flags name.
func (q *cronQuestion) find(ctx context.Context, t *tool) (err error) {
	if q.excluded.value != "" && len(q.names) == 0 {
		return usagef("--excluded means nothing without --calendar")
	}
	q.calendars, err = t.findCalendars(ctx, q.names)
	return err
}

// answer understands a question. now is the time from which firings are looked
// for when the question names none.
func (q *cronQuestion) answer(zones zoneCache, now time.Time) (cronAnswer, error) {
	zone, err := zones.load(q.zone)
	if err != nil {
		return cronAnswer{}, err
	}
	from := now
	if q.from != "" {
		if from, err = readInstant("from", q.from, zone); err != nil {
			return cronAnswer{}, err
		}
	}
	rules, err := readDST(q.dst)
	if err != nil {
		return cronAnswer{}, err
	}
	a := cronAnswer{
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
		a.spec.Calendars, a.spec.Excluded = namesOf(q.calendars), schedule.Excluded(q.excluded.word())
		a.when, err = a.spec.CompileWith(lookup(q.calendars))
	}
	return a, err
}

// checkCount refuses a number of firings that is out of bounds.
func checkCount(count int) error {
	if count < 1 || count > maxFirings {
		return &cronError{place: "count", text: fmt.Sprintf("%d is not between 1 and %d", count, maxFirings)}
	}
	return nil
}

// firings returns the next firings, at most count.
func (a *cronAnswer) firings(count int) []time.Time {
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

// cronError is a part of a question that cannot be understood.
type cronError struct {
	place string // the name of the part, without dashes: "zone"
	text  string
}

// Error returns the place and the text.
func (e *cronError) Error() string { return e.place + ": " + e.text }

// cronUsage returns what is wrong with a question as a mistake in the command
// line. The expression is shown with a mark under the place that is at fault.
func cronUsage(expr string, err error) error {
	if wrong, ok := errors.AsType[*cronError](err); ok {
		return usagef("--%s: %s", wrong.place, wrong.text)
	}
	wrong, ok := errors.AsType[*schedule.Error](err)
	if !ok {
		return err
	}
	return usageError{Text: "EXPR: " + marked(wrong, expr)}
}

// excerpt returns the neighbourhood of a byte of an expression, fit for one line
// of a terminal, and the column of the byte in it.
func excerpt(expr string, at int) (shown string, column int) {
	const before, most = 40, 72
	at = min(max(at, 0), len(expr))
	column = utf8.RuneCountInString(expr[:at])
	runes := []rune(printable(expr))
	if column > before && len(runes) > most {
		skip := min(column-before, len(runes)-before)
		runes = append([]rune("…"), runes[skip:]...)
		column -= skip - 1
	}
	if len(runes) > most {
		runes = append(runes[:most-1:most-1], '…')
	}
	return string(runes), column
}

// zoneCache keeps the zones that were asked for: reading one takes longer than
// all the rest of a question. It is not safe for concurrent use.
type zoneCache map[string]*time.Location

// maxZones is the most zones that a cache keeps. There are about 600, so that
// this never matters.
const maxZones = 2048

// load returns a zone. "Local" is refused because it means something else on
// every machine.
func (z zoneCache) load(name string) (*time.Location, error) {
	if zone, ok := z[name]; ok {
		return zone, nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return nil, &cronError{place: "zone", text: fmt.Sprintf(
			`the time zone %q is unknown: use an IANA name such as "Asia/Shanghai", "Europe/Berlin" or "UTC"`, name)}
	}
	if len(z) < maxZones {
		z[name] = zone
	}
	return zone, nil
}
