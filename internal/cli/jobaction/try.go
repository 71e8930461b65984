package jobaction

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/cli/logview"
	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
)

// tryFlags holds the flags of a trial.
type tryFlags struct {
	file, address string
	param         kit.ParamFlags
	kind          kit.Choice
	timeout       time.Duration
	detach        bool
}

// NewTryCommand returns the command orth job try.
func NewTryCommand(t *kit.Tool) *cobra.Command {
	f := tryFlags{kind: newScriptKind()}
	cmd := &cobra.Command{
		Use: "try KEY", Short: "Run a job, or unsaved code for it, as a trial and follow its log", Args: cobra.ExactArgs(1),
		Long: "Run a job, or unsaved code for it, as a trial and follow its log until the end. The exit code is 0 only if the run\n" +
			"succeeded.\n\n" +
			"A trial has no consequences: it is not retried, triggers no downstream jobs, raises no alarms and does not count in\n" +
			"statistics. It runs in parallel with other runs of the job. Signals do not cancel it: use 'orth run cancel'.",
		Example: "  orth job try report\n  orth job try report --code report.sh --param 2030-01-31 --timeout 5m",
		RunE:    func(cmd *cobra.Command, args []string) error { return tryJob(t, cmd, &f, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.file, "code", "", "`file` with a script to run instead of the code of the job; - reads standard input")
	flags.Var(&f.kind, "kind", "kind of the script (default that of the job)")
	f.param.Add(flags, "parameter `text` for the handler instead of the one of the job")
	flags.DurationVar(&f.timeout, "timeout", job.DefaultTrialTimeout, "time limit of the run, at most "+timing.FormatDuration(job.MaxTrialTimeout))
	flags.StringVar(&f.address, "address", "", "base `URL` of the executor to run on (default selected by the routing strategy)")
	flags.BoolVar(&f.detach, "detach", false, "print the id of the run instead of its log, and do not wait")
	return cmd
}

// newScriptKind returns the choice of a script kind, initially empty.
func newScriptKind() kit.Choice {
	var words []string
	for _, kind := range job.HandlerKinds() {
		if kind.Script() {
			words = append(words, string(kind))
		}
	}
	return kit.NewChoice("", words...)
}

// wanted returns the request of the flags.
func (f *tryFlags) wanted(cmd *cobra.Command, stdin io.Reader) (api.NewTrial, error) {
	wanted := api.NewTrial{Kind: job.HandlerKind(f.kind.Value), Timeout: api.Duration(f.timeout), Address: f.address}
	var err error
	if wanted.Param, err = f.param.Param(cmd.Flags()); err != nil {
		return wanted, err
	}
	switch {
	case f.timeout < time.Second || f.timeout > job.MaxTrialTimeout:
		return wanted, output.Usagef("--timeout: must be between 1s and %s, got %s", timing.FormatDuration(job.MaxTrialTimeout), f.timeout)
	case f.file != "":
		source, err := kit.ReadScript(f.file, stdin)
		wanted.Code = &source
		return wanted, err
	case f.kind.Value != "":
		return wanted, output.Usagef("--kind requires --code")
	}
	return wanted, nil
}

func tryJob(t *kit.Tool, cmd *cobra.Command, f *tryFlags, key string) error {
	wanted, err := f.wanted(cmd, t.Stdin)
	if err != nil {
		return err
	}
	c, err := t.Connect()
	if err != nil {
		return err
	}
	defer c.Close()
	run, err := c.TryJob(cmd.Context(), key, wanted)
	if err != nil {
		return err
	}
	if f.detach {
		return t.PrintResult(run, fmt.Sprintf("trial run %s of job %s started: see %s", run.ID, key, t.CommandLine("run", "log", run.ID.String(), "--follow")))
	}
	return followTrial(cmd.Context(), t, c, run)
}

// followTrial prints the log of a trial and its result.
func followTrial(ctx context.Context, t *kit.Tool, c *client.Client, run api.Run) error {
	if !t.ForPrograms() {
		t.PrintNote("run %s", run.ID)
		p := logview.Printer{To: t.Stdout, Strip: logview.StripsColors(t, "auto", false)}
		v := logview.Follower{Client: c, Out: &p, Notes: t.Stderr, Run: run.ID, Poll: t.Poll, Follow: true, From: 1}
		if err := v.Stream(ctx); err != nil && !job.Is(err, job.NotFound) {
			return err
		}
	}
	return t.AwaitRun(ctx, c, run)
}

// NewRunTrialCommand returns the command orth run trial.
func NewRunTrialCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "trial ID", Short: "Show the code and the user of a trial run", Args: cobra.ExactArgs(1),
		Example: "  orth run trial 1024",
		RunE: t.WithRun(func(ctx context.Context, c *client.Client, id api.ID) error {
			trial, err := c.Trial(ctx, id)
			if err != nil {
				return err
			}
			if t.ForPrograms() {
				return t.Encode(trial)
			}
			code := trial.Code
			if trial.Kind == "" {
				code = "the job's own"
			}
			return t.PrintSheet([][2]string{
				{"Run", trial.RunID.String()},
				{"By", kit.AuthorText(trial.By)},
				{"Timeout", timing.FormatDuration(time.Duration(trial.Timeout))},
				{"Kind", string(trial.Kind)},
				{"Code", code},
			})
		}),
	}
}
