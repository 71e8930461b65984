package logview

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

// Follower prints the log of a run, attempt by attempt.
type Follower struct {
	Client *client.Client
	Out    *Printer
	Notes  io.Writer
	Run    api.ID
	Poll   time.Duration
	Follow bool
	Only   bool // only the attempt of --attempt

	fromServer int    // last attempt with a note about lines from the server
	noted      string // last note about missing lines
	Number     int    // current attempt; 0 before the first
	From       int    // its next line
	until      int    // end line, exclusive; 0 for none
	begun      bool   // from is not the first line of the log
}

// Print prints until nothing is left and nothing more can arrive.
func (f *Follower) Print(ctx context.Context) error {
	for {
		// Read the state first: a log that is read to its end after the final state is
		// complete.
		run, err := f.Client.Run(ctx, f.Run)
		if err != nil {
			return err
		}
		if f.Number == 0 {
			f.Number = run.Tries
		}
		over := run.Final || run.Tries > f.Number
		if f.Number == 0 {
			if over || !f.Follow {
				f.note("run %s has no attempt yet: it is %s", run.ID, strings.TrimSuffix(kit.StateText(run.State)+": "+run.Reason, ": "))
				return nil
			}
		} else if err := f.drain(ctx, over || !f.Follow); err != nil {
			return err
		}
		switch {
		case f.Follow && !f.Only && run.Tries > f.Number && f.Number > 0:
			f.Number, f.From, f.begun = f.Number+1, 1, false
			f.note("attempt %d", f.Number)
			continue
		case over || !f.Follow:
			return nil
		}
		select {
		case <-time.After(f.Poll):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// drain prints the available lines. With last set it returns errors and prints a note for
// an empty log; otherwise the next poll may find more.
func (f *Follower) drain(ctx context.Context, last bool) error {
	for f.until == 0 || f.From < f.until {
		page, err := f.Client.Log(ctx, f.Run, f.Number, f.From)
		switch {
		case err != nil && !last && kit.MayPass(err):
			return nil
		case err != nil:
			return err
		case page.To < f.From || page.Text == "":
			if last && f.From == 1 && !f.begun {
				f.note("attempt %d has written no log", f.Number)
			}
			f.noteMissing(page)
			return nil
		}
		f.noteMissing(page)
		if f.until > 0 && page.To >= f.until {
			page.Text, _ = logformat.Head(page.Text, f.until-f.From, len(page.Text))
		}
		if err := f.Out.lines(page.From, page.Text); err != nil {
			return err
		}
		if f.From = page.Next; page.Done {
			return nil
		}
	}
	return nil
}

// noteMissing prints a note, once, about the reason of missing lines.
func (f *Follower) noteMissing(page api.LogPage) {
	if page.FromMemory && f.fromServer != f.Number {
		f.fromServer = f.Number
		f.note("the executor of attempt %d is unreachable: showing the lines stored on the server", f.Number)
	}
	if note := fmt.Sprint(f.Number, page.Note); page.Note != "" && f.noted != note {
		f.noted = note
		f.note("%s", page.Note)
	}
}

// note prints a message that is not part of the log.
func (f *Follower) note(format string, args ...any) {
	_, _ = fmt.Fprintf(f.Notes, "--- "+format+"\n", args...)
}

// Place resolves --since, --until and --tail to line numbers.
func (f *Follower) Place(ctx context.Context, tail int, since, until time.Time) error {
	run, err := f.Client.Run(ctx, f.Run)
	if err != nil || run.Tries == 0 {
		return err
	}
	if f.Number == 0 {
		f.Number = run.Tries
	}
	if tail > 0 || !since.IsZero() {
		page, err := f.Client.LogPage(ctx, f.Run, client.LogQuery{Attempt: f.Number, Tail: tail, At: since, Limit: 1})
		if err != nil {
			return err
		}
		f.From = page.From
	}
	if !until.IsZero() {
		page, err := f.Client.LogPage(ctx, f.Run, client.LogQuery{Attempt: f.Number, At: until, Limit: 1})
		if err != nil {
			return err
		}
		f.until = page.From
	}
	f.begun = true
	return nil
}

// Stream prints a log stream of the server until the run ends.
func (f *Follower) Stream(ctx context.Context) error {
	shown, printed := 0, false
	return f.Client.FollowLog(ctx, f.Run, client.LogFollow{Attempt: f.Number, From: f.From, Only: f.Only}, client.LogViewer{
		Begin: func(a api.LogAttempt) error {
			if shown > 0 {
				f.note("attempt %d", a.Number)
			}
			shown, printed = a.Number, false
			return nil
		},
		Lines: func(l api.LogLines) error {
			printed = true
			return f.Out.lines(l.From, l.Text)
		},
		End: func(end api.LogEnd) error {
			switch {
			case shown == 0:
				f.note("run %s has no attempt yet: it is %s", f.Run, strings.TrimSuffix(kit.StateText(end.State)+": "+end.Reason, ": "))
			case !printed && f.From == 1:
				f.note("attempt %d has written no log", shown)
			}
			return nil
		},
	})
}
