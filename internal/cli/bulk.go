package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
)

// actionsOf is the annotation of a command that lists the values of ACTION.
const actionsOf = "orth.actions"

// maxBulk is the maximum number of objects that one command changes with --all.
const maxBulk = 10_000

// bulkFlags holds the flags of bulk commands.
type bulkFlags struct {
	all, dryRun, yes bool
	after            string
	limit            int
}

func (f *bulkFlags) add(cmd *cobra.Command, things string) {
	flags := cmd.Flags()
	flags.BoolVar(&f.all, "all", false, "select all "+things+" that match the other flags")
	flags.BoolVar(&f.dryRun, "dry-run", false, "only print the result for each; change nothing")
	flags.BoolVar(&f.yes, "yes", false, "do not ask for confirmation with --all")
	flags.IntVar(&f.limit, "limit", 1000, "maximum number of objects with --all")
	flags.StringVar(&f.after, "after", "", "continue --all after this `object`, as the previous output suggested")
}

// check rejects ambiguous command lines.
func (f *bulkFlags) check(t *tool, named int) error {
	switch {
	case f.all && named > 0:
		return output.Usagef("names and --all are mutually exclusive")
	case !f.all && named == 0:
		return output.Usagef("name the objects, or use --all")
	case f.limit < 1 || f.limit > maxBulk:
		return output.Usagef("--limit: must be between 1 and %d, got %d", maxBulk, f.limit)
	case f.all && !f.dryRun && !f.yes && !asksAPerson(t.Stdin):
		return output.Usagef("--all: standard input is not a terminal, so confirmation is impossible: check with --dry-run, then add --yes")
	}
	return nil
}

// checkAfter rejects an --after that is not an id of a run.
func (f *bulkFlags) checkAfter() error {
	if f.after == "" {
		return nil
	}
	_, err := parseID(f.after)
	return err
}

