package executors

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

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
