package calendars

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/internal/output"
)

// source holds the flags that select the source of a calendar.
type source struct {
	shipped, path, title string
	noWeekends           bool
}

// add defines the flags.
func (s *source) add(flags *pflag.FlagSet) {
	flags.SortFlags = false
	flags.StringVar(&s.shipped, "builtin", "", "`key` of built-in holiday data")
	flags.StringVar(&s.path, "file", "", ".ics, .csv or .json `file`")
	flags.StringVar(&s.title, "title", "", "display `name`")
	flags.BoolVar(&s.noWeekends, "no-weekends", false, "allow Saturdays and Sundays")
}

// text builds the request.
func (s *source) text(flags *pflag.FlagSet) (api.CalendarText, error) {
	one, err := kit.OneFlagOf(flags, "builtin", "file")
	if err != nil {
		return api.CalendarText{}, err
	}
	weekends := !s.noWeekends
	wanted := api.CalendarText{Title: s.title, Shipped: s.shipped, Weekends: &weekends}
	if one == "builtin" {
		if s.shipped == "" {
			return wanted, output.Usagef("--builtin: the key must not be empty; 'orth calendar builtin' lists the keys")
		}
		return wanted, nil
	}
	format := timing.CalendarFormat(s.path)
	switch {
	case format == "":
		return wanted, output.Usagef("--file: %q must end in .ics, .csv or .json", s.path)
	case format == timing.FormatRules && s.noWeekends:
		return wanted, output.Usagef("--no-weekends is not allowed with a .json file, which defines the weekdays itself")
	}
	text, err := timing.ReadCalendarFile(s.path)
	if err != nil {
		return wanted, fmt.Errorf("--file: %w", err)
	}
	if format != timing.FormatRules {
		wanted.Format, wanted.Text = format, string(text)
		return wanted, nil
	}
	rules, err := timing.ParseCalendarRules(text)
	if err != nil {
		return wanted, fmt.Errorf("--file: %s: %w", s.path, err)
	}
	wanted.Rules, wanted.Weekends = &rules, nil
	return wanted, nil
}
