package deadletters

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// letterAction holds the flags of an action on dead letters.
type letterAction struct {
	letterFlags
	all, yes, dryRun bool
}

// add defines the flags; verb names the action.
func (f *letterAction) add(cmd *cobra.Command, verb string) {
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.BoolVar(&f.all, "all", false, verb+" all open dead letters that match the other flags")
	f.letterFlags.add(flags, 0)
	flags.Lookup("limit").DefValue = "10000"
	flags.BoolVar(&f.dryRun, "dry-run", false, "only print the result; change nothing")
	flags.BoolVar(&f.yes, "yes", false, "do not ask for confirmation with --all")
}

// selection returns the runs of the command line, or the filter.
func (f *letterAction) selection(t *kit.Tool, args []string) ([]api.ID, *api.DeadLetterFilter, error) {
	switch {
	case f.all && len(args) > 0:
		return nil, nil, output.Usagef("RUN and --all are mutually exclusive")
	case !f.all && f.given():
		return nil, nil, output.Usagef("filter flags require --all")
	case !f.all && len(args) == 0:
		return nil, nil, output.Usagef("give the RUN of each dead letter, or use --all")
	case f.limit < 0:
		return nil, nil, output.Usagef("--limit: must be at least 1, got %d", f.limit)
	case f.all && !f.dryRun && !f.yes && !kit.AsksAPerson(t.Stdin):
		return nil, nil, output.Usagef("--all: standard input is not a terminal, so confirmation is impossible: check with --dry-run, then add --yes")
	}
	if !f.all {
		runs := make([]api.ID, len(args))
		for i, arg := range args {
			var err error
			if runs[i], err = kit.ParseRunID(arg); err != nil {
				return nil, nil, err
			}
		}
		return runs, nil, nil
	}
	since, until, err := f.bounds(t.Location)
	return nil, &api.DeadLetterFilter{
		Job: f.job, Namespace: t.SelectedNamespace(), Group: f.group, State: job.State(f.state.Word()),
		Since: api.At(since), Until: api.At(until), Text: f.text, Limit: f.limit,
	}, err
}

func newDeadLetterRedriveCommand(t *kit.Tool) *cobra.Command {
	var f letterAction
	var param kit.ParamFlags
	var spacing time.Duration
	cmd := &cobra.Command{
		Use: "retry (RUN... | --all)", DisableFlagsInUseLine: true, Short: "Retry dead letters as new runs",
		Long: "Retry dead letters: each gets a new run of the current job, for the same slot, with the same parameter, on any executor\n" +
			"of the group. A dead letter is retried once: if the new run fails too, it becomes a dead letter itself.\n\n" +
			"--input replaces all input values of a job; inputs that are not given get their defaults.\n" +
			"--all covers all namespaces, unless --namespace or --job is given.\n" +
			"Runs are created oldest first, --spacing apart, to limit the load.\n" +
			"(For dead items of an executor's queue see 'orth queue retry'.)",
		Example: "  orth dead-letter retry 1024\n  orth dead-letter retry 1024 --param 2030-01-31\n" +
			"  orth dead-letter retry --all --job report --since 24h --dry-run\n" +
			"  orth dead-letter retry --all --text 'connection refused' --spacing 1s",
	}
	f.add(cmd, "retry")
	param.Add(cmd.Flags(), "parameter `text` for the handler instead of the one of the run")
	cmd.Flags().DurationVar(&spacing, "spacing", 0, "time between the starts of two runs, 0s for none (default 10ms)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		runs, filter, err := f.selection(t, args)
		if err != nil {
			return err
		}
		wanted := api.RedriveMany{Runs: runs, Filter: filter, DryRun: f.dryRun}
		if wanted.Param, err = param.Param(cmd.Flags()); err != nil {
			return err
		}
		if cmd.Flags().Changed("spacing") {
			wanted.Spacing = (*api.Duration)(&spacing)
		}
		c, err := t.Connect()
		if err != nil {
			return err
		}
		defer c.Close()
		if len(runs) == 1 && !f.dryRun {
			made, err := c.Redrive(cmd.Context(), runs[0], wanted.Param)
			if err != nil {
				return err
			}
			return t.PrintResult(made, fmt.Sprintf("run %s created to retry run %s: see it with %s", made.ID, runs[0], t.CommandLine("run", "show", made.ID.String())))
		}
		return settleLetters(t, &f, "retried", func(dry bool) (api.Settled, error) {
			wanted.DryRun = dry
			return c.RedriveMany(cmd.Context(), wanted)
		})
	}
	return cmd
}

