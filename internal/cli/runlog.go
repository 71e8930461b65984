package cli

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/terminal"
	"github.com/orthd/orth/job"
)

// runLogFlags holds the flags of run log.
type runLogFlags struct {
	words        searchFlags
	attempt      int
	follow       bool
	tail, from   int
	since, until string
	numbers, raw bool
	color        kit.Choice
	noColor      bool
	save         string
}

func newRunLogCommand(t *kit.Tool) *cobra.Command {
	f := runLogFlags{color: newColor()}
	cmd := &cobra.Command{
		Use: "log ID", Aliases: []string{"logs"}, Short: "Print, follow, search or save the log of a run", Args: cobra.ExactArgs(1),
		Long: "Print the log of the last attempt of a run, or of the attempt of --attempt. XXL-JOB executors\n" +
			"write markup for web pages at the start and end of a run; it is removed unless --raw is\n" +
			"given.\n\n" +
			"With --follow the command continues through all further attempts until the run ends.\n" +
			"With --grep or --regexp it prints matching lines. With --save it writes the unmodified\n" +
			"lines to a file, of all attempts unless --attempt is given.",
		Example: "  orth run log 1024\n  orth run log 1024 --follow\n  orth run log 1024 --tail 20\n" +
			"  orth run log 1024 --since 10m\n  orth run log 1024 --grep timeout -i -C 3\n  orth run log 1024 --save run.log",
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := kit.ParseRunID(args[0])
			if err != nil {
				return err
			}
			if err := f.check(); err != nil {
				return err
			}
			return runLog(cmd.Context(), t, id, &f)
		},
	}
	flags := cmd.Flags()
	flags.BoolVarP(&f.follow, "follow", "f", false, "follow the log until the run ends")
	flags.IntVar(&f.attempt, "attempt", 0, "`number` of the attempt, 1 for the first (default the last)")
	flags.IntVar(&f.tail, "tail", 0, "start this number of `lines` before the end")
	flags.IntVar(&f.from, "from", 0, "start with this `line`; the first is 1")
	flags.StringVar(&f.since, "since", "", "start with lines written since this `time`: 2030-01-31T08:00, or 10m for ten minutes ago")
	flags.StringVar(&f.until, "until", "", "stop before lines written at this `time`")
	flags.BoolVarP(&f.numbers, "line-numbers", "N", false, "print line numbers")
	flags.BoolVar(&f.raw, "raw", false, "keep the markup of XXL-JOB executors, such as <br>")
	flags.StringVar(&f.save, "save", "", "write the unmodified lines to this `file`, - for standard output")
	flags.Var(&f.color, "color", "when to keep colors; auto keeps them on a terminal")
	flags.BoolVar(&f.noColor, "no-color", false, "same as --color never")
	f.words.add(flags)
	return cmd
}

// newColor returns the choice of color modes.
func newColor() kit.Choice { return kit.NewChoice("auto", "auto", "always", "never") }

// check rejects conflicting flags.
func (f *runLogFlags) check() error {
	begins := 0
	for _, set := range [...]bool{f.tail != 0, f.from != 0, f.since != ""} {
		if set {
			begins++
		}
	}
	searches := f.words.grep != "" || f.words.regexp != ""
	switch {
	case f.attempt < 0:
		return output.Usagef("--attempt: must not be negative, got %d", f.attempt)
	case f.tail < 0:
		return output.Usagef("--tail: must not be negative, got %d", f.tail)
	case f.from < 0:
		return output.Usagef("--from: must be at least 1, got %d", f.from)
	case begins > 1:
		return output.Usagef("--tail, --from and --since are mutually exclusive")
	case f.follow && f.until != "":
		return output.Usagef("--follow and --until are mutually exclusive")
	case searches && (f.follow || f.tail != 0 || f.until != ""):
		return output.Usagef("--grep and --regexp cannot be combined with --follow, --tail and --until")
	case f.save != "" && (searches || f.follow || begins > 0 || f.until != "" || f.numbers || f.raw):
		return output.Usagef("--save can only be combined with --attempt and --color")
	}
	return f.words.check()
}

