package cli

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

// Add adds the flags to a command that changes many things.

func newJobBulkCommand(t *kit.Tool) *cobra.Command {
	var f kit.BulkFlags
	var narrow kit.JobNarrowing
	var query client.JobQuery
	var set map[string]string
	var remove []string
	cmd := &cobra.Command{
		Use: "bulk ACTION (KEY... | --all)", DisableFlagsInUseLine: true, Short: "Enable, disable, trigger, delete or label many jobs",
		Long: "Enable, disable, trigger, delete or label many jobs of a namespace, or of all namespaces with --all --all-namespaces.\n" +
			"Each job succeeds or fails independently; the exit code is 1 when one fails.",
		Example: "  orth job bulk disable report etl\n  orth job bulk trigger --all --label team=data --dry-run\n  orth job bulk disable --all --all-namespaces --owner ada --dry-run\n" +
			"  orth job bulk label --all --group reports --set team=data --remove owner --yes",
		Args: cobra.MinimumNArgs(1), Annotations: map[string]string{kit.ActionsAnnotation: "enable disable trigger delete label"},
	}
	narrow.AddTo(cmd, &query)
	f.Add(cmd, "jobs")
	kit.AddEverySpaceFlag(cmd.Flags(), &query.AllNamespaces)
	cmd.Flags().StringToStringVar(&set, "set", nil, "for label: set `key=value`; may be repeated")
	cmd.Flags().StringSliceVar(&remove, "remove", nil, "for label: remove the label with this `key`; may be repeated")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		action := kit.NewChoice("", strings.Fields(cmd.Annotations[kit.ActionsAnnotation])...)
		if err := action.Set(args[0]); err != nil {
			return output.Usagef("ACTION: %q: %v", args[0], err)
		}
		if err := f.Check(t, len(args)-1); err != nil {
			return err
		}
		if t.Everywhere && !f.All {
			return output.Usagef("--%s: job keys need a namespace: use --namespace, or --all", kit.EverySpaceFlagName)
		}
		if err := narrow.Fill(&query); err != nil {
			return err
		}
		wanted := api.JobBulk{Action: kit.APIAction(action.Value), Labels: labelled(set, remove)}
		if f.All {
			wanted.Filter = &api.JobFilter{
				Group: query.Group, Enabled: query.Enabled, Kind: query.Kind, Handler: query.Handler,
				Labels: query.Labels, Mode: modeOf(query.AnyLabel), Owner: query.Owner, Calendar: query.Calendar, Template: query.Template, Status: query.Status, Text: query.Text, Last: query.Last,
			}
		}
		c, err := t.Connect()
		if err != nil {
			return err
		}
		defer c.Close()
		return t.RunBulk(&f, action.Value, "job", args[1:], func(p kit.Portion, dry bool) (api.Done, error) {
			wanted.DryRun, wanted.Keys = dry, p.Names
			if f.All {
				wanted.Filter.After, wanted.Filter.Limit = p.After, p.Limit
			}
			if t.Everywhere {
				return c.BulkJobsOfAll(cmd.Context(), wanted)
			}
			return c.BulkJobs(cmd.Context(), wanted)
		})
	}
	return cmd
}

// modeOf returns the match mode of labels for the API; the empty string means all labels.
func modeOf(one bool) string {
	if one {
		return "any"
	}
	return ""
}

// labelled returns the change of labels, nil for no change.
func labelled(set map[string]string, remove []string) map[string]*string {
	if len(set)+len(remove) == 0 {
		return nil
	}
	change := make(map[string]*string)
	for key, value := range set {
		change[key] = &value
	}
	for _, key := range remove {
		change[key] = nil
	}
	return change
}

func newRunBulkCommand(t *kit.Tool) *cobra.Command {
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
