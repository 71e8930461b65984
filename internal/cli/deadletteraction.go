package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// letterAction are the flags of what is done about dead letters.
type letterAction struct {
	letterFlags
	all, yes, dryRun bool
}

// add adds the flags; verb says what is done.
func (f *letterAction) add(cmd *cobra.Command, verb string) {
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.BoolVar(&f.all, "all", false, verb+" all open dead letters that the flags below find")
	f.letterFlags.add(flags, 0)
	flags.Lookup("limit").DefValue = "10000"
	flags.BoolVar(&f.dryRun, "dry-run", false, "only say what would be done")
	flags.BoolVar(&f.yes, "yes", false, "do not ask before --all")
}

// selection returns the runs that the command line names, or the filter.
func (f *letterAction) selection(t *tool, args []string) ([]api.ID, *api.DeadLetterFilter, error) {
	switch {
	case f.all && len(args) > 0:
		return nil, nil, usagef("RUN and --all exclude each other")
	case !f.all && f.given():
		return nil, nil, usagef("the flags that find dead letters need --all: it takes all open ones that they find")
	case !f.all && len(args) == 0:
		return nil, nil, usagef("name the RUN of each dead letter, or take --all")
	case f.limit < 0:
		return nil, nil, usagef("--limit: %d is not at least 1", f.limit)
	case f.all && !f.dryRun && !f.yes && !asksAPerson(t.Stdin):
		return nil, nil, usagef("--all: nobody can be asked here: look with --dry-run, then add --yes")
	}
	if !f.all {
		runs := make([]api.ID, len(args))
		for i, arg := range args {
			var err error
			if runs[i], err = parseID(arg); err != nil {
				return nil, nil, err
			}
		}
		return runs, nil, nil
	}
	since, until, err := f.bounds(t.Location)
	return nil, &api.DeadLetterFilter{
		Job: f.job, Namespace: t.space(), Group: f.group, State: job.State(f.state.word()),
		Since: api.At(since), Until: api.At(until), Text: f.text, Limit: f.limit,
	}, err
}

func (t *tool) deadLetterRedriveCommand() *cobra.Command {
	var f letterAction
	var param paramFlags
	var spacing time.Duration
	cmd := &cobra.Command{
		Use: "redrive (RUN... | --all)", DisableFlagsInUseLine: true, Short: "Make new runs in the place of dead ones",
		Long: "Make new runs in the place of dead ones: of the same job as it is now, for the same slot, with the same parameter,\n" +
			"to any executor of its group. A dead run is redriven once: if the new run ends badly too, it is a dead letter itself.\n\n" +
			"--input replaces all values of a job with inputs: inputs that are not named get their defaults.\n" +
			"--all means those of all namespaces, unless --namespace or --job names one.\n" +
			"Several are made the oldest first and a little apart, so that they do not start all at once.\n" +
			"(Items of an executor's queue are another matter: see 'orth queue redrive'.)",
		Example: "  orth dead-letter redrive 1024\n  orth dead-letter redrive 1024 --param 2030-01-31\n" +
			"  orth dead-letter redrive --all --job report --since 24h --dry-run\n" +
			"  orth dead-letter redrive --all --text 'connection refused' --spacing 1s",
	}
	f.add(cmd, "redrive")
	param.add(cmd.Flags(), "`text` for the handler instead of the run's own")
	cmd.Flags().DurationVar(&spacing, "spacing", 0, "time from one run to the next, 0s for all at once (default 10ms)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		runs, filter, err := f.selection(t, args)
		if err != nil {
			return err
		}
		wanted := api.RedriveMany{Runs: runs, Filter: filter, DryRun: f.dryRun}
		if wanted.Param, err = param.param(cmd.Flags()); err != nil {
			return err
		}
		if cmd.Flags().Changed("spacing") {
			wanted.Spacing = (*api.Duration)(&spacing)
		}
		c, err := t.connect()
		if err != nil {
			return err
		}
		defer c.Close()
		if len(runs) == 1 && !f.dryRun {
			made, err := c.Redrive(cmd.Context(), runs[0], wanted.Param)
			if err != nil {
				return err
			}
			return t.done(made, fmt.Sprintf("run %s made in the place of run %s: see it with %s", made.ID, runs[0], t.command("run", "show", made.ID.String())))
		}
		return t.settle(&f, "redriven", func(dry bool) (api.Settled, error) {
			wanted.DryRun = dry
			return c.RedriveMany(cmd.Context(), wanted)
		})
	}
	return cmd
}

