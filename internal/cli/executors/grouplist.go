package executors

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

func newGroupListCommand(t *kit.Tool) *cobra.Command {
	limit, everywhere := 100, false
	cmd := &cobra.Command{
		Use: kit.ListName, Aliases: []string{"ls"}, Short: "List groups with their executors, jobs and runs", Args: cobra.NoArgs,
		Example: "  orth group list\n  orth group list --namespace team-a\n  orth group list --all-namespaces -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 {
				return output.Usagef("--limit: must be at least 1, got %d", limit)
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			groups, after, listed := []api.GroupFigures{}, "", c.Groups
			if everywhere {
				listed = c.GroupsOfAll
			}
			for {
				page, err := listed(cmd.Context(), after, min(limit-len(groups), kit.PageSize))
				if err != nil {
					return err
				}
				groups, after = append(groups, page.Groups...), page.Next
				if after == "" || len(groups) >= limit {
					return showGroups(t, groups, everywhere, after != "")
				}
			}
		},
	}
	kit.AddEverySpaceFlag(cmd.Flags(), &everywhere)
	cmd.Flags().IntVar(&limit, "limit", limit, "maximum number of groups")
	return cmd
}

func showGroups(t *kit.Tool, groups []api.GroupFigures, everywhere, more bool) error {
	return t.Show(groups, func() error {
		switch {
		case len(groups) == 0 && everywhere:
			t.PrintNote("No groups found.")
			return nil
		case len(groups) == 0:
			t.PrintNote("No groups found in this namespace. List all with 'orth group list --all-namespaces'.")
			return nil
		}
		head := "GROUP ALIVE DRAINING JOBS RUNNING WAITING TITLE | CREATED"
		if everywhere {
			head = "NAMESPACE " + head
		}
		rows := make([][]string, len(groups))
		for i, g := range groups {
			rows[i] = []string{
				g.Key, strconv.Itoa(g.Alive) + "/" + strconv.Itoa(g.Executors), strconv.Itoa(g.Draining), strconv.Itoa(g.Jobs),
				strconv.Itoa(g.Running), strconv.Itoa(g.Waiting), g.Title, t.FormatTime(g.CreatedAt),
			}
			if everywhere {
				rows[i] = append([]string{g.Namespace}, rows[i]...)
			}
		}
		if err := t.PrintTable(head, rows); err != nil {
			return err
		}
		if more {
			t.PrintNote("More groups may exist; raise --limit to list them.")
		}
		return nil
	})
}

func newGroupShowCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "show GROUP", Short: "Show a group with its executors, jobs and runs", Args: cobra.ExactArgs(1),
		Example: "  orth group show reports",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			g, err := c.Group(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return t.Show(g, func() error {
				return t.PrintSheet([][2]string{
					{"Group", g.Key},
					{kit.RowTitle, g.Title},
					{"Namespace", g.Namespace},
					{"Labels", kit.JoinPairs(g.Labels)},
					{"Executors", strconv.Itoa(g.Executors) + ": " + strconv.Itoa(g.Alive) + " alive, " + strconv.Itoa(g.Draining) + " draining"},
					{"Jobs", strconv.Itoa(g.Jobs)},
					{"Running", strconv.Itoa(g.Running)},
					{"Waiting", strconv.Itoa(g.Waiting)},
					{"Own token only", kit.YesOrNo(g.OwnTokenOnly)},
					{kit.RowCreated, t.FormatTime(g.CreatedAt)},
				})
			})
		},
	}
}

func newGroupCreateCommand(t *kit.Tool) *cobra.Command {
	var g api.NewGroup
	cmd := &cobra.Command{
		Use: "create GROUP", Short: "Create a group before an executor registers for it", Args: cobra.ExactArgs(1),
		Long: "Create a group in the namespace of --namespace before an executor registers for it. A group that a job or an executor\n" +
			"uses first is created automatically in the namespace default. Executors register by group key only, so keys are\n" +
			"unique on a server.",
		Example: "  orth group create reports --title 'Reports of the finance team'\n  orth group create billing --namespace team-a",
		RunE: func(cmd *cobra.Command, args []string) error {
			g.Key = args[0]
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			made, err := c.CreateGroup(cmd.Context(), g)
			if err != nil {
				return err
			}
			return t.PrintResult(made, "group "+made.Key+" created")
		},
	}
	cmd.Flags().StringVar(&g.Title, "title", "", "display `name`")
	cmd.Flags().StringToStringVar(&g.Labels, "label", nil, "`key=value` label; may be repeated")
	return cmd
}

func newGroupDeleteCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "delete GROUP", Aliases: []string{"rm"}, Short: "Delete an empty group", Args: cobra.ExactArgs(1),
		Long:    "Delete a group without jobs, runs, tokens and live executors.",
		Example: "  orth group delete reports",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			if err := c.DeleteGroup(cmd.Context(), args[0]); err != nil {
				return err
			}
			return t.PrintResult(map[string]string{kit.Deleted: args[0]}, "group "+args[0]+" deleted")
		},
	}
}

func newGroupHandlersCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "handlers GROUP", Short: "List the handlers of a group's executors", Args: cobra.ExactArgs(1),
		Long: "List the handlers of a group's live executors: script kinds and handler names for jobs. Third-party executors do not\n" +
			"announce handlers and may have more than listed.",
		Example: "  orth group handlers reports\n  orth job create report --group reports --handler \"$(orth group handlers reports -o name | head -1)\" --manual",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			found, err := c.GroupHandlers(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return t.Show(found, func() error { return showHandlers(t, args[0], &found) })
		},
	}
}

func showHandlers(t *kit.Tool, group string, found *api.GroupHandlers) error {
	if found.Executors == 0 {
		t.PrintNote("No live executor in group %s.", group)
		return nil
	}
	if len(found.Handlers) > 0 {
		rows := make([][]string, len(found.Handlers))
		for i, h := range found.Handlers {
			what := h.Name
			if h.Kind != job.HandlerNamed {
				what = string(h.Kind) + " scripts"
			}
			rows[i] = []string{what, strconv.Itoa(h.Executors) + "/" + strconv.Itoa(found.Executors)}
		}
		if err := t.PrintTable("HANDLER EXECUTORS", rows); err != nil {
			return err
		}
	}
	if found.Silent > 0 {
		t.PrintNote("%s %s no handler names", plural.Count(found.Silent, "executor"), plural.Verb(found.Silent, "announces", "announce"))
	}
	return nil
}
