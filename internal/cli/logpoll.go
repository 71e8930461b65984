package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/logformat"
	"github.com/orthd/orth/job"
)

// follower prints the log of a run, attempt by attempt.
type follower struct {
	client *client.Client
	out    *logPrinter
	notes  io.Writer
	run    api.ID
	poll   time.Duration
	follow bool
	only   bool // one attempt, the one of the user

	told   int    // the attempt of which was said that its lines are from memory
	noted  string // what was said of missing lines
	number int    // the attempt that is read; 0 before the first
	from   int    // the next line of it
	until  int    // the line to end before; 0 for none
	begun  bool   // from is not the start of the log
}

// print prints until there is nothing more, or nothing more will come.
func (f *follower) print(ctx context.Context) error {
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

// drain prints the lines that are there. With last set an error counts, and a
// log that is empty is worth a note; otherwise the next look may find more.
func (f *follower) drain(ctx context.Context, last bool) error {
	for f.until == 0 || f.from < f.until {
		page, err := f.client.Log(ctx, f.run, f.number, f.from)
		switch {
		case err != nil && !last && mayPass(err):
			return nil
		case err != nil:
			return err
		case page.To < f.from || page.Text == "":
			if last && f.from == 1 && !f.begun {
				f.note("attempt %d has written no log", f.number)
			}
			f.tell(page)
			return nil
		}
		f.tell(page)
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

// tell notes, once, why lines may be missing.
func (f *follower) tell(page api.LogPage) {
	if page.FromMemory && f.told != f.number {
		f.told = f.number
		f.note("the executor of attempt %d cannot be asked: these are the lines that the server has kept", f.number)
	}
	if note := fmt.Sprint(f.number, page.Note); page.Note != "" && f.noted != note {
		f.noted = note
		f.note("%s", page.Note)
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
