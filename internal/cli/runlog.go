package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/job"
)

func (t *tool) runLogCommand() *cobra.Command {
	var follow bool
	var attempt int
	cmd := &cobra.Command{
		Use: "log ID", Aliases: []string{"logs"}, Short: "Print the log of a run", Args: cobra.ExactArgs(1),
		Long: "Print the log of the last attempt of a run, or of the one that --attempt names.\n\n" +
			"With --follow the command goes on until the run is over, through all further attempts.",
		Example: "  orth run log 1024\n  orth run log 1024 --follow\n  orth run log 1024 --attempt 1",
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := parseID(args[0])
			if err != nil {
				return err
			}
			if attempt < 0 {
				return usagef("--attempt: %d is negative", attempt)
			}
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			f := follower{client: c, out: t.Stdout, notes: t.Stderr, run: id, poll: t.Poll, follow: follow, number: attempt, only: attempt > 0}
			return f.print(cmd.Context())
		},
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on until the run is over")
	cmd.Flags().IntVar(&attempt, "attempt", 0, "`number` of the attempt, 1 for the first (default the last)")
	return cmd
}

// follower prints the log of a run, attempt by attempt.
type follower struct {
	client     *client.Client
	out, notes io.Writer
	run        api.ID
	poll       time.Duration
	follow     bool
	only       bool // one attempt, the one of the user

	number int // the attempt that is read; 0 before the first
	from   int // the next line of it
}

// print prints until there is nothing more, or nothing more will come.
func (f *follower) print(ctx context.Context) error {
	f.from = 1
	for {
		// The state comes first: what was final before the log was read to its
		// end leaves nothing to come.
		run, err := f.client.Run(ctx, f.run)
		if err != nil {
			return err
		}
		if f.number == 0 {
			f.number = run.Tries
		}
		over := run.Final || run.Tries > f.number
		if f.number == 0 {
			if over || !f.follow {
				f.note("run %s has not been tried: it is %s", run.ID, strings.TrimSuffix(words(run.State)+": "+run.Reason, ": "))
				return nil
			}
		} else if err := f.drain(ctx, over || !f.follow); err != nil {
			return err
		}
		switch {
		case f.follow && !f.only && run.Tries > f.number && f.number > 0:
			f.number, f.from = f.number+1, 1
			f.note("attempt %d", f.number)
			continue
		case over || !f.follow:
			return nil
		}
		select {
		case <-time.After(f.poll):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// drain prints the lines that are there. With last set an error counts, and a
// log that is empty is worth a note; otherwise the next look may find more.
func (f *follower) drain(ctx context.Context, last bool) error {
	for {
		page, err := f.client.Log(ctx, f.run, f.number, f.from)
		switch {
		case err != nil && !last && mayPass(err):
			return nil
		case err != nil:
			return err
		case page.To < f.from || page.Text == "":
			if last && f.from == 1 {
				f.note("attempt %d has written no log", f.number)
			}
			return nil
		}
		if _, err := io.WriteString(f.out, page.Text); err != nil {
			return fmt.Errorf("print the log: %w", err)
		}
		f.from = page.Next
	}
}

// note tells the user something that is not part of the log.
func (f *follower) note(format string, args ...any) {
	_, _ = fmt.Fprintf(f.notes, "--- "+format+"\n", args...)
}

// mayPass reports whether a log that cannot be read may be readable soon: the
// executor may be away for a while, or not have begun.
func mayPass(err error) bool {
	switch job.KindOf(err) {
	case job.Unavailable, job.Unreachable, job.Ambiguous, job.Refused, job.NotFound, job.Full:
		return true
	default:
		return false
	}
}
