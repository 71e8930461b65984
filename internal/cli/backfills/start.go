package backfills

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/terminal"
	"github.com/orthd/orth/job"
)

// startFlags holds the flags of a new backfill.
type startFlags struct {
	from, to            string
	param               kit.ParamFlags
	most, parallel      int
	spacing             time.Duration
	skip                bool
	dryRun, yes, detach bool
}

// NewJobBackfillCommand returns the command orth job backfill.
func NewJobBackfillCommand(t *kit.Tool) *cobra.Command {
	var f startFlags
	cmd := &cobra.Command{
		Use: "backfill KEY --from TIME --to TIME", DisableFlagsInUseLine: true,
		Short: "Run a job for the slots of a past time range", Args: cobra.ExactArgs(1),
		Long: "Run a job for the slots of its schedule in a past time range, oldest first. Each run has the planned time of its\n" +
			"slot.\n\n" +
			"The command prints the slots and asks for confirmation unless --yes is given. It then shows the progress until the\n" +
			"backfill ends; interrupting the command does not cancel the backfill. The exit code is 0 only if no run failed. Times\n" +
			"without an offset are in the zone of the job.",
		Example: "  orth job backfill report --from 2030-01-01 --to 2030-02-01 --dry-run\n" +
			"  orth job backfill report --from 2030-01-01 --to 2030-02-01 --parallel 4 --skip-succeeded\n" +
			"  orth job backfill report --from '2030-01-01 08:00' --to '2030-01-01 12:00' --yes --detach",
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted, err := f.backfill(cmd.Flags())
			switch {
			case err != nil:
				return err
			case !f.dryRun && !f.yes && !kit.AsksAPerson(t.Stdin):
				return output.Usagef("standard input is not a terminal, so confirmation is impossible: check with --dry-run, then add --yes")
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			zone, err := kit.JobZone(cmd.Context(), c, args[0], f.from, f.to)
			if err != nil {
				return err
			}
			if wanted.From, wanted.To, err = f.bounds(zone); err != nil {
				return err
			}
			return backfill(cmd.Context(), t, c, args[0], wanted, f)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.from, "from", "", "start `time`, inclusive: 2030-01-31, 2030-01-31T08:00 or 2030-01-31T08:00:00+01:00 (required)")
	flags.StringVar(&f.to, "to", "", "end `time`, exclusive (required)")
	flags.IntVar(&f.most, "max", 0, "maximum number of slots, oldest first (default all; required above 10000)")
	flags.IntVar(&f.parallel, "parallel", 0, "maximum number of concurrent runs (default 1)")
	flags.DurationVar(&f.spacing, "spacing", 0, "minimum time between the starts of two runs")
	flags.BoolVar(&f.skip, "skip-succeeded", false, "skip slots with a successful run")
	f.param.Add(flags, "parameter `text` for the handler instead of the one of the job")
	flags.BoolVar(&f.dryRun, "dry-run", false, "only print the slots")
	flags.BoolVar(&f.yes, "yes", false, "do not ask for confirmation")
	flags.BoolVar(&f.detach, "detach", false, "do not wait until the backfill ends")
	return cmd
}

// backfill builds the request without its time range.
func (f *startFlags) backfill(flags *pflag.FlagSet) (api.NewBackfill, error) {
	switch {
	case f.from == "":
		return api.NewBackfill{}, output.Usagef("--from is required: the time of the first slot")
	case f.to == "":
		return api.NewBackfill{}, output.Usagef("--to is required: the end of the time range")
	case flags.Changed("max") && (f.most < 1 || f.most > job.MaxSlots):
		return api.NewBackfill{}, output.Usagef("--max: must be between 1 and %d, got %d", job.MaxSlots, f.most)
	case flags.Changed("parallel") && (f.parallel < 1 || f.parallel > job.MaxParallel):
		return api.NewBackfill{}, output.Usagef("--parallel: must be between 1 and %d, got %d", job.MaxParallel, f.parallel)
	case f.spacing < 0:
		return api.NewBackfill{}, output.Usagef("--spacing: must not be negative, got %s", f.spacing)
	}
	wanted := api.NewBackfill{Max: f.most, Parallel: f.parallel, Spacing: api.Duration(f.spacing), SkipSucceeded: f.skip}
	var err error
	wanted.Param, err = f.param.Param(flags)
	return wanted, err
}

// bounds parses the time range.
func (f *startFlags) bounds(zone *time.Location) (from, to api.Time, err error) {
	first, err := timing.ParseFlag("from", f.from, zone)
	if err != nil {
		return from, to, err
	}
	last, err := timing.ParseFlag("to", f.to, zone)
	switch {
	case err != nil:
		return from, to, err
	case !last.After(first):
		return from, to, output.Usagef("--to: must be after --from %s, got %s", f.from, f.to)
	}
	return api.At(first), api.At(last), nil
}

// backfill prints the slots, asks for confirmation and runs the backfill.
func backfill(ctx context.Context, t *kit.Tool, c *client.Client, key string, wanted api.NewBackfill, f startFlags) error {
	plan, err := c.CreateBackfill(ctx, key, wanted, true)
	if err != nil {
		return err
	}
	sentence := planned(t, &plan)
	if f.dryRun {
		return t.PrintResult(plan, sentence+"\nnothing was run")
	}
	t.PrintNote("%s", sentence)
	if !f.yes {
		if sure, err := t.Confirm("Run the job for " + plural.Count(plan.Slots, "slot") + "?"); err != nil || !sure {
			return err
		}
	}
	made, err := c.CreateBackfill(ctx, key, wanted, false)
	if err != nil {
		return err
	}
	t.WarnJob(ctx, c, key)
	if f.detach {
		return t.PrintResult(made, fmt.Sprintf("backfill %s of %s started: see it with %s", made.ID, key, t.CommandLine("backfill", "show", made.ID.String())))
	}
	w := watcher{client: c, out: t.Stderr, bar: terminal.NewBar(t.Stderr), poll: t.Poll}
	ended, err := w.watch(ctx, made)
	if err != nil {
		if ctx.Err() != nil {
			t.PrintNote("Backfill %s continues. See it with %s, cancel it with %s.", made.ID,
				t.CommandLine("backfill", "show", made.ID.String()), t.CommandLine("backfill", "cancel", made.ID.String()))
		}
		return err
	}
	sentence = fmt.Sprintf("backfill %s is %s after %s: %s", ended.ID, ended.State, kit.FormatElapsed(ended.CreatedAt, ended.EndedAt), progress(&ended))
	if ended.Reason != "" {
		sentence += "; " + output.Printable(ended.Reason)
	}
	if err := t.PrintResult(ended, sentence); err != nil {
		return err
	}
	if ended.Failed > 0 {
		t.PrintNote("List the runs with %s.", t.CommandLineIn("run", "list", "--job", key))
	}
	if ended.Failed > 0 || ended.State != job.BackfillFinished {
		return kit.ErrRunFailed
	}
	return nil
}

// planned describes the slots of a planned backfill.
func planned(t *kit.Tool, b *api.Backfill) string {
	how := "one at a time"
	if b.Parallel > 1 {
		how = fmt.Sprintf("%d at once", b.Parallel)
	}
	if b.Spacing > 0 {
		how += ", at least " + kit.Span(b.Spacing) + " between starts"
	}
	if b.SkipSucceeded {
		how += ", skipping slots with a successful run"
	}
	return fmt.Sprintf("%s of %s to run, first %s, last %s; %s",
		plural.Count(b.Slots, "slot"), jobName(b), t.FormatTime(b.First), t.FormatTime(b.Last), how)
}

// watcher prints the progress of a backfill.
type watcher struct {
	client *client.Client
	out    io.Writer
	bar    *terminal.Bar
	poll   time.Duration

	shown int // printed tenths
	away  bool
}

// watch returns the backfill when it has ended. It survives a temporary loss of the
// server and returns when ctx ends.
func (w *watcher) watch(ctx context.Context, b api.Backfill) (api.Backfill, error) {
	w.show(&b)
	for b.State == job.BackfillRunning {
		select {
		case <-time.After(w.poll):
		case <-ctx.Done():
			w.bar.Clear()
			return b, context.Cause(ctx)
		}
		found, err := w.client.Backfill(ctx, b.ID)
		switch {
		case err == nil:
			b, w.away = found, false
			w.show(&b)
		case ctx.Err() != nil || job.KindOf(err) == job.NotFound || !kit.MayPass(err):
			w.bar.Clear()
			return b, err
		case !w.away: // printed once
			w.away = true
			w.bar.Clear()
			_, _ = fmt.Fprintf(w.out, "The server does not respond; retrying.\n")
		}
	}
	w.bar.Clear()
	return b, nil
}

// show draws the bar, or prints each tenth.
func (w *watcher) show(b *api.Backfill) {
	done := min(settled(b), b.Slots)
	if w.bar.Drawn() {
		w.bar.Show(done, b.Slots, progress(b))
		return
	}
	if tenths := done * 10 / max(b.Slots, 1); tenths > w.shown {
		w.shown = tenths
		_, _ = fmt.Fprintf(w.out, "%s\n", progress(b)) // a failed write to standard error cannot be reported
	}
}
