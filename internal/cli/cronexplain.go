package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
)

// explained is how many firings an explanation has.
const explained = 5

// explanation is all that there is to say about an expression.
type explanation struct {
	Expr     string        `json:"expr"`
	Zone     string        `json:"zone"`
	DST      string        `json:"dst"`
	Sentence string        `json:"sentence"`
	Fields   []cronField   `json:"fields"`
	Warnings []string      `json:"warnings"`
	Next     []time.Time   `json:"next"`
	Changes  []clockChange `json:"clock_changes"`
	// Calendars and Dropped are there only when calendars were named.
	Calendars []foundCalendar `json:"calendars,omitempty"`
	Dropped   []droppedFiring `json:"dropped,omitempty"`

	slots []cronSlot // Next with what is dropped between
}

// droppedFiring is a firing that a calendar keeps from happening.
type droppedFiring struct {
	At       time.Time `json:"at"`
	Calendar string    `json:"calendar"`
	Day      string    `json:"day,omitempty"`
	More     int       `json:"more,omitempty"` // so many dropped ones follow that are left out
}

func (t *tool) cronExplainCommand() *cobra.Command {
	q, language := cronQuestion{}, newChoice("en", "en", "zh")
	cmd := &cobra.Command{
		Use: "explain EXPR", Short: "Say in words when a cron expression fires",
		Long: "Say in words when a cron expression fires: what each field means, what its writer may not have meant,\n" +
			"the next firings, and what becomes of them when the clock of the zone changes.",
		Example: "  orth cron explain '0 30 2 * * ?' --zone America/New_York\n" +
			"  orth cron explain '0 0 9 ? * 6#3' --zone Asia/Shanghai --lang zh\n" +
			"  orth cron explain '0 0 9 * * ?' --zone Asia/Shanghai --calendar cn",
		Args: func(_ *cobra.Command, args []string) error { return oneExpression(args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			q.expr = args[0]
			if err := q.find(cmd.Context(), t); err != nil {
				return err
			}
			a, err := q.answer(zoneCache{}, time.Now())
			if err != nil {
				return cronUsage(q.expr, err)
			}
			w := wordsIn(language.value)
			e := a.explain(q.dst, language.value, w)
			if t.forPrograms() {
				return t.encode(e)
			}
			return e.print(t.Stdout, &a, w)
		},
	}
	q.add(cmd.Flags())
	cmd.Flags().Var(&language, "lang", "language of the explanation")
	return cmd
}

// explain says all that there is to say.
func (a *cronAnswer) explain(dst, language string, w *cronWords) explanation {
	e := explanation{
		Expr: a.spec.Cron, Zone: a.zone.String(), DST: dst, Sentence: a.sentence(language),
		Fields: []cronField{}, Warnings: []string{}, Next: a.firings(explained), Changes: a.clockChanges(w),
	}
	if a.cron != nil {
		e.Fields = cronFields(a.spec.Cron, w)
		e.Warnings = append(e.Warnings, a.cron.Warnings()...)
	}
	if reason := a.neverFires(); reason != "" {
		e.Warnings = append(e.Warnings, reason)
	}
	if len(a.calendars) > 0 {
		a.explainCalendars(&e)
	}
	return e
}

// explainCalendars adds what calendars have to do with it.
func (a *cronAnswer) explainCalendars(e *explanation) {
	e.Calendars, e.slots = a.calendars, a.slots(explained)
	for i := range e.slots {
		if s := &e.slots[i]; s.Dropped {
			e.Dropped = append(e.Dropped, droppedFiring{At: s.At, Calendar: s.Calendar, Day: s.Day, More: s.more})
		}
	}
	last := a.from
	if len(e.Next) > 0 {
		last = e.Next[len(e.Next)-1]
	}
	_, warnings := a.remarks(last)
	e.Warnings = append(e.Warnings, warnings...)
}

// print prints an explanation for people.
func (e *explanation) print(out io.Writer, a *cronAnswer, w *cronWords) error {
	tab := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	// Flush tells what went wrong with any of the lines.
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(tab, format+"\n", args...) }
	line("%s", e.Sentence)
	if len(e.Fields) > 0 {
		line("")
	}
	for _, f := range e.Fields {
		line("  %s\t%s\t%s", f.Name, oneLine(f.Written), f.Means)
	}
	if len(e.Warnings) > 0 {
		line("\n%s", w.warnings)
	}
	for _, text := range e.Warnings {
		line("  %s", printable(text))
	}
	for i := range e.Calendars {
		line("\n"+w.calendar, printable(e.Calendars[i].Name), printable(e.Calendars[i].From))
	}
	line("\n%s", w.next)
	if len(e.Calendars) == 0 {
		for _, at := range e.Next {
			line("  %s\t%s\t%s", at.In(a.zone).Format(clockLayout), at.Format(time.RFC3339Nano), distance(at.Sub(a.from)))
		}
	}
	for i := range e.slots {
		s := &e.slots[i]
		text := distance(s.At.Sub(a.from))
		if note := s.note(a.zone); note != "" {
			text += "\t" + printable(note)
		}
		line("  %s\t%s\t%s", s.At.In(a.zone).Format(dayLayout), s.At.UTC().Format(time.RFC3339Nano), text)
		if rest := s.rest(); rest != "" {
			line("  %s", rest)
		}
	}
	if len(e.Next) == 0 {
		line("  %s", w.nothing)
	}
	if a.cron == nil { // a rate goes by no clock
		return tab.Flush()
	}
	line("\n%s", w.changes)
	for _, change := range e.Changes {
		line("  %s", strings.Join(change.Text, "\n    "))
	}
	if len(e.Changes) == 0 {
		line("  "+w.steady, e.Zone)
	}
	return tab.Flush()
}
