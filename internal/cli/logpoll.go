package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/logformat"
)

// follower prints the log of a run, attempt by attempt.
type follower struct {
	client *client.Client
	out    *logPrinter
	notes  io.Writer
	run    api.ID
	poll   time.Duration
	follow bool
	only   bool // only the attempt of --attempt

	fromServer int    // last attempt with a note about lines from the server
	noted      string // last note about missing lines
	number     int    // current attempt; 0 before the first
	from       int    // its next line
	until      int    // end line, exclusive; 0 for none
	begun      bool   // from is not the first line of the log
}

// print prints until nothing is left and nothing more can arrive.
func (f *follower) print(ctx context.Context) error {
	for {
		// Read the state first: a log that is read to its end after the final state is
		// complete.
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
				f.note("run %s has no attempt yet: it is %s", run.ID, strings.TrimSuffix(kit.StateText(run.State)+": "+run.Reason, ": "))
				return nil
			}
		} else if err := f.drain(ctx, over || !f.follow); err != nil {
			return err
		}
		switch {
		case f.follow && !f.only && run.Tries > f.number && f.number > 0:
			f.number, f.from, f.begun = f.number+1, 1, false
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

// drain prints the available lines. With last set it returns errors and prints a note for
// an empty log; otherwise the next poll may find more.
func (f *follower) drain(ctx context.Context, last bool) error {
	for f.until == 0 || f.from < f.until {
		page, err := f.client.Log(ctx, f.run, f.number, f.from)
		switch {
		case err != nil && !last && kit.MayPass(err):
			return nil
		case err != nil:
			return err
		case page.To < f.from || page.Text == "":
			if last && f.from == 1 && !f.begun {
				f.note("attempt %d has written no log", f.number)
			}
			f.noteMissing(page)
			return nil
		}
		f.noteMissing(page)
		if f.until > 0 && page.To >= f.until {
			page.Text, _ = logformat.Head(page.Text, f.until-f.from, len(page.Text))
		}
		if err := f.out.lines(page.From, page.Text); err != nil {
			return err
		}
		if f.from = page.Next; page.Done {
			return nil
		}
	}
	return nil
}

// noteMissing prints a note, once, about the reason of missing lines.
func (f *follower) noteMissing(page api.LogPage) {
	if page.FromMemory && f.fromServer != f.number {
		f.fromServer = f.number
		f.note("the executor of attempt %d is unreachable: showing the lines stored on the server", f.number)
	}
	if note := fmt.Sprint(f.number, page.Note); page.Note != "" && f.noted != note {
		f.noted = note
		f.note("%s", page.Note)
	}
}

// note prints a message that is not part of the log.
func (f *follower) note(format string, args ...any) {
	_, _ = fmt.Fprintf(f.notes, "--- "+format+"\n", args...)
}
