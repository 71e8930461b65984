package logs

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/cli/logview"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
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

// NewRunLogCommand returns the command orth run log.
func NewRunLogCommand(t *kit.Tool) *cobra.Command {
	f := runLogFlags{color: logview.NewColorChoice()}
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
	p := logview.Printer{To: t.Stdout, Strip: logview.StripsColors(t, f.color.Value, f.noColor), Numbers: f.numbers, Raw: f.raw}
	v := logview.Follower{
		Client: c, Out: &p, Notes: t.Stderr, Run: id, Poll: t.Poll, Follow: f.follow,
		Number: f.attempt, Only: f.attempt > 0, From: max(f.from, 1),
	}
	if f.tail > 0 || !since.IsZero() || !until.IsZero() {
		if err := v.Place(ctx, f.tail, since, until); err != nil {
			return err
		}
	}
	if f.words.text() != "" {
		return grepLog(ctx, t, &v, &p, f)
	}
	if f.follow {
		err := v.Stream(ctx)
		if !job.Is(err, job.NotFound) {
			return err
		}
		// The run or the log stream is missing: a request shows which.
	}
	return v.Print(ctx)
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
