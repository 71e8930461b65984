package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/terminal"
	"github.com/orthd/orth/job"
)

// backfillFlags are the flags of a new backfill.
type backfillFlags struct {
	from, to            string
	param               paramFlags
	most, parallel      int
	spacing             time.Duration
	skip                bool
	dryRun, yes, detach bool
}

func (t *tool) jobBackfillCommand() *cobra.Command {
	var f backfillFlags
	cmd := &cobra.Command{
		Use: "backfill KEY --from TIME --to TIME", DisableFlagsInUseLine: true,
		Short: "Run a job for the slots of a past time", Args: cobra.ExactArgs(1),
		Long: "Run a job for the slots that its schedule has in a past time, the oldest first. Each run has the planned\n" +
			"time of its slot.\n\n" +
			"The command first says which slots there are and asks on a terminal, unless --yes is given. Then it shows how\n" +
			"far the backfill is until its end; interrupting the command does not end the backfill. The exit code is 0 only\n" +
			"when no run has failed. Times without an offset are on the clock of the job's zone.",
		Example: "  orth job backfill report --from 2030-01-01 --to 2030-02-01 --dry-run\n" +
			"  orth job backfill report --from 2030-01-01 --to 2030-02-01 --parallel 4 --skip-succeeded\n" +
			"  orth job backfill report --from '2030-01-01 08:00' --to '2030-01-01 12:00' --yes --detach",
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted, err := f.backfill(cmd.Flags())
			switch {
			case err != nil:
				return err
			case !f.dryRun && !f.yes && !asksAPerson(t.Stdin):
				return usagef("nobody can be asked here: look with --dry-run, then add --yes")
			}
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			zone, err := jobZone(cmd.Context(), c, args[0], f.from, f.to)
			if err != nil {
				return err
			}
			if wanted.From, wanted.To, err = f.bounds(zone); err != nil {
				return err
			}
			return t.backfill(cmd.Context(), c, args[0], wanted, f)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.from, "from", "", "slots from this `time` on: 2030-01-31, 2030-01-31T08:00 or 2030-01-31T08:00:00+01:00 (required)")
	flags.StringVar(&f.to, "to", "", "slots before this `time` (required)")
	flags.IntVar(&f.most, "max", 0, "run so many slots at most, the oldest (default all; more than 10000 have to be named)")
	flags.IntVar(&f.parallel, "parallel", 0, "runs that may be under way at once (default 1)")
	flags.DurationVar(&f.spacing, "spacing", 0, "time from the start of one run to the start of the next")
	flags.BoolVar(&f.skip, "skip-succeeded", false, "pass over slots that a run has succeeded for")
	f.param.add(flags, "`text` for the handler instead of the job's own")
	flags.BoolVar(&f.dryRun, "dry-run", false, "only say which slots there are")
	flags.BoolVar(&f.yes, "yes", false, "do not ask")
	flags.BoolVar(&f.detach, "detach", false, "do not wait for the end")
	return cmd
}

// backfill makes the request but for its bounds.
func (f *backfillFlags) backfill(flags *pflag.FlagSet) (api.NewBackfill, error) {
	switch {
	case f.from == "":
		return api.NewBackfill{}, usagef("--from is missing: name the time of the first slot")
	case f.to == "":
		return api.NewBackfill{}, usagef("--to is missing: name the time before which the last slot is")
	case flags.Changed("max") && (f.most < 1 || f.most > job.MaxSlots):
		return api.NewBackfill{}, usagef("--max: %d is not between 1 and %d", f.most, job.MaxSlots)
	case flags.Changed("parallel") && (f.parallel < 1 || f.parallel > job.MaxParallel):
		return api.NewBackfill{}, usagef("--parallel: %d is not between 1 and %d", f.parallel, job.MaxParallel)
	case f.spacing < 0:
		return api.NewBackfill{}, usagef("--spacing: %s is negative", f.spacing)
	}
	wanted := api.NewBackfill{Max: f.most, Parallel: f.parallel, Spacing: api.Duration(f.spacing), SkipSucceeded: f.skip}
	var err error
	wanted.Param, err = f.param.param(flags)
	return wanted, err
}

