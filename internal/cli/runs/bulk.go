package runs

import (
	"cmp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
)

// NewBulkCommand returns the command orth run bulk.
func NewBulkCommand(t *kit.Tool) *cobra.Command {
	var f kit.BulkFlags
	var narrow kit.RunNarrowing
	var query client.RunQuery
	reason := ""
	cmd := &cobra.Command{
		Use: "bulk ACTION (ID... | --all)", DisableFlagsInUseLine: true, Short: "Cancel or rerun many runs",
		Long: "Cancel or rerun many runs. Each succeeds or fails independently; the exit code is 1 when one fails.",
		Example: "  orth run bulk cancel --all --job report --dry-run\n  orth run bulk rerun 1024 1025\n" +
			"  orth run bulk rerun --all --group reports --state failed --since 2h --yes",
		Args: cobra.MinimumNArgs(1), Annotations: map[string]string{kit.ActionsAnnotation: "cancel rerun"},
	}
	narrow.AddTo(cmd, &query)
	t.AddEverySpaceDefault(cmd)
	_ = cmd.Flags().MarkHidden("shards") // Shards follow their parent run.
	f.Add(cmd, "runs")
	cmd.Flags().StringVar(&reason, "reason", "", "for cancel: `text` to store with each run")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		action := kit.NewChoice("", strings.Fields(cmd.Annotations[kit.ActionsAnnotation])...)
		if err := action.Set(args[0]); err != nil {
			return output.Usagef("ACTION: %q: %v", args[0], err)
		}
		if err := f.Check(t, len(args)-1); err != nil {
			return err
		}
		if err := cmp.Or(t.RejectEverySpace(query.Job), f.CheckAfter()); err != nil {
			return err
		}
		wanted := api.RunBulk{Action: action.Value, Reason: reason}
		ids := make(map[string]api.ID, len(args))
		for _, arg := range args[1:] {
			id, err := kit.ParseRunID(arg)
			if err != nil {
				return err
			}
			ids[arg] = id
		}
		if f.All {
			if err := narrow.Fill(&query, time.Now(), t.Location); err != nil {
				return err
			}
			wanted.Filter = &api.RunFilter{
				Namespace: t.SelectedNamespace(), Job: query.Job, Group: query.Group, States: query.States, Cause: query.Cause, CauseID: query.CauseID,
				CreatedSince: api.At(query.CreatedSince), CreatedUntil: api.At(query.CreatedUntil),
				Executor: query.Executor, Label: query.Label, By: query.By, Text: query.Text, Late: api.Duration(query.Late),
				MinDuration: api.Duration(query.MinDuration), MaxDuration: api.Duration(query.MaxDuration),
				MinTries: query.MinTries, MaxTries: query.MaxTries,
			}
		}
		c, err := t.Connect()
		if err != nil {
			return err
		}
		defer c.Close()
		return t.RunBulk(&f, action.Value, "run", args[1:], func(p kit.Portion, dry bool) (api.Done, error) {
			wanted.DryRun, wanted.IDs = dry, nil
			for _, name := range p.Names {
				wanted.IDs = append(wanted.IDs, ids[name])
			}
			if f.All {
				wanted.Filter.Before, _ = kit.ParseRunID(p.After) // 0 for none; validated by CheckAfter
				wanted.Filter.Limit = p.Limit
			}
			return c.BulkRuns(cmd.Context(), wanted)
		})
	}
	return cmd
}
