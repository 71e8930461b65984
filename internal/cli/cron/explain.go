package cron

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/internal/output"
)

// explained is the number of firings in an explanation.
const explained = 5

// explanation is the result of cron explain.
type explanation struct {
	Expr     string         `json:"expr"`
	Zone     string         `json:"zone"`
	DST      string         `json:"dst"`
	Sentence string         `json:"sentence"`
	Fields   []fieldMeaning `json:"fields"`
	Warnings []string       `json:"warnings"`
	Next     []time.Time    `json:"next"`
	Changes  []clockChange  `json:"clock_changes"`
	// Calendars and Dropped are set only with --calendar.
	Calendars []foundCalendar `json:"calendars,omitempty"`
	Dropped   []droppedFiring `json:"dropped,omitempty"`

	slots []slotNote // Next with the dropped slots between
}

// droppedFiring is a firing on a day that a calendar excludes.
type droppedFiring struct {
	At       time.Time `json:"at"`
	Calendar string    `json:"calendar"`
	Day      string    `json:"day,omitempty"`
	More     int       `json:"more,omitempty"` // number of omitted dropped firings after it
}

func newExplainCommand(t *kit.Tool) *cobra.Command {
	q, language := question{}, kit.NewChoice("en", "en", "zh")
	cmd := &cobra.Command{
		Use: "explain EXPR", Short: "Explain a cron expression in words",
		Long: "Explain a cron expression in words: the meaning of each field, likely mistakes, the next firings, and the effect of\n" +
			"clock changes of the zone.",
		Example: "  orth cron explain '0 30 2 * * ?' --zone America/New_York\n" +
			"  orth cron explain '0 0 9 ? * 6#3' --zone Asia/Shanghai --lang zh\n" +
			"  orth cron explain '0 0 9 * * ?' --zone Asia/Shanghai --calendar cn",
		Args: func(_ *cobra.Command, args []string) error { return oneExpression(args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			q.expr = args[0]
			if err := q.find(cmd.Context(), t); err != nil {
				return err
			}
			a, err := q.answer(timing.Zones{}, time.Now())
			if err != nil {
				return timing.ExplainCronError(q.expr, err)
			}
			w := wordsIn(language.Value)
			e := a.explain(q.dst, language.Value, w)
			if t.ForPrograms() {
				return t.Encode(e)
			}
			return e.print(t.Stdout, &a, w)
		},
	}
	q.add(cmd.Flags())
	cmd.Flags().Var(&language, "lang", "language of the explanation")
	return cmd
}

// explain builds the explanation of a question.
func (a *solution) explain(dst, language string, w *words) explanation {
	e := explanation{
		Expr: a.spec.Cron, Zone: a.zone.String(), DST: dst, Sentence: a.sentence(language),
		Fields: []fieldMeaning{}, Warnings: []string{}, Next: a.firings(explained), Changes: a.clockChanges(w),
	}
	if a.cron != nil {
		e.Fields = fields(a.spec.Cron, w)
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

// explainCalendars adds the effect of calendars.
func (a *solution) explainCalendars(e *explanation) {
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

// print writes an explanation for people.
func (e *explanation) print(out io.Writer, a *solution, w *words) error {
	tab := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	// Flush reports the error of any line.
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(tab, format+"\n", args...) }
	line("%s", e.Sentence)
	if len(e.Fields) > 0 {
		line("")
	}
	for _, f := range e.Fields {
		line("  %s\t%s\t%s", f.Name, output.OneLine(f.Written), f.Means)
	}
	if len(e.Warnings) > 0 {
		line("\n%s", w.warnings)
	}
	for _, text := range e.Warnings {
		line("  %s", output.Printable(text))
	}
	for i := range e.Calendars {
		line("\n"+w.calendar, output.Printable(e.Calendars[i].Name), output.Printable(e.Calendars[i].From))
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
			text += "\t" + output.Printable(note)
		}
		line("  %s\t%s\t%s", s.At.In(a.zone).Format(dayLayout), s.At.UTC().Format(time.RFC3339Nano), text)
		if rest := s.rest(); rest != "" {
			line("  %s", rest)
		}
	}
	if len(e.Next) == 0 {
		line("  %s", w.nothing)
	}
	if a.cron == nil { // a rate ignores clocks
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
