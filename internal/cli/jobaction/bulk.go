package jobaction

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
)

// Add adds the flags to a command that changes many things.

// NewBulkCommand returns the command orth job bulk.
func NewBulkCommand(t *kit.Tool) *cobra.Command {
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

// NewBulkCommand returns the command orth run bulk.