func (t *tool) jobBulkCommand() *cobra.Command {
	var f bulkFlags
	var narrow jobNarrowing
	var query client.JobQuery
	var set map[string]string
	var remove []string
	cmd := &cobra.Command{
		Use: "bulk ACTION (KEY... | --all)", DisableFlagsInUseLine: true, Short: "Enable, disable, trigger, delete or label many jobs",
		Long: "Enable, disable, trigger, delete or label many jobs of a namespace, or of all namespaces with --all --all-namespaces.\n" +
			"Each job succeeds or fails independently; the exit code is 1 when one fails.",
		Example: "  orth job bulk disable report etl\n  orth job bulk trigger --all --label team=data --dry-run\n  orth job bulk disable --all --all-namespaces --owner ada --dry-run\n" +
			"  orth job bulk label --all --group reports --set team=data --remove owner --yes",
		Args: cobra.MinimumNArgs(1), Annotations: map[string]string{actionsOf: "enable disable trigger delete label"},
	}
	narrow.addTo(cmd, &query)
	f.add(cmd, "jobs")
	everySpaceFlag(cmd.Flags(), &query.AllNamespaces)
	cmd.Flags().StringToStringVar(&set, "set", nil, "for label: set `key=value`; may be repeated")
	cmd.Flags().StringSliceVar(&remove, "remove", nil, "for label: remove the label with this `key`; may be repeated")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		action := newChoice("", strings.Fields(cmd.Annotations[actionsOf])...)
		if err := action.Set(args[0]); err != nil {
			return output.Usagef("ACTION: %q: %v", args[0], err)
		}
		if err := f.check(t, len(args)-1); err != nil {
			return err
		}
		if t.everywhere && !f.all {
			return output.Usagef("--%s: job keys need a namespace: use --namespace, or --all", everySpaceName)
		}
		if err := narrow.fill(&query); err != nil {
			return err
		}
		wanted := api.JobBulk{Action: apiAction(action.value), Labels: labelled(set, remove)}
		if f.all {
			wanted.Filter = &api.JobFilter{
				Group: query.Group, Enabled: query.Enabled, Kind: query.Kind, Handler: query.Handler,
				Labels: query.Labels, Mode: modeOf(query.AnyLabel), Owner: query.Owner, Calendar: query.Calendar, Template: query.Template, Status: query.Status, Text: query.Text, Last: query.Last,
			}
		}
		c, err := t.connect()
		if err != nil {
			return err
		}
		defer c.Close()
		return t.bulk(&f, action.value, "job", args[1:], func(p portion, dry bool) (api.Done, error) {
			wanted.DryRun, wanted.Keys = dry, p.names
			if f.all {
				wanted.Filter.After, wanted.Filter.Limit = p.after, p.limit
			}
			if t.everywhere {
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

func (t *tool) runBulkCommand() *cobra.Command {
	var f bulkFlags
	var narrow runNarrowing
	var query client.RunQuery
	reason := ""
	cmd := &cobra.Command{
		Use: "bulk ACTION (ID... | --all)", DisableFlagsInUseLine: true, Short: "Cancel or rerun many runs",
		Long: "Cancel or rerun many runs. Each succeeds or fails independently; the exit code is 1 when one fails.",
		Example: "  orth run bulk cancel --all --job report --dry-run\n  orth run bulk rerun 1024 1025\n" +
			"  orth run bulk rerun --all --group reports --state failed --since 2h --yes",
		Args: cobra.MinimumNArgs(1), Annotations: map[string]string{actionsOf: "cancel rerun"},
	}
	narrow.addTo(cmd, &query)
	t.everySpaceUsual(cmd)
	_ = cmd.Flags().MarkHidden("shards") // Shards follow their parent run.
	f.add(cmd, "runs")
	cmd.Flags().StringVar(&reason, "reason", "", "for cancel: `text` to store with each run")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		action := newChoice("", strings.Fields(cmd.Annotations[actionsOf])...)
		if err := action.Set(args[0]); err != nil {
			return output.Usagef("ACTION: %q: %v", args[0], err)
		}
		if err := f.check(t, len(args)-1); err != nil {
			return err
		}
		if err := cmp.Or(t.notEverywhere(query.Job), f.checkAfter()); err != nil {
			return err
		}
		wanted := api.RunBulk{Action: action.value, Reason: reason}
		ids := make(map[string]api.ID, len(args))
		for _, arg := range args[1:] {
			id, err := parseID(arg)
			if err != nil {
				return err
			}
			ids[arg] = id
		}
		if f.all {
			if err := narrow.fill(&query, time.Now(), t.Location); err != nil {
				return err
			}
			wanted.Filter = &api.RunFilter{
				Namespace: t.space(), Job: query.Job, Group: query.Group, States: query.States, Cause: query.Cause, CauseID: query.CauseID,
				CreatedSince: api.At(query.CreatedSince), CreatedUntil: api.At(query.CreatedUntil),
				Executor: query.Executor, Label: query.Label, By: query.By, Text: query.Text, Late: api.Duration(query.Late),
				MinDuration: api.Duration(query.MinDuration), MaxDuration: api.Duration(query.MaxDuration),
				MinTries: query.MinTries, MaxTries: query.MaxTries,
			}
		}
		c, err := t.connect()
		if err != nil {
			return err
		}
		defer c.Close()
		return t.bulk(&f, action.value, "run", args[1:], func(p portion, dry bool) (api.Done, error) {
			wanted.DryRun, wanted.IDs = dry, nil
			for _, name := range p.names {
				wanted.IDs = append(wanted.IDs, ids[name])
			}
			if f.all {
				wanted.Filter.Before, _ = parseID(p.after) // 0 for none; validated by checkAfter
				wanted.Filter.Limit = p.limit
			}
			return c.BulkRuns(cmd.Context(), wanted)
		})
	}
	return cmd
}

// portion is the selection of one request of a bulk command: named objects, or a part of
// the matches of a filter.
type portion struct {
	names []string
	after string
	limit int
}

// maxPortion is the maximum number of objects per request. A busy server needs seconds
// for them, and the client times out after half a minute.
const maxPortion = 200

// bulk changes many objects and asks for confirmation when a filter selects them. It
// returns an error when an object was not changed.
func (t *tool) bulk(f *bulkFlags, action, thing string, names []string, do func(p portion, dry bool) (api.Done, error)) error {
	if f.all && !f.dryRun && !f.yes {
		found, err := f.each(nil, func(p portion) (api.Done, error) { return do(p, true) })
		if err != nil {
			return err
		}
		if sure, err := t.confirm(fmt.Sprintf("Run '%s' for %s?", action, plural.Count(found.Done, thing))); err != nil || !sure {
			return err
		}
	}
	result, err := f.each(names, func(p portion) (api.Done, error) { return do(p, f.dryRun) })
	if err != nil {
		if len(result.Items) > 0 { // some were changed before the error
			_ = t.show(result, func() error { return t.showDone(&result, action, thing, f.dryRun) })
		}
		return err
	}
	if err := t.show(result, func() error { return t.showDone(&result, action, thing, f.dryRun) }); err != nil {
		return err
	}
	if result.Failed > 0 {
		return errShown
	}
	return nil
}

// each sends the requests in sequence and returns the sum of the answers received so far.
func (f *bulkFlags) each(names []string, do func(portion) (api.Done, error)) (all api.Done, err error) {
	add := func(p portion) (api.Done, error) {
		done, err := do(p)
		all.Done, all.Failed, all.Unchanged = all.Done+done.Done, all.Failed+done.Failed, all.Unchanged+done.Unchanged
		all.Items = append(all.Items, done.Items...)
		all.More, all.Next = done.More, done.Next
		return done, err
	}
	if !f.all {
		for some := range slices.Chunk(names, maxPortion) {
			if _, err := add(portion{names: some}); err != nil {
				return all, err
			}
		}
		return all, nil
	}
	next := portion{after: f.after}
	for left := f.limit; left > 0; {
		next.limit = min(left, maxPortion)
		done, err := add(next)
		if err != nil || !done.More || len(done.Items) == 0 || done.Next == next.after {
			return all, err
		}
		left -= len(done.Items)
		next.after = done.Next
	}
	return all, nil
}

// showDone prints the result of each object.
func (t *tool) showDone(result *api.Done, action, thing string, dry bool) error {
	rows, spaces := make([][]string, len(result.Items)), make([]string, len(result.Items))
	for i := range result.Items {
		item := &result.Items[i]
		spaces[i] = item.Namespace
		became := "ok"
		switch {
		case item.Error != nil:
			became = "failed: " + item.Error.Detail
		case item.Run > 0:
			became = "ok: run " + item.Run.String()
		case dry && item.Would != "":
			became = output.Printable(item.Would)
		}
		rows[i] = []string{item.Key, became}
	}
	if len(rows) > 0 {
		if err := t.tableIn(t.everywhere && thing == "job", spaces, "KEY RESULT", rows); err != nil {
			return err
		}
	}
	verb := "is"
	if result.Done != 1 {
		verb = "are"
	}
	sentence := fmt.Sprintf("'%s': %s %s done", action, plural.Count(result.Done, thing), verb)
	if dry {
		sentence = fmt.Sprintf("'%s' would change %s", action, plural.Count(result.Done, thing))
	}
	if result.Unchanged > 0 {
		sentence += fmt.Sprintf(", %d already unchanged", result.Unchanged)
	}
	if result.Failed > 0 {
		sentence += fmt.Sprintf(", %d failed", result.Failed)
	}
	if result.More {
		sentence += "; more match: continue with --after " + result.Next
	}
	t.printNote("%s", sentence)
	return nil
}
