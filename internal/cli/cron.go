package cli

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/schedule"
)

// maxFirings is the maximum number of listed firings of one expression.
const maxFirings = 10_000

// cronQuestion is an expression with the settings that determine its firings.
type cronQuestion struct {
	expr, zone, from, dst string
	count                 int
	names                 []string // of calendars
	excluded              choice
	calendars             []foundCalendar // resolved from names
}

// cronAnswer is a parsed question.
type cronAnswer struct {
	spec schedule.Spec
	when schedule.Schedule
	cron *schedule.Cron // same as when, without calendars; nil for a rate
	zone *time.Location
	from time.Time

	calendars []foundCalendar
}

func (t *tool) cronCommand() *cobra.Command {
	return output.Parent(
		&cobra.Command{Use: "cron", Short: "Explain cron expressions and list their firings, offline"},
		t.cronNextCommand(), t.cronExplainCommand(),
	)
}

// add defines the flags of a question.
func (q *cronQuestion) add(flags *pflag.FlagSet) {
	flags.SortFlags = false
	flags.StringVar(&q.zone, "zone", "UTC", "IANA time `zone` of the expression, such as Europe/Berlin")
	flags.StringVar(&q.from, "from", "", "start `time`, exclusive: 2030-01-31T08:00:00+01:00, or 2030-01-31T08:00 in --zone (default now)")
	flags.StringVar(&q.dst, "dst", defaultDST, "`preset` for daylight saving changes: quartz or wall")
	flags.StringArrayVar(&q.names, "calendar", nil, "`calendar` that must allow the day: an .ics, .csv or .json file, the key of built-in holiday data such as cn, or a calendar of the server; may be repeated")
	q.excluded = newChoice("", "skip", "shift")
	flags.Var(&q.excluded, "excluded", "handling of firings on excluded days: skip them, or shift them to the next allowed day (default skip)")
}

// find resolves the calendars of the flags.
func (q *cronQuestion) find(ctx context.Context, t *tool) (err error) {
	if q.excluded.value != "" && len(q.names) == 0 {
		return output.Usagef("--excluded requires --calendar")
	}
	q.calendars, err = t.findCalendars(ctx, q.names)
	return err
}

// answer parses a question. now is the default start of the listed firings.
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

// checkCount rejects a number of firings that is out of range.
func checkCount(count int) error {
	if count < 1 || count > maxFirings {
		return &cronError{place: "count", text: fmt.Sprintf("must be between 1 and %d, got %d", maxFirings, count)}
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

// cronError reports an invalid part of a question.
type cronError struct {
	place string // flag name of the part, without dashes: "zone"
	text  string
}

// Error returns the part and the text.
func (e *cronError) Error() string { return e.place + ": " + e.text }

// cronUsage turns an invalid question into a usage error. It prints the expression with
// a mark below the error.
func cronUsage(expr string, err error) error {
	if wrong, ok := errors.AsType[*cronError](err); ok {
		return output.Usagef("--%s: %s", wrong.place, wrong.text)
	}
	wrong, ok := errors.AsType[*schedule.Error](err)
	if !ok {
		return err
	}
	return output.UsageError{Text: "EXPR: " + marked(wrong, expr)}
}

// excerpt returns the part of an expression around a byte, short enough for a terminal
// line, and the column of the byte in it.
func excerpt(expr string, at int) (shown string, column int) {
	const before, most = 40, 72
	at = min(max(at, 0), len(expr))
	column = utf8.RuneCountInString(expr[:at])
	runes := []rune(output.Printable(expr))
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

// zoneCache caches time zones: loading one takes longer than the rest of a question. It
// is not safe for concurrent use.
type zoneCache map[string]*time.Location

// maxZones is the maximum number of cached zones. About 600 zones exist, so the limit is
// never reached.
const maxZones = 2048

// load returns a zone. It rejects "Local", which differs between machines.
func (z zoneCache) load(name string) (*time.Location, error) {
	if zone, ok := z[name]; ok {
		return zone, nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return nil, &cronError{place: "zone", text: fmt.Sprintf(
			`unknown time zone %q: use an IANA name such as "Asia/Shanghai", "Europe/Berlin" or "UTC"`, name)}
	}
	if len(z) < maxZones {
		z[name] = zone
	}
	return zone, nil
}