// runLog executes the command.
func runLog(ctx context.Context, t *kit.Tool, id api.ID, f *runLogFlags) error {
	since, until, err := logTimes(t, f)
	if err != nil {
		return err
	}
	c, err := t.Connect()
	if err != nil {
		return err
	}
	defer c.Close()
	if f.save != "" {
		return saveLog(ctx, t, c, id, f)
	}
	p := logPrinter{to: t.Stdout, strip: StripsColors(t, f.color.Value, f.noColor), numbers: f.numbers, raw: f.raw}
	v := follower{
		client: c, out: &p, notes: t.Stderr, run: id, poll: t.Poll, follow: f.follow,
		number: f.attempt, only: f.attempt > 0, from: max(f.from, 1),
	}
	if f.tail > 0 || !since.IsZero() || !until.IsZero() {
		if err := v.place(ctx, f.tail, since, until); err != nil {
			return err
		}
	}
	if f.words.text() != "" {
		return grepLog(ctx, t, &v, &p, f)
	}
	if f.follow {
		err := v.stream(ctx)
		if !job.Is(err, job.NotFound) {
			return err
		}
		// The run or the log stream is missing: a request shows which.
	}
	return v.print(ctx)
}

// logTimes parses the times of the flags.
func logTimes(t *kit.Tool, f *runLogFlags) (since, until time.Time, err error) {
	if f.since != "" {
		if since, err = kit.ParsePast("since", f.since, t.Location); err != nil {
			return since, until, err
		}
	}
	if f.until != "" {
		until, err = kit.ParsePast("until", f.until, t.Location)
	}
	return since, until, err
}

// StripsColors reports whether escape sequences are removed.
func StripsColors(t *kit.Tool, color string, never bool) bool {
	switch {
	case never || color == "never":
		return true
	case color == "always":
		return false
	}
	return t.Getenv("NO_COLOR") != "" || !terminal.Is(t.Stdout)
}

// saveLog writes the log to a file atomically.
func saveLog(ctx context.Context, t *kit.Tool, c *client.Client, id api.ID, f *runLogFlags) error {
	strip := f.noColor || f.color.Value == "never"
	if f.save == "-" {
		_, err := c.DownloadLog(ctx, id, f.attempt, strip, t.Stdout)
		return err
	}
	partial := f.save + ".partial"
	file, err := os.Create(partial)
	if err != nil {
		return err
	}
	n, err := c.DownloadLog(ctx, id, f.attempt, strip, file)
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(partial, f.save)
	}
	if err != nil {
		_ = os.Remove(partial)
		return err
	}
	t.PrintNote("Wrote %s to %s.", plural.Count(n, "byte"), f.save)
	return nil
}

// place resolves --since, --until and --tail to line numbers.
func (f *follower) place(ctx context.Context, tail int, since, until time.Time) error {
	run, err := f.client.Run(ctx, f.run)
	if err != nil || run.Tries == 0 {
		return err
	}
	if f.number == 0 {
		f.number = run.Tries
	}
	if tail > 0 || !since.IsZero() {
		page, err := f.client.LogPage(ctx, f.run, client.LogQuery{Attempt: f.number, Tail: tail, At: since, Limit: 1})
		if err != nil {
			return err
		}
		f.from = page.From
	}
	if !until.IsZero() {
		page, err := f.client.LogPage(ctx, f.run, client.LogQuery{Attempt: f.number, At: until, Limit: 1})
		if err != nil {
			return err
		}
		f.until = page.From
	}
	f.begun = true
	return nil
}

// stream prints a log stream of the server until the run ends.
func (f *follower) stream(ctx context.Context) error {
	shown, printed := 0, false
	return f.client.FollowLog(ctx, f.run, client.LogFollow{Attempt: f.number, From: f.from, Only: f.only}, client.LogViewer{
		Begin: func(a api.LogAttempt) error {
			if shown > 0 {
				f.note("attempt %d", a.Number)
			}
			shown, printed = a.Number, false
			return nil
		},
		Lines: func(l api.LogLines) error {
			printed = true
			return f.out.lines(l.From, l.Text)
		},
		End: func(end api.LogEnd) error {
			switch {
			case shown == 0:
				f.note("run %s has no attempt yet: it is %s", f.run, strings.TrimSuffix(kit.StateText(end.State)+": "+end.Reason, ": "))
			case !printed && f.from == 1:
				f.note("attempt %d has written no log", shown)
			}
			return nil
		},
	})
}
