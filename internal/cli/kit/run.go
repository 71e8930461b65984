package kit

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
)

// DescribeLetter describes a dead letter and its resolution.
func (t *Tool) DescribeLetter(s *api.LetterStatus, run api.ID) string {
	switch {
	case s == nil:
		return ""
	case s.RedrivenRun > 0:
		return "retried as run " + s.RedrivenRun.String()
	case s.Status == job.LetterClosed:
		return strings.TrimRight("closed at "+t.FormatTime(s.ClosedAt)+": "+s.ClosedReason, ": ")
	}
	return "open: retry it with 'orth dead-letter retry " + run.String() + "'"
}

// JobZone returns the zone of a job's schedule for parsing flags. It calls the server
// only if one of the texts needs the zone.
func JobZone(ctx context.Context, c *client.Client, key string, texts ...string) (*time.Location, error) {
	needed := false
	for _, text := range texts {
		needed = needed || text != "" && !timing.HasOffset(text)
	}
	if !needed {
		return time.UTC, nil
	}
	j, err := c.Job(ctx, key)
	if err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation(j.Schedule.Zone)
	if err != nil {
		return nil, fmt.Errorf("the zone of the job is unknown on this machine: use times with a UTC offset, such as 2030-01-31T08:00:00Z: %w", err)
	}
	return zone, nil
}

// AwaitTriggeredRun waits for the end of a run and prints it. It returns an error if the run did not
// succeed.
func (t *Tool) AwaitTriggeredRun(ctx context.Context, c *client.Client, run api.Run) error {
	if !t.ForPrograms() {
		t.PrintNote("Run %s of %s triggered, waiting for its end.", run.ID, run.JobKey)
	}
	return t.AwaitRun(ctx, c, run)
}

// AwaitRun waits for the end of a run and prints it, without an initial message.
func (t *Tool) AwaitRun(ctx context.Context, c *client.Client, run api.Run) error {
	ended, err := c.Wait(ctx, run.ID)
	if err != nil {
		if ctx.Err() != nil {
			t.PrintNote("Run %s continues. See it with %s.", run.ID, t.CommandLine("run", "show", run.ID.String()))
		}
		return err
	}
	sentence := fmt.Sprintf("run %s %s after %s", ended.ID, StateText(ended.State), FormatElapsed(ended.CreatedAt, ended.EndedAt))
	if text := FirstOf(ended.Message, ended.Reason); text != "" {
		sentence += ": " + output.Printable(text)
	}
	if err := t.PrintResult(ended, sentence); err != nil {
		return err
	}
	if ended.State != job.Succeeded {
		return ErrRunFailed
	}
	return nil
}

// NewStateChoice returns the choice of a run state, initially empty.
func NewStateChoice() Choice {
	states := job.States()
	words := make([]string, len(states))
	for i, s := range states {
		words[i] = strings.ReplaceAll(string(s), "_", "-")
	}
	return NewChoice("", words...)
}

// WithRun returns a command whose only argument is the id of a run.
func (t *Tool) WithRun(do func(ctx context.Context, c *client.Client, id api.ID) error) func(cmd *cobra.Command, args []string) error {
	return func(cmd *cobra.Command, args []string) error {
		id, err := ParseRunID(args[0])
		if err != nil {
			return err
		}
		c, err := t.Connect()
		if err != nil {
			return err
		}
		defer c.Close()
		return do(cmd.Context(), c, id)
	}
}

// ParseRunID parses the id of a run.
func ParseRunID(text string) (api.ID, error) {
	var id api.ID
	if err := id.UnmarshalText([]byte(text)); err != nil || id == 0 {
		return 0, output.Usagef("ID: %q is not an id of a run; 'orth run list' lists the ids", text)
	}
	return id, nil
}
