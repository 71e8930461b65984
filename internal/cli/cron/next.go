package cron

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/internal/output"
)

// clockLayout formats a local time with its UTC offset.
const clockLayout = "2006-01-02 15:04:05.999 -07:00"

// dayLayout is clockLayout with the weekday, on which calendars depend.
const dayLayout = clockLayout + " Mon"

func newNextCommand(t *kit.Tool) *cobra.Command {
	q, batch := question{}, false
	cmd := &cobra.Command{
		Use: "next EXPR", Short: "List the next firings of a cron expression",
		Long: "List the next firings of a cron expression. -o json prints an array of UTC instants.\n\n" +
			"With --batch each line of standard input is a question such as\n" +
			`  {"expr":"0 30 2 * * ?","zone":"Europe/Berlin","from":"2030-01-31T08:00:00Z","count":5,"dst":"` + defaultDST + "\"}\n" +
			"and gets one answer line: an array of UTC instants, or {\"error\":\"…\"}. Only expr is required; flags are the defaults\n" +
			"of the other fields. Processing continues after invalid lines.\n\n" +
			"With --calendar the output includes dropped and moved firings; -o json prints only actual firings.",
		Example: "  orth cron next '0 30 2 * * ?' --zone America/New_York --count 5\n" +
			"  orth cron next '0 0/15 9-17 ? * MON-FRI' --from 2030-01-31 -o json\n" +
			"  orth cron next '0 0 9 * * ?' --zone Asia/Shanghai --calendar cn --calendar shutdowns.csv --excluded shift\n" +
			"  orth cron next --batch < questions.jsonl",
		Args: func(cmd *cobra.Command, args []string) error {
			if batch {
				return cobra.NoArgs(cmd, args)
			}
			return oneExpression(args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			zones := timing.Zones{}
			switch {
			case batch && len(q.names) > 0:
				return output.Usagef("--calendar cannot be combined with --batch")
			case batch:
				return answerBatch(cmd.Context(), t, &q, zones)
			}
			if err := checkCount(q.count); err != nil {
				return timing.ExplainCronError("", err)
			}
			q.expr = args[0]
			if err := q.find(cmd.Context(), t); err != nil {
				return err
			}
			a, err := q.answer(zones, time.Now())
			if err != nil {
				return timing.ExplainCronError(q.expr, err)
			}
			return showFirings(t, &a, q.count)
		},
	}
	flags := cmd.Flags()
	q.add(flags)
	flags.IntVar(&q.count, "count", 20, "maximum number of firings, 1 to 10000")
	flags.BoolVar(&batch, "batch", false, "answer the questions on standard input")
	return cmd
}

// oneExpression requires exactly one argument. A missing quote is the usual mistake.
func oneExpression(args []string) error {
	switch len(args) {
	case 0:
		return output.Usagef("EXPR is required: give an expression such as '0 30 2 * * ?'")
	case 1:
		return nil
	}
	return output.Usagef("EXPR: got %d arguments; put the expression in quotes, such as '0 30 2 * * ?'", len(args))
}

// showFirings prints the next firings.
func showFirings(t *kit.Tool, a *solution, count int) error {
	found := a.firings(count)
	if len(found) < count {
		t.PrintNote("%s", lastFiring(a, found))
	}
	printCalendars(t, a, found)
	if t.ForPrograms() {
		return t.Encode(found)
	}
	if len(a.calendars) > 0 {
		return showSlots(t, a, count)
	}
	if len(found) == 0 {
		return nil
	}
	rows := make([][]string, len(found))
	for i, at := range found {
		rows[i] = []string{
			strconv.Itoa(i + 1), at.In(a.zone).Format(clockLayout), at.Format(time.RFC3339Nano), "in " + distance(at.Sub(a.from)),
		}
	}
	return t.PrintTable("NO LOCAL UTC DISTANCE", rows)
}

// printCalendars prints the sources and warnings of the calendars.
func printCalendars(t *kit.Tool, a *solution, found []time.Time) {
	last := a.from
	if len(found) > 0 {
		last = found[len(found)-1]
	}
	sources, warnings := a.remarks(last)
	for _, text := range sources {
		t.PrintNote("%s", output.Printable(text))
	}
	for _, text := range warnings {
		t.PrintNote("beware: %s", output.Printable(text))
	}
}

// showSlots prints the next firings with the effect of calendars.
func showSlots(t *kit.Tool, a *solution, count int) error {
	slots := a.slots(count)
	if len(slots) == 0 {
		return nil
	}
	var rows [][]string
	number := 0
	for i := range slots {
		s, name := &slots[i], ""
		if !s.Dropped {
			number++
			name = strconv.Itoa(number)
		}
		rows = append(rows, []string{
			name, s.At.In(a.zone).Format(dayLayout), s.At.UTC().Format(time.RFC3339Nano), "in " + distance(s.At.Sub(a.from)), s.note(a.zone),
		})
		if rest := s.rest(); rest != "" {
			rows = append(rows, []string{"", rest, "", "", ""})
		}
	}
	return t.PrintTable("NO LOCAL UTC DISTANCE NOTE", rows)
}

// lastFiring explains why there are fewer firings than requested.
func lastFiring(a *solution, found []time.Time) string {
	if len(found) > 0 {
		return fmt.Sprintf("no firing after %s", found[len(found)-1].In(a.zone).Format(clockLayout))
	}
	if reason := a.neverFires(); reason != "" {
		return reason
	}
	return fmt.Sprintf("no firing after %s: the expression matches no later time", a.from.In(a.zone).Format(clockLayout))
}

// distance formats the time to an instant in its two largest units.
func distance(d time.Duration) string {
	const day = 24 * time.Hour
	d = (d + time.Second - 1).Truncate(time.Second)
	switch {
	case d >= day:
		return twoUnits(d, day, "d", time.Hour, "h")
	case d >= time.Hour:
		return twoUnits(d, time.Hour, "h", time.Minute, "min")
	case d >= time.Minute:
		return twoUnits(d, time.Minute, "min", time.Second, "s")
	}
	return fmt.Sprintf("%d s", d/time.Second)
}

func twoUnits(d, large time.Duration, largeName string, small time.Duration, smallName string) string {
	text := fmt.Sprintf("%d %s", d/large, largeName)
	if rest := d % large / small; rest > 0 {
		text += fmt.Sprintf(" %d %s", rest, smallName)
	}
	return text
}
