package calendars

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/internal/output"
)

// NewCommand returns the command orth calendar.
func NewCommand(t *kit.Tool) *cobra.Command {
	return output.Parent(
		&cobra.Command{
			Use: "calendar", Aliases: []string{"calendars"}, Short: "Manage calendars: the days on which jobs may fire",
		},
		newListCommand(t), newShowCommand(t), newSaveCommand(t), t.ConfirmFirst(newDeleteCommand(t), "Delete calendar %s?"),
		newShippedCommand(t),
	)
}

func newListCommand(t *kit.Tool) *cobra.Command {
	return kit.SpaceList[api.Calendar]{
		Short: "List calendars, sorted by key", Example: "  orth calendar list\n  orth calendar list --all-namespaces",
		Every: (*client.Client).AllCalendars, Own: (*client.Client).Calendars,
		None:  "No calendars found. Create one with 'orth calendar save'.",
		Heads: "KEY TITLE DAYS KNOWN-UNTIL UPDATED",
		Row: func(c *api.Calendar) (string, []string) {
			return c.Namespace, []string{c.Key, c.Title, rulesInShort(c.Rules), knownUntil(c.Rules), t.FormatTime(c.UpdatedAt)}
		},
	}.Command(t)
}

func newDeleteCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "delete KEY", Aliases: []string{"rm"}, Short: "Delete a calendar that no job uses", Args: cobra.ExactArgs(1),
		Example: "  orth calendar delete office",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			if err := c.DeleteCalendar(cmd.Context(), args[0]); err != nil {
				return err
			}
			return t.PrintResult(map[string]string{"deleted": args[0]}, "calendar "+args[0]+" deleted")
		},
	}
}

func newShippedCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "builtin", Short: "List the built-in holiday calendars", Args: cobra.NoArgs,
		Example: "  orth calendar builtin\n  orth calendar save cn --builtin cn",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			found, err := c.ShippedCalendars(cmd.Context())
			if err != nil {
				return err
			}
			if t.ForPrograms() {
				return t.Encode(kit.OrEmpty(found))
			}
			rows := make([][]string, len(found))
			for i, s := range found {
				rows[i] = []string{s.Key, s.Title, strconv.Itoa(s.FirstYear) + "-" + strconv.Itoa(s.LastYear), s.Source}
			}
			return t.PrintTable("KEY TITLE YEARS SOURCE", rows)
		},
	}
}

func newSaveCommand(t *kit.Tool) *cobra.Command {
	var source source
	cmd := &cobra.Command{
		Use: "save KEY (--builtin KEY | --file FILE)", DisableFlagsInUseLine: true,
		Short: "Create or replace a calendar", Args: cobra.ExactArgs(1),
		Long: "Create or replace a calendar. Jobs that use the key follow the new rules immediately.\n\n" +
			"The days come from built-in holiday data (--builtin; 'orth calendar builtin' lists it) or from a file:\n" +
			"  .ics   iCalendar file; its all-day events are excluded\n" +
			"  .csv   lines of date,name[,type]; the type work marks a make-up working day\n" +
			"  .json  rules, as printed by 'orth calendar show KEY -o json'\n" +
			"Saturdays and Sundays are also excluded unless --no-weekends is given; a .json file defines this itself.",
		Example: "  orth calendar save cn --builtin cn\n  orth calendar save office --file office.ics --title 'Our office'\n" +
			"  orth calendar save plant --file shutdowns.csv --no-weekends",
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted, err := source.text(cmd.Flags())
			if err != nil {
				return err
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			saved, err := c.SaveCalendar(cmd.Context(), args[0], wanted)
			if err != nil {
				return err
			}
			for _, text := range saved.Warnings {
				t.PrintNote("beware: %s", output.Printable(text))
			}
			return t.PrintResult(saved, "calendar "+saved.Calendar.Key+" saved: "+savedAs(saved.Calendar))
		},
	}
	source.add(cmd.Flags())
	return cmd
}

// savedAs summarizes a saved calendar and how to use it.
func savedAs(c api.Calendar) string {
	text := rulesInShort(c.Rules)
	if known := knownUntil(c.Rules); known != "" {
		text += ", known until " + known
	}
	return fmt.Sprintf("%s; use it in jobs with --calendar %s", text, c.Key)
}

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