func newDeadLetterCloseCommand(t *kit.Tool) *cobra.Command {
	var f letterAction
	var reason string
	cmd := &cobra.Command{
		Use: "close (RUN... | --all)", DisableFlagsInUseLine: true, Short: "Close dead letters without a retry",
		Long: "Close dead letters without a retry. Closed dead letters leave the list of open ones and can still be retried by run.\n" +
			"--all covers all namespaces, unless --namespace or --job is given.",
		Example: "  orth dead-letter close 1024 --reason 'the source was empty that day'\n" +
			"  orth dead-letter close --all --job report --until 2030-01-31",
	}
	f.add(cmd, "close")
	cmd.Flags().StringVar(&reason, "reason", "", "`text` to store with the dead letters")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		runs, filter, err := f.selection(t, args)
		if err != nil {
			return err
		}
		c, err := t.Connect()
		if err != nil {
			return err
		}
		defer c.Close()
		if len(runs) == 1 && !f.dryRun {
			return closeLetter(t, cmd, c, runs[0], reason)
		}
		return settleLetters(t, &f, "closed", func(dry bool) (api.Settled, error) {
			return c.CloseDeadLetters(cmd.Context(), api.CloseMany{Runs: runs, Filter: filter, Reason: reason, DryRun: dry})
		})
	}
	return cmd
}

func closeLetter(t *kit.Tool, cmd *cobra.Command, c *client.Client, run api.ID, reason string) error {
	d, err := c.CloseDeadLetter(cmd.Context(), run, reason)
	if err != nil {
		return err
	}
	return t.PrintResult(d, fmt.Sprintf("dead letter of run %s closed", d.RunID))
}

// settleLetters applies an action to many dead letters and asks for confirmation with a filter.
// It returns an error when the action fails for any of them.
func settleLetters(t *kit.Tool, f *letterAction, verb string, do func(dry bool) (api.Settled, error)) error {
	if f.all && !f.dryRun && !f.yes {
		found, err := do(true)
		if err != nil {
			return err
		}
		if sure, err := maySettle(t, &found, verb); err != nil || !sure {
			return err
		}
	}
	result, err := do(f.dryRun)
	if err != nil {
		return err
	}
	if err := showSettled(t, &result, verb, f.dryRun); err != nil {
		return err
	}
	if result.Failed > 0 {
		return kit.ErrShown
	}
	return nil
}

// maySettle asks for confirmation of the action. It prints a message when it returns
// false without a question.
func maySettle(t *kit.Tool, found *api.Settled, verb string) (bool, error) {
	if len(found.Letters) == 0 {
		t.PrintNote("No open dead letters found.")
		return false, nil
	}
	jobs := make(map[string]bool)
	for i := range found.Letters {
		jobs[found.Letters[i].JobKey] = true
	}
	more := ""
	if found.More {
		more = "; more dead letters match"
	}
	return t.Confirm(fmt.Sprintf("%s of %s will be %s%s. Continue?", plural.Count(found.Done, "dead letter"), plural.Count(len(jobs), "job"), verb, more))
}

// showSettled prints the result for each dead letter.
func showSettled(t *kit.Tool, result *api.Settled, verb string, dry bool) error {
	if t.ForPrograms() {
		return t.Encode(result)
	}
	would := "would be " + verb
	rows := make([][]string, len(result.Letters))
	for i := range result.Letters {
		item := &result.Letters[i]
		became := verb
		switch {
		case item.Error != nil:
			became = item.Error.Detail
		case dry && !item.ReadyAt.IsZero():
			became = would + ", to start at " + t.FormatTime(item.ReadyAt)
		case dry:
			became = would
		case item.NewRun > 0:
			became = "retried as run " + item.NewRun.String() + ", to start at " + t.FormatTime(item.ReadyAt)
		}
		rows[i] = []string{item.RunID.String(), item.JobKey, kit.StateText(item.State), became}
	}
	if len(rows) > 0 {
		if err := t.PrintTable("RUN JOB STATE RESULT", rows); err != nil {
			return err
		}
	}
	sentence := plural.Count(result.Done, "dead letter") + " "
	if dry {
		sentence += would
	} else {
		sentence += verb
	}
	if result.Failed > 0 {
		sentence += fmt.Sprintf(", %d failed", result.Failed)
	}
	if result.More {
		sentence += "; more match: run the command again"
	}
	t.PrintNote("%s", sentence)
	return nil
}