func (t *tool) deadLetterCloseCommand() *cobra.Command {
	var f letterAction
	var reason string
	cmd := &cobra.Command{
		Use: "close (RUN... | --all)", DisableFlagsInUseLine: true, Short: "Close dead letters: they were seen, and nothing is to be done",
		Long: "Close dead letters: they were seen, and nothing is to be done. They leave the list of open ones, and can still be\n" +
			"redriven by their runs. --all means those of all namespaces, unless --namespace or --job names one.",
		Example: "  orth dead-letter close 1024 --reason 'the source was empty that day'\n" +
			"  orth dead-letter close --all --job report --until 2030-01-31",
	}
	f.add(cmd, "close")
	cmd.Flags().StringVar(&reason, "reason", "", "`text` that is kept with them")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		runs, filter, err := f.selection(t, args)
		if err != nil {
			return err
		}
		c, err := t.connect()
		if err != nil {
			return err
		}
		defer c.Close()
		if len(runs) == 1 && !f.dryRun {
			return t.closeLetter(cmd, c, runs[0], reason)
		}
		return t.settle(&f, "closed", func(dry bool) (api.Settled, error) {
			return c.CloseDeadLetters(cmd.Context(), api.CloseMany{Runs: runs, Filter: filter, Reason: reason, DryRun: dry})
		})
	}
	return cmd
}

func (t *tool) closeLetter(cmd *cobra.Command, c *client.Client, run api.ID, reason string) error {
	d, err := c.CloseDeadLetter(cmd.Context(), run, reason)
	if err != nil {
		return err
	}
	return t.done(d, fmt.Sprintf("the dead letter of run %s is closed", d.RunID))
}

// settle does something about many dead letters, and asks first when they are
// all that a filter finds. What was not done is an error.
func (t *tool) settle(f *letterAction, verb string, do func(dry bool) (api.Settled, error)) error {
	if f.all && !f.dryRun && !f.yes {
		found, err := do(true)
		if err != nil {
			return err
		}
		if sure, err := t.maySettle(&found, verb); err != nil || !sure {
			return err
		}
	}
	result, err := do(f.dryRun)
	if err != nil {
		return err
	}
	if err := t.showSettled(&result, verb, f.dryRun); err != nil {
		return err
	}
	if result.Failed > 0 {
		return errShown
	}
	return nil
}

// maySettle asks whether what a filter has found shall be settled. False means no,
// which was said.
func (t *tool) maySettle(found *api.Settled, verb string) (bool, error) {
	if len(found.Letters) == 0 {
		t.tell("there are no such dead letters that are open")
		return false, nil
	}
	jobs := make(map[string]bool)
	for i := range found.Letters {
		jobs[found.Letters[i].JobKey] = true
	}
	more := ""
	if found.More {
		more = ", and leave others that are found too"
	}
	return t.confirm(fmt.Sprintf("Have %s of %s %s%s?", plural.Count(found.Done, "dead letter"), plural.Count(len(jobs), "job"), verb, more))
}

// showSettled shows what was done about each dead letter.
func (t *tool) showSettled(result *api.Settled, verb string, dry bool) error {
	if t.forPrograms() {
		return t.encode(result)
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
			became = would + ", to start at " + t.time(item.ReadyAt)
		case dry:
			became = would
		case item.NewRun > 0:
			became = "redriven as run " + item.NewRun.String() + ", to start at " + t.time(item.ReadyAt)
		}
		rows[i] = []string{item.RunID.String(), item.JobKey, words(item.State), became}
	}
	if len(rows) > 0 {
		if err := t.table("RUN JOB STATE RESULT", rows); err != nil {
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
		sentence += fmt.Sprintf(", %d not", result.Failed)
	}
	if result.More {
		sentence += "; there are others: call again for those"
	}
	t.tell("%s", sentence)
	return nil
}
