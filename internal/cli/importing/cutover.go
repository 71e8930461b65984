package importing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/internal/cutover"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/xxlimport"
	"github.com/orthd/orth/internal/xxlimport/database"
)

// cutoverFlags holds the flags of a group cutover.
type cutoverFlags struct {
	stopOld bool
	wait    time.Duration
}

func (c *cutoverFlags) add(f *databaseFlags, flags *pflag.FlagSet) {
	flags.StringVar(&f.Group, "group", "", "only the `group` with this app name and its jobs; with --apply and --enable cut over: enable each job here when it is stopped there")
	flags.BoolVar(&c.stopOld, "stop-old", false, "with --group and --enable: also stop the jobs in the old database, by setting trigger_status = 0 (requires the UPDATE privilege)")
	flags.DurationVar(&c.wait, "wait", 10*time.Minute, "with --group and --enable, without --stop-old: how long to wait until the jobs are stopped in the old admin")
}

// cutsOver reports whether a group is cut over.
func (f *databaseFlags) cutsOver() bool { return f.apply && f.Start && f.Group != "" }

func (f *databaseFlags) checkCutover() error {
	switch {
	case f.stopOld && !f.cutsOver():
		return output.Usagef("--stop-old requires --apply, --group and --enable: jobs are cut over by group")
	case f.wait < 0 || f.wait > 24*time.Hour:
		return output.Usagef("--wait: must be between 0 and 24h, got %s", f.wait)
	}
	return nil
}

// cutoverFront shows a cutover at the command line.
type cutoverFront struct {
	*kit.Tool

	flags *databaseFlags
}

// Agree asks before a change.
func (f cutoverFront) Agree(question string) (bool, error) { return agreed(f.Tool, f.flags, question) }

// ShowJobs prints the jobs of a cutover.
func (f cutoverFront) ShowJobs(jobs []cutover.Job) error {
	if f.ForPrograms() {
		return nil
	}
	rows := make([][]string, len(jobs))
	for i := range jobs {
		one := &jobs[i]
		state := "started"
		if !one.Plan.Started {
			state = "stopped by an earlier cutover"
		}
		rows[i] = []string{one.Key, fmt.Sprint(one.Plan.ID), output.Printable(one.Plan.Name), state, one.Next.In(f.Location).Format(time.RFC3339)}
	}
	return f.PrintTable("JOB ID NAME THERE NEXT", rows)
}

// cutOver cuts over a group with imported jobs.
func cutOver(ctx context.Context, t *kit.Tool, f *databaseFlags, source *database.Source, made *xxlimport.Migration, zone string) error {
	c, err := t.Connect()
	if err != nil {
		return err
	}
	defer c.Close()
	logZone, err := time.LoadLocation(zone)
	if err != nil {
		return output.Usagef("--zone: unknown time zone %q", zone)
	}
	log, err := source.Log(ctx, f.tablePrefix)
	if err != nil {
		return err
	}
	err = cutover.Run(ctx, log, made, cutover.Config{
		Front: cutoverFront{t, f}, Client: c, Group: f.Group, Namespace: t.SelectedNamespace(), Stop: f.stopOld, Dry: f.dry,
		Wait: f.wait, WaitText: timing.FormatDuration(f.wait), Zone: logZone, Location: t.Location, Poll: t.Poll,
	})
	if errors.Is(err, cutover.ErrLeft) {
		return kit.ErrChanges
	}
	return err
}
