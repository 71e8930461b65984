package cli

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
)

func (t *tool) groupListCommand() *cobra.Command {
	limit := 100
	cmd := &cobra.Command{
		Use: listName, Aliases: []string{"ls"}, Short: "List groups of executors with what belongs to them", Args: cobra.NoArgs,
		Example: "  orth group list\n  orth group list -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 {
				return usagef("--limit: %d is not at least 1", limit)
			}
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			groups, after := []api.GroupFigures{}, ""
			for {
				page, err := c.Groups(cmd.Context(), after, min(limit-len(groups), pageSize))
				if err != nil {
					return err
				}
				groups, after = append(groups, page.Groups...), page.Next
				if after == "" || len(groups) >= limit {
					return t.showGroups(groups, after != "")
				}
			}
		},
	}
	cmd.Flags().IntVar(&limit, "limit", limit, "at most so many")
	return cmd
}

func (t *tool) showGroups(groups []api.GroupFigures, more bool) error {
	return t.show(groups, func() error {
		if len(groups) == 0 {
			t.tell("there are no groups")
			return nil
		}
		rows := make([][]string, len(groups))
		for i, g := range groups {
			rows[i] = []string{
				g.Key, strconv.Itoa(g.Alive) + "/" + strconv.Itoa(g.Executors), strconv.Itoa(g.Draining), strconv.Itoa(g.Jobs),
				strconv.Itoa(g.Running), strconv.Itoa(g.Waiting), g.Title, t.time(g.CreatedAt),
			}
		}
		if err := t.table("GROUP ALIVE DRAINING JOBS RUNNING WAITING TITLE | CREATED", rows); err != nil {
			return err
		}
		if more {
			t.tell("there may be more: raise --limit")
		}
		return nil
	})
}

func (t *tool) groupShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show GROUP", Short: "Show a group with what belongs to it", Args: cobra.ExactArgs(1),
		Example: "  orth group show reports",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			g, err := c.Group(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return t.show(g, func() error {
				return t.sheet([][2]string{
					{"Group", g.Key},
					{rowTitle, g.Title},
					{"Namespace", g.Namespace},
					{"Labels", listed(g.Labels)},
					{"Executors", strconv.Itoa(g.Executors) + ", of which " + strconv.Itoa(g.Alive) + " are alive and " + strconv.Itoa(g.Draining) + " take no more tasks"},
					{"Jobs", strconv.Itoa(g.Jobs)},
					{"Running", strconv.Itoa(g.Running)},
					{"Waiting", strconv.Itoa(g.Waiting)},
					{"Own token only", answer(g.OwnTokenOnly)},
					{rowCreated, t.time(g.CreatedAt)},
				})
			})
		},
	}
}

func (t *tool) groupCreateCommand() *cobra.Command {
	var g api.NewGroup
	cmd := &cobra.Command{
		Use: "create GROUP", Short: "Make a group before any executor registers for it", Args: cobra.ExactArgs(1),
		Long: "Make a group before any executor registers for it. A group that a job names, or an executor registers for, makes\n" +
			"itself.",
		Example: "  orth group create reports --title 'Reports of the finance team'",
		RunE: func(cmd *cobra.Command, args []string) error {
			g.Key = args[0]
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			made, err := c.CreateGroup(cmd.Context(), g)
			if err != nil {
				return err
			}
			return t.done(made, "group "+made.Key+" created")
		},
	}
	cmd.Flags().StringVar(&g.Title, "title", "", "a `text` for people")
	cmd.Flags().StringToStringVar(&g.Labels, "label", nil, "`key=value` for people; may be repeated")
	return cmd
}

func (t *tool) groupDeleteCommand() *cobra.Command {
	return &cobra.Command{
		Use: "delete GROUP", Aliases: []string{"rm"}, Short: "Remove a group that nothing belongs to any more", Args: cobra.ExactArgs(1),
		Long:    "Remove a group that nothing belongs to any more: no jobs, no runs, no tokens and no executors that are alive.",
		Example: "  orth group delete reports",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			if err := c.DeleteGroup(cmd.Context(), args[0]); err != nil {
				return err
			}
			return t.done(map[string]string{wasDeleted: args[0]}, "group "+args[0]+" deleted")
		},
	}
}
