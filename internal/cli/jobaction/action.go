package jobaction

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/internal/output"
)

// NewStartCommand returns the command orth job start.
func NewStartCommand(t *kit.Tool) *cobra.Command {
	return newSwitchCommand(t, "enable", "Enable the schedules of jobs", (*client.Client).StartJob,
		func(j api.Job) string {
			return fmt.Sprintf("job %s enabled; next firing: %s", j.Key, t.DescribeEnabled(j))
		})
}

// NewStopCommand returns the command orth job stop.
func NewStopCommand(t *kit.Tool) *cobra.Command {
	return newSwitchCommand(t, "disable", "Disable the schedules of jobs; running runs continue", (*client.Client).StopJob,
		func(j api.Job) string { return fmt.Sprintf("job %s disabled", j.Key) })
}

// newSwitchCommand returns a command that enables or disables jobs. One job prints its
// new state, several print the results of a bulk request.
func newSwitchCommand(
	t *kit.Tool,
	action, short string, change func(*client.Client, context.Context, string) (api.Job, error), describe func(api.Job) string,
) *cobra.Command {
	return &cobra.Command{
		Use: action + " KEY...", Short: short, Args: cobra.MinimumNArgs(1),
		Example: "  orth job " + action + " report\n  orth job " + action + " report etl cleanup",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			if len(args) > 1 {
				return t.RunBulk(&kit.BulkFlags{}, action, "job", args, func(p kit.Portion, _ bool) (api.Done, error) {
					return c.BulkJobs(cmd.Context(), api.JobBulk{Action: kit.APIAction(action), Keys: p.Names})
				})
			}
			j, err := change(c, cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if err := t.PrintResult(j, describe(j)); err != nil {
				return err
			}
			if action == "enable" {
				t.WarnUnserved(cmd.Context(), c, kit.NewJobOf(&j))
			}
			return nil
		},
	}
}

// NewDeleteCommand returns the command orth job delete.
func NewDeleteCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "delete KEY", Aliases: []string{"rm"}, Short: "Delete a job and cancel its waiting runs", Args: cobra.ExactArgs(1),
		Example: "  orth job delete report",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			if err := c.DeleteJob(cmd.Context(), args[0]); err != nil {
				return err
			}
			return t.PrintResult(map[string]string{"deleted": args[0]}, "job "+args[0]+" deleted")
		},
	}
}

// NewTriggerCommand returns the command orth job trigger.
func NewTriggerCommand(t *kit.Tool) *cobra.Command {
	var param kit.ParamFlags
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
			own, err := param.Param(cmd.Flags())
			if err != nil {
				return err
			}
			wanted := api.Trigger{Param: own}
			if delay < 0 || delay > maxDelay {
				return output.Usagef("--delay: must be between 0 and %s, got %s", timing.FormatDuration(maxDelay), delay)
			}
			wanted.Delay, wanted.Addresses = api.Duration(delay), addresses
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			zone, err := kit.JobZone(cmd.Context(), c, args[0], planned)
			if err != nil {
				return err
			}
			slot, err := timing.ParseFlag("planned-at", planned, zone)
			if err != nil {
				return err
			}
			wanted.PlannedAt = api.At(slot)
			run, err := c.Trigger(cmd.Context(), args[0], wanted)
			if err != nil {
				return err
			}
			if len(addresses) == 0 {
				t.WarnJob(cmd.Context(), c, args[0])
			}
			if !wait {
				return t.PrintResult(run, triggered(t, run, args[0], delay))
			}
			return t.AwaitTriggeredRun(cmd.Context(), c, run)
		},
	}
	param.Add(cmd.Flags(), "parameter `text` for the handler instead of the one of the job")
	cmd.Flags().StringVar(&planned, "planned-at", "", "planned `time` of the run: 2030-01-31T08:00:00+01:00, or 2030-01-31T08:00 in the zone of the job")
	cmd.Flags().DurationVar(&delay, "delay", 0, "delay before the run starts")
	cmd.Flags().StringArrayVar(&addresses, "address", nil, "`URL` of an allowed executor, as listed by 'orth executors'; may be repeated (default all of the group)")
	cmd.Flags().BoolVar(&wait, "wait", false, "wait until the run ends")
	return cmd
}

// maxDelay is the maximum delay of a triggered run.
const maxDelay = 30 * 24 * time.Hour

// triggered describes a triggered run.
func triggered(t *kit.Tool, run api.Run, key string, delay time.Duration) string {
	when := ""
	if delay > 0 {
		when = ", starts in " + timing.FormatDuration(delay)
	}
	return fmt.Sprintf("run %s of %s triggered%s: see it with %s", run.ID, key, when, t.CommandLine("run", "show", run.ID.String()))
}
