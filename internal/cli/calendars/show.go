package calendars

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/schedule/calendar"
)

func newShowCommand(t *kit.Tool) *cobra.Command {
	year := 0
	cmd := &cobra.Command{
		Use: "show KEY", Short: "Show the days of a calendar in a year", Args: cobra.ExactArgs(1),
		Long: "Show the days of a calendar in a year: named days, make-up working days, and a grid of months with a dot for each\n" +
			"day that is not allowed. -o json prints the rules.",
		Example: "  orth calendar show cn\n  orth calendar show cn --year 2027\n  orth calendar show cn -o json",
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("year") {
				year = time.Now().In(t.Location).Year()
			}
			if year < calendar.MinYear || year > calendar.MaxYear {
				return output.Usagef("--year: must be between %d and %d, got %d", calendar.MinYear, calendar.MaxYear, year)
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			found, err := c.Calendar(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if t.ForPrograms() {
				return t.Encode(found)
			}
			return showCalendar(t, found, year)
		},
	}
	cmd.Flags().IntVar(&year, "year", 0, "`year` to show (default the current one)")
	return cmd
}

func showCalendar(t *kit.Tool, c api.Calendar, year int) error {
	compiled, err := c.Rules.Compile()
	if err != nil {
		return fmt.Errorf("unsupported rules of calendar %s: %w", c.Key, err)
	}
	days, open := daysOf(year), 0
	for _, d := range days {
		if compiled.Allows(d) {
			open++
		}
	}
	err = t.PrintSheet([][2]string{
		{"Key", c.Key},
		{"Title", c.Title},
		{"Days", rulesInShort(c.Rules)},
		{"In " + strconv.Itoa(year), fmt.Sprintf("%s %s allowed, %d %s not", plural.Count(open, "day"), plural.Verb(open, "is", "are"), len(days)-open, plural.Verb(len(days)-open, "is", "are"))},
		{"Known until", knownUntil(c.Rules)},
		{"Source", c.Rules.Source},
		{"Version", strconv.FormatInt(c.Version, 10)},
		{"Updated", t.FormatTime(c.UpdatedAt)},
	})
	if err != nil {
		return err
	}
	if rows := namedDays(c.Rules, compiled, days); len(rows) > 0 {
		if _, err := fmt.Fprintln(t.Stdout); err != nil {
			return err
		}
		if err := t.PrintTable("DATE DAY ALLOWED NAME", rows); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(t.Stdout, "\n%s", grid(year, compiled)); err != nil {
		return err
	}
	if known := c.Rules.KnownUntil; !known.IsZero() && known.Year < year {
		t.PrintNote("Warning: the data ends on %s. Later holidays are unknown.", known)
	}
	return nil
}

// namedDays returns the days that rules name explicitly, by exclusion or by exception.
func namedDays(rules calendar.Rules, whole *calendar.Calendar, days []calendar.Date) [][]string {
	beyond := rules
	beyond.Weekdays, beyond.Except = nil, nil
	named, err := beyond.Compile()
	if err != nil { // only weekday rules
		named = nil
	}
	except := map[calendar.Date]string{}
	for _, d := range rules.Except {
		except[d.Date] = d.Name
	}
	only := rules.Mode == calendar.ModeOnly
	var rows [][]string
	for _, d := range days {
		name, excepted := except[d]
		if !excepted {
			if named == nil || named.Allows(d) != only {
				continue
			}
			name = named.Name(d)
		}
		allowed := "no"
		if whole.Allows(d) {
			allowed = "yes"
		}
		rows = append(rows, []string{d.String(), d.Weekday().String()[:3], allowed, name})
	}
	return rows
}

// daysOf returns the days of a year.
func daysOf(year int) []calendar.Date {
	days := make([]calendar.Date, 0, 366)
	for d := (calendar.Date{Year: year, Month: time.January, Day: 1}); d.Year == year; d = d.Add(1) {
		days = append(days, d)
	}
	return days
}

// grid draws the months of a year, three per row. A dot marks a day that is not allowed.
func grid(year int, c *calendar.Calendar) string {
	const width, across = 20, 3 // seven days of two digits with spaces between them
	var b strings.Builder
	for first := time.January; first <= time.December; first += across {
		if first > time.January {
			b.WriteString("\n")
		}
		var months [across][]string
		height := 0
		for i := range months {
			months[i] = monthGrid(year, first+time.Month(i), c)
			height = max(height, len(months[i]))
		}
		for line := range height {
			cells := make([]string, across)
			for i, m := range months {
				if line < len(m) {
					cells[i] = m[line]
				}
				cells[i] = fmt.Sprintf("%-*s", width, cells[i])
			}
			b.WriteString(strings.TrimRight(strings.Join(cells, "   "), " ") + "\n")
		}
	}
	return b.String()
}

// monthGrid draws a month: its name, the weekdays and its weeks.
func monthGrid(year int, month time.Month, c *calendar.Calendar) []string {
	first := calendar.Date{Year: year, Month: month, Day: 1}
	lines := []string{fmt.Sprintf("%s %d", month, year), "Mo Tu We Th Fr Sa Su"}
	week := slices.Repeat([]string{"  "}, int(first.Weekday()+6)%7)
	for d := first; d.Month == month; d = d.Add(1) {
		cell := " ·"
		if c.Allows(d) {
			cell = fmt.Sprintf("%2d", d.Day)
		}
		if week = append(week, cell); len(week) == 7 {
			lines, week = append(lines, strings.Join(week, " ")), nil
		}
	}
	if len(week) > 0 {
		lines = append(lines, strings.Join(week, " "))
	}
	return lines
}

// rulesInShort summarizes the days that rules select.
func rulesInShort(r calendar.Rules) string {
	var parts []string
	if len(r.Weekdays) > 0 {
		names := make([]string, len(r.Weekdays))
		for i, d := range r.Weekdays {
			names[i] = time.Weekday(d).String()[:3]
		}
		parts = append(parts, strings.Join(names, ", "))
	}
	for _, list := range [...]struct {
		n    int
		noun string
	}{{len(r.Dates), "day"}, {len(r.Ranges), "range"}, {len(r.Yearly), "yearly day"}} {
		if list.n > 0 {
			parts = append(parts, plural.Count(list.n, list.noun))
		}
	}
	text := "all days"
	if len(parts) > 0 {
		verb := "all except "
		if r.Mode == calendar.ModeOnly {
			verb = "only "
		}
		text = verb + strings.Join(parts, ", ")
	}
	if len(r.Except) > 0 {
		text += fmt.Sprintf("; %s excepted", plural.Count(len(r.Except), "day"))
	}
	return text
}

// knownUntil returns the end date of the data, "" when it has no end.
func knownUntil(r calendar.Rules) string {
	if r.KnownUntil.IsZero() {
		return ""
	}
	return r.KnownUntil.String()
}