// bounds reads the two times.
func (f *backfillFlags) bounds(zone *time.Location) (from, to api.Time, err error) {
	first, err := instant("from", f.from, zone)
	if err != nil {
		return from, to, err
	}
	last, err := instant("to", f.to, zone)
	switch {
	case err != nil:
		return from, to, err
	case !last.After(first):
		return from, to, usagef("--to: %s is not after --from %s", f.to, f.from)
	}
	return api.At(first), api.At(last), nil
}

// backfill says which slots there are, asks, and runs the job for them.
func (t *tool) backfill(ctx context.Context, c *client.Client, key string, wanted api.NewBackfill, f backfillFlags) error {
	plan, err := c.CreateBackfill(ctx, key, wanted, true)
	if err != nil {
		return err
	}
	sentence := t.planned(&plan)
	if f.dryRun {
		return t.done(plan, sentence+"\nnothing was run")
	}
	t.tell("%s", sentence)
	if !f.yes {
		if sure, err := t.confirm("Run the job for " + plural.Count(plan.Slots, "slot") + "?"); err != nil || !sure {
			return err
		}
	}
	made, err := c.CreateBackfill(ctx, key, wanted, false)
	if err != nil {
		return err
	}
	t.warnJob(ctx, c, key)
	if f.detach {
		return t.done(made, fmt.Sprintf("backfill %s of %s begun: see it with %s", made.ID, key, t.command("backfill", "show", made.ID.String())))
	}
	w := watcher{client: c, out: t.Stderr, bar: terminal.NewBar(t.Stderr), poll: t.Poll}
	ended, err := w.watch(ctx, made)
	if err != nil {
		if ctx.Err() != nil {
			t.tell("backfill %s goes on: see it with %s, end it with %s", made.ID,
				t.command("backfill", "show", made.ID.String()), t.command("backfill", "cancel", made.ID.String()))
		}
		return err
	}
	sentence = fmt.Sprintf("backfill %s is %s after %s: %s", ended.ID, ended.State, took(ended.CreatedAt, ended.EndedAt), progress(&ended))
	if ended.Reason != "" {
		sentence += "; " + printable(ended.Reason)
	}
	if err := t.done(ended, sentence); err != nil {
		return err
	}
	if ended.Failed > 0 {
		t.tell("see why with %s", t.commandIn("run", "list", "--job", key))
	}
	if ended.Failed > 0 || ended.State != job.BackfillFinished {
		return errRunBad
	}
	return nil
}

// planned says which slots a backfill would run.
func (t *tool) planned(b *api.Backfill) string {
	how := "one after the other"
	if b.Parallel > 1 {
		how = fmt.Sprintf("%d at once", b.Parallel)
	}
	if b.Spacing > 0 {
		how += ", the starts " + span(b.Spacing) + " apart"
	}
	if b.SkipSucceeded {
		how += ", passing over those that a run has succeeded for"
	}
	return fmt.Sprintf("%s of %s to run: the first is %s, the last %s; %s",
		plural.Count(b.Slots, "slot"), jobName(b), t.time(b.First), t.time(b.Last), how)
}

// watcher shows how far a backfill is.
type watcher struct {
	client *client.Client
	out    io.Writer
	bar    *terminal.Bar
	poll   time.Duration

	shown int // tenths that were told
	away  bool
}

// watch returns the backfill when it is over. A server that is away for a while
// does not end the wait; the end of ctx does.
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
		case ctx.Err() != nil || job.KindOf(err) == job.NotFound || !mayPass(err):
			w.bar.Clear()
			return b, err
		case !w.away: // said once
			w.away = true
			w.bar.Clear()
			_, _ = fmt.Fprintf(w.out, "the server does not answer; waiting for it\n")
		}
	}
	w.bar.Clear()
	return b, nil
}

// show draws the bar, or tells each tenth.
func (w *watcher) show(b *api.Backfill) {
	done := min(settled(b), b.Slots)
	if w.bar.Drawn() {
		w.bar.Show(done, b.Slots, progress(b))
		return
	}
	if tenths := done * 10 / max(b.Slots, 1); tenths > w.shown {
		w.shown = tenths
		_, _ = fmt.Fprintf(w.out, "%s\n", progress(b)) // Nobody is left to tell when this fails.
	}
}
