package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

func (t *tool) jobStartCommand() *cobra.Command {
	return t.jobSwitchCommand("start", "Let jobs fire by their schedules", (*client.Client).StartJob,
		func(j api.Job) string {
			return fmt.Sprintf("job %s started: it fires %s", j.Key, t.firesNext(j))
		})
}

func (t *tool) jobStopCommand() *cobra.Command {
	return t.jobSwitchCommand("stop", "Let jobs fire no more; what runs goes on", (*client.Client).StopJob,
		func(j api.Job) string { return fmt.Sprintf("job %s stopped", j.Key) })
}

// jobSwitchCommand returns a command that changes jobs and says so. One job is answered
// as it is afterwards, several as those of a bulk request.
func (t *tool) jobSwitchCommand(
	action, short string, change func(*client.Client, context.Context, string) (api.Job, error), say func(api.Job) string,
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
					return c.BulkJobs(cmd.Context(), api.JobBulk{Action: action, Keys: p.names})
				})
			}
			j, err := change(c, cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if err := t.done(j, say(j)); err != nil {
				return err
			}
			if action == "start" {
				t.warnUnserved(cmd.Context(), c, runsOn(&j))
			}
			return nil
		},
	}
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
		Use: "trigger KEY", Short: "Make a run of a job now, started or not", Args: cobra.ExactArgs(1),
		Long: "Make a run of a job now, whether its schedule is started or not, and whether a pause holds it or not.\n\n" +
			"The run is for no slot of the schedule, unless --planned-at names one. With --wait the command ends when\n" +
			"the run does, and its exit code is 0 only when the run has succeeded.",
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
				return usagef("--delay: %s is not between 0 and %s", delay, shortTime(maxDelay))
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
	param.add(cmd.Flags(), "`text` for the handler instead of the job's own")
	cmd.Flags().StringVar(&planned, "planned-at", "", "`time` of the slot that the run is for: 2030-01-31T08:00:00+01:00, or 2030-01-31T08:00 on the clock of the job's zone")
	cmd.Flags().DurationVar(&delay, "delay", 0, "start the run so much later")
	cmd.Flags().StringArrayVar(&addresses, "address", nil, "`URL` of an executor that it may go to, as 'orth executors' shows it; may be repeated (default all of the group)")
	cmd.Flags().BoolVar(&wait, "wait", false, "wait for the end of the run")
	return cmd
}

// maxDelay bounds how much later a triggered run starts.
const maxDelay = 30 * 24 * time.Hour

// triggered says what was triggered.
func (t *tool) triggered(run api.Run, key string, delay time.Duration) string {
	when := ""
	if delay > 0 {
		when = ", to start in " + shortTime(delay)
	}
	return fmt.Sprintf("run %s of %s triggered%s: see it with %s", run.ID, key, when, t.command("run", "show", run.ID.String()))
}

// await waits for the end of a run and shows it. A run that did not succeed is
// an error.
func (t *tool) await(ctx context.Context, c *client.Client, run api.Run) error {
	if !t.forPrograms() {
		t.tell("run %s of %s triggered, waiting for its end", run.ID, run.JobKey)
	}
	return t.awaitEnd(ctx, c, run)
}

// awaitEnd is await without a word before.
func (t *tool) awaitEnd(ctx context.Context, c *client.Client, run api.Run) error {
	ended, err := c.Wait(ctx, run.ID)
	if err != nil {
		if ctx.Err() != nil {
			t.tell("run %s goes on: see it with %s", run.ID, t.command("run", "show", run.ID.String()))
		}
		return err
	}
	sentence := fmt.Sprintf("run %s %s after %s", ended.ID, words(ended.State), took(ended.CreatedAt, ended.EndedAt))
	if text := firstOf(ended.Message, ended.Reason); text != "" {
		sentence += ": " + printable(text)
	}
	if err := t.done(ended, sentence); err != nil {
		return err
	}
	if ended.State != job.Succeeded {
		return errRunBad
	}
	return nil
}

// created says what to do with a new job.
func (t *tool) created(j api.Job) string {
	switch {
	case j.Enabled:
		return fmt.Sprintf("job %s created and started: it fires %s", j.Key, t.firesNext(j))
	case j.Schedule.Kind == schedule.KindManual:
		return fmt.Sprintf("job %s created: run it with %s", j.Key, t.commandIn("job", "trigger", j.Key))
	}
	return fmt.Sprintf("job %s created, stopped: start it with %s", j.Key, t.commandIn("job", "start", j.Key))
}

// firesNext says when a job that was started fires.
func (t *tool) firesNext(j api.Job) string {
	if j.NextAt.IsZero() {
		return firstOf(t.next(j), "no more")
	}
	return "next at " + t.next(j)
}
