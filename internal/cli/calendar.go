package cli

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
)

func (t *tool) calendarCommand() *cobra.Command {
	return parent(
		&cobra.Command{
			Use: "calendar", Aliases: []string{"calendars"}, Short: "List, show, save and delete calendars: the days on which jobs may fire",
		},
		t.calendarListCommand(), t.calendarShowCommand(), t.calendarSaveCommand(), t.sure(t.calendarDeleteCommand(), "Delete calendar %s?"),
		t.calendarShippedCommand(),
	)
}

func (t *tool) calendarListCommand() *cobra.Command {
	return spaceList[api.Calendar]{
		short: "List calendars in order of key", example: "  orth calendar list\n  orth calendar list --all-namespaces",
		every: (*client.Client).AllCalendars, own: (*client.Client).Calendars,
		none:  "there are no calendars: make one with 'orth calendar save'",
		heads: "KEY TITLE DAYS KNOWN-UNTIL UPDATED",
		row: func(c *api.Calendar) (string, []string) {
			return c.Namespace, []string{c.Key, c.Title, rulesInShort(c.Rules), knownUntil(c.Rules), t.time(c.UpdatedAt)}
		},
	}.command(t)
}

func (t *tool) calendarDeleteCommand() *cobra.Command {
	return &cobra.Command{
		Use: "delete KEY", Aliases: []string{"rm"}, Short: "Delete a calendar that no job names", Args: cobra.ExactArgs(1),
		Example: "  orth calendar delete office",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			if err := c.DeleteCalendar(cmd.Context(), args[0]); err != nil {
				return err
			}
			return t.done(map[string]string{"deleted": args[0]}, "calendar "+args[0]+" deleted")
		},
	}
}

func (t *tool) calendarShippedCommand() *cobra.Command {
	return &cobra.Command{
		Use: "shipped", Short: "List the holiday data that comes with the server", Args: cobra.NoArgs,
		Example: "  orth calendar shipped\n  orth calendar save cn --shipped cn",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			found, err := c.ShippedCalendars(cmd.Context())
			if err != nil {
				return err
			}
			if t.forPrograms() {
				return t.encode(orEmpty(found))
			}
			rows := make([][]string, len(found))
			for i, s := range found {
				rows[i] = []string{s.Key, s.Title, strconv.Itoa(s.FirstYear) + "-" + strconv.Itoa(s.LastYear), s.Source}
			}
			return t.table("KEY TITLE YEARS SOURCE", rows)
		},
	}
}

func (t *tool) calendarSaveCommand() *cobra.Command {
	var source calendarSource
	cmd := &cobra.Command{
		Use: "save KEY (--shipped KEY | --file FILE)", DisableFlagsInUseLine: true,
		Short: "Write a calendar, a new one or over the one of its key", Args: cobra.ExactArgs(1),
		Long: "Write a calendar, a new one or over the one of its key. Jobs that name the key follow it from then on.\n\n" +
			"Its days come from holiday data of the server (--shipped; 'orth calendar shipped' lists it) or from a file:\n" +
			"  .ics   an iCalendar file; its whole-day events are excluded\n" +
			"  .csv   lines of date,name[,type], where the type work marks a working day that makes up for a holiday\n" +
			"  .json  rules, as 'orth calendar show KEY -o json' prints them\n" +
			"Saturdays and Sundays are excluded too, unless --no-weekends is given; a .json file says it all by itself.",
		Example: "  orth calendar save cn --shipped cn\n  orth calendar save office --file office.ics --title 'Our office'\n" +
			"  orth calendar save plant --file shutdowns.csv --no-weekends",
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted, err := source.text(cmd.Flags())
			if err != nil {
				return err
			}
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			saved, err := c.SaveCalendar(cmd.Context(), args[0], wanted)
			if err != nil {
				return err
			}
			for _, text := range saved.Warnings {
				t.tell("beware: %s", printable(text))
			}
			return t.done(saved, "calendar "+saved.Calendar.Key+" saved: "+savedAs(saved.Calendar))
		},
	}
	source.add(cmd.Flags())
	return cmd
}

// savedAs says in a sentence what a calendar is now, and how to use it.
func savedAs(c api.Calendar) string {
	text := rulesInShort(c.Rules)
	if known := knownUntil(c.Rules); known != "" {
		text += ", known until " + known
	}
	return fmt.Sprintf("%s; jobs name it with --calendar %s", text, c.Key)
}

// orEmpty returns the list, never nil, so that JSON shows an array.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
