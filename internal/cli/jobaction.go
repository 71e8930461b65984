package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

func (t *tool) jobStartCommand() *cobra.Command {
	return t.jobSwitchCommand("enable", "Enable the schedules of jobs", (*client.Client).StartJob,
		func(j api.Job) string {
			return fmt.Sprintf("job %s enabled; next firing: %s", j.Key, t.firesNext(j))
		})
}

func (t *tool) jobStopCommand() *cobra.Command {
	return t.jobSwitchCommand("disable", "Disable the schedules of jobs; running runs continue", (*client.Client).StopJob,
		func(j api.Job) string { return fmt.Sprintf("job %s disabled", j.Key) })
}

// jobSwitchCommand returns a command that enables or disables jobs. One job prints its
// new state, several print the results of a bulk request.
func (t *tool) jobSwitchCommand(
	action, short string, change func(*client.Client, context.Context, string) (api.Job, error), describe func(api.Job) string,
) *cobra.Command {
	return &cobra.Command{
		Use: action + " KEY...", Short: short, Args: cobra.MinimumNArgs(1),
		Example: "  orth job " + action + " report\n  orth job " + action + " report etl cleanup",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			if len(args) > 1 {
				return t.bulk(&bulkFlags{}, action, "job", args, func(p portion, _ bool) (api.Done, error) {
					return c.BulkJobs(cmd.Context(), api.JobBulk{Action: apiAction(action), Keys: p.names})
				})
			}
			j, err := change(c, cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if err := t.done(j, describe(j)); err != nil {
				return err
			}
			if action == "enable" {
				t.warnUnserved(cmd.Context(), c, runsOn(&j))
			}
			return nil
		},
	}
}

// apiAction returns the name that the API has for an action on jobs.
func apiAction(action string) string {
	switch action {
	case "enable":
		return "start"
	case "disable":
		return "stop"
	}
	return action
}

// done prints the result of a command: a value for programs, or a sentence.
func (t *tool) done(v any, sentence string) error {
	if t.forPrograms() {
		return t.encode(v)
	}
	_, err := fmt.Fprintln(t.Stdout, sentence)
	return err
}

func (t *tool) jobDeleteCommand() *cobra.Command {
	return &cobra.Command{
		Use: "delete KEY", Aliases: []string{"rm"}, Short: "Delete a job and cancel its waiting runs", Args: cobra.ExactArgs(1),
		Example: "  orth job delete report",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			if err := c.DeleteJob(cmd.Context(), args[0]); err != nil {
				return err
			}
			return t.done(map[string]string{"deleted": args[0]}, "job "+args[0]+" deleted")
		},
	}
}

func (t *tool) jobTriggerCommand() *cobra.Command {
	var param paramFlags
	var planned string
	var delay time.Duration
	var addresses []string
	var wait bool
	cmd := &cobra.Command{
		Use: "trigger KEY", Short: "Run a job now", Args: cobra.ExactArgs(1),
		Long: "Run a job now, even if it is disabled or paused.\n\n" +
			"The run has no slot of the schedule unless --planned-at is given. With --wait the command waits for the run, and its\n" +
			"exit code is 0 only if the run succeeded.",
		Example: "  orth job trigger report\n  orth job trigger report --param 2030-01-31 --wait\n" +
			"  orth job trigger report --input day=2030-01-31\n" +
			"  orth job trigger report --planned-at '2030-01-31 02:30' --delay 10m\n" +
			"  orth job trigger report --address http://10.0.0.5:9999",
		RunE: func(cmd *cobra.Command, args []string) error {
			own, err := param.param(cmd.Flags())
			if err != nil {
				return err
			}
			wanted := api.Trigger{Param: own}
			if delay < 0 || delay > maxDelay {
				return output.Usagef("--delay: must be between 0 and %s, got %s", shortTime(maxDelay), delay)
			}
			wanted.Delay, wanted.Addresses = api.Duration(delay), addresses
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			zone, err := jobZone(cmd.Context(), c, args[0], planned)
			if err != nil {
				return err
			}
			slot, err := instant("planned-at", planned, zone)
			if err != nil {
				return err
			}
			wanted.PlannedAt = api.At(slot)
			run, err := c.Trigger(cmd.Context(), args[0], wanted)
			if err != nil {
				return err
			}
			if len(addresses) == 0 {
				t.warnJob(cmd.Context(), c, args[0])
			}
			if !wait {
				return t.done(run, t.triggered(run, args[0], delay))
			}
			return t.await(cmd.Context(), c, run)
		},
	}
	param.add(cmd.Flags(), "parameter `text` for the handler instead of the one of the job")
	cmd.Flags().StringVar(&planned, "planned-at", "", "planned `time` of the run: 2030-01-31T08:00:00+01:00, or 2030-01-31T08:00 in the zone of the job")
	cmd.Flags().DurationVar(&delay, "delay", 0, "delay before the run starts")
	cmd.Flags().StringArrayVar(&addresses, "address", nil, "`URL` of an allowed executor, as listed by 'orth executors'; may be repeated (default all of the group)")
	cmd.Flags().BoolVar(&wait, "wait", false, "wait until the run ends")
	return cmd
}

// maxDelay is the maximum delay of a triggered run.
const maxDelay = 30 * 24 * time.Hour

// triggered describes a triggered run.
func (t *tool) triggered(run api.Run, key string, delay time.Duration) string {
	when := ""
	if delay > 0 {
		when = ", starts in " + shortTime(delay)
	}
	return fmt.Sprintf("run %s of %s triggered%s: see it with %s", run.ID, key, when, t.command("run", "show", run.ID.String()))
}

// await waits for the end of a run and prints it. It returns an error if the run did not
// succeed.
func (t *tool) await(ctx context.Context, c *client.Client, run api.Run) error {
	if !t.forPrograms() {
		t.printNote("Run %s of %s triggered, waiting for its end.", run.ID, run.JobKey)
	}
	return t.awaitEnd(ctx, c, run)
}

// awaitEnd waits for the end of a run and prints it, without an initial message.
func (t *tool) awaitEnd(ctx context.Context, c *client.Client, run api.Run) error {
	ended, err := c.Wait(ctx, run.ID)
	if err != nil {
		if ctx.Err() != nil {
			t.printNote("Run %s continues. See it with %s.", run.ID, t.command("run", "show", run.ID.String()))
		}
		return err
	}
	sentence := fmt.Sprintf("run %s %s after %s", ended.ID, words(ended.State), took(ended.CreatedAt, ended.EndedAt))
	if text := firstOf(ended.Message, ended.Reason); text != "" {
		sentence += ": " + output.Printable(text)
	}
	if err := t.done(ended, sentence); err != nil {
		return err
	}
	if ended.State != job.Succeeded {
		return errRunBad
	}
	return nil
}

// created describes a new job and the next step.
func (t *tool) created(j api.Job) string {
	switch {
	case j.Enabled:
		return fmt.Sprintf("job %s created and enabled; next firing: %s", j.Key, t.firesNext(j))
	case j.Schedule.Kind == schedule.KindManual:
		return fmt.Sprintf("job %s created: run it with %s", j.Key, t.commandIn("job", "trigger", j.Key))
	}
	return fmt.Sprintf("job %s created, disabled: enable it with %s", j.Key, t.commandIn("job", "enable", j.Key))
}

// firesNext describes the next firing of an enabled job.
func (t *tool) firesNext(j api.Job) string {
	if j.NextAt.IsZero() {
		return firstOf(t.next(j), "none")
	}
	return t.next(j)
}
