package cli

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/client"
	"github.com/orthd/orth/job"
)

// jobNarrowing are what a list of jobs is narrowed by.
type jobNarrowing struct {
	last, status     choice
	sort             sorting
	started, stopped bool
}

// addTo adds the flags to a command whose query they fill.
func (f *jobNarrowing) addTo(cmd *cobra.Command, query *client.JobQuery) {
	f.last = newChoice("", "succeeded", "failed", "timed-out", "cancelled", "lost", "skipped")
	f.status = newChoice("", "started", "stopped", "gave-up", "held")
	flags := cmd.Flags()
	flags.StringVar(&query.Group, "group", "", "only jobs of this `group`")
	flags.BoolVar(&f.started, "started", false, "only jobs that fire by their schedules")
	flags.BoolVar(&f.stopped, "stopped", false, "only jobs that do not")
	flags.StringVar(&query.Kind, "kind", "", "only jobs with a schedule of this `kind`: manual, cron, every, after, daily, once or several")
	flags.StringVar(&query.Handler, "handler", "", "only jobs that run this handler, or scripts of this kind")
	flags.StringArrayVar(&query.Labels, "label", nil, "only jobs with this label: `key` or key=value; it may be given several times")
	flags.BoolVar(&query.AnyLabel, "any-label", false, "jobs need one of the labels, and not all of them")
	flags.StringVar(&query.Owner, "owner", "", "only jobs whose label owner is this `name`")
	flags.StringVar(&query.Calendar, "calendar", "", "only jobs whose schedule names the calendar with this `key`")
	flags.StringVar(&query.Template, "template", "", "only jobs that run the code of the job with this `key`")
	flags.Var(&f.status, "status", "only jobs that are started, or stopped; that gave up by themselves; or that a pause has held")
	flags.StringVar(&query.Text, "text", "", "only jobs with this `text` in the key or the title")
	flags.Var(&f.last, "last", "only jobs whose last run that is over has ended like this")
}

// addSort adds the flag of the order, which only lists have.
func (f *jobNarrowing) addSort(cmd *cobra.Command) {
	f.sort = newSorting("key", "title", "next-at", "updated-at", "last-ended-at")
	cmd.Flags().Var(&f.sort, "sort", "the order, with - before it the other way round; key when it is not given")
}

// fill puts what was chosen into the query.
func (f *jobNarrowing) fill(query *client.JobQuery) error {
	if f.started && f.stopped {
		return usagef("--started and --stopped exclude each other")
	}
	query.Last, query.Status, query.Sort = job.State(f.last.word()), f.status.word(), f.sort.word()
	if f.started || f.stopped {
		query.Enabled = new(f.started)
	}
	return nil
}

// runNarrowing are what a list of runs is narrowed by.
type runNarrowing struct {
	states       []string
	cause        choice
	sort         sorting
	since, until string
	causeID      string
}

// addTo adds the flags to a command whose query they fill.
func (f *runNarrowing) addTo(cmd *cobra.Command, query *client.RunQuery) {
	f.cause = newChoice("", "schedule", "misfire", "manual", "api", "parent", "retry", "backfill", "redrive", "shard", "trial")
	flags := cmd.Flags()
	flags.StringVar(&query.Job, "job", "", "only runs of the job with this `key`")
	flags.StringVar(&query.Group, "group", "", "only runs for this `group`")
	flags.StringSliceVar(&f.states, "state", nil, "only runs in one of these `states`, separated by commas")
	flags.Var(&f.cause, "cause", "only runs that exist because of this")
	flags.StringVar(&f.causeID, "cause-id", "", "only runs that the run, or the backfill, with this `id` has caused")
	flags.StringVar(&f.since, "since", "", "only runs made at this `time` or later, such as 2030-01-31T08:00, or so long ago, such as 2h")
	flags.StringVar(&f.until, "until", "", "only runs made before this `time`")
	flags.StringVar(&query.Executor, "executor", "", "only runs whose current or last attempt this executor has or had: its base `URL`")
	flags.StringVar(&query.Label, "label", "", "only runs of jobs with this label: `key` or key=value")
	flags.StringVar(&query.By, "by", "", "only runs that this `user` asked for")
	flags.StringVar(&query.Text, "text", "", "only runs with this `text` in the message or the reason")
	flags.DurationVar(&query.Late, "late", 0, "only runs of schedules that started more than so long after they were planned, or still wait")
	flags.DurationVar(&query.MinDuration, "longer", 0, "only runs that took, or take, so long or longer")
	flags.DurationVar(&query.MaxDuration, "shorter", 0, "only runs that took, or take, less than that")
	flags.IntVar(&query.MinTries, "min-tries", 0, "only runs with so many attempts or more")
	flags.IntVar(&query.MaxTries, "max-tries", 0, "only runs with so many attempts or fewer; 0 is no bound")
	flags.BoolVar(&query.Shards, "shards", false, "list shards too: the runs that others were split into")
}

// addSort adds the flag of the order, which only lists have.
func (f *runNarrowing) addSort(cmd *cobra.Command) {
	f.sort = newSorting("planned-at", "started-at", "ended-at", "duration", "tries")
	cmd.Flags().Var(&f.sort, "sort", "the order, with - before it the other way round; the newest first when it is not given")
}

// fill puts what was chosen into the query.
func (f *runNarrowing) fill(query *client.RunQuery, now time.Time, zone *time.Location) error {
	query.States = nil
	for _, text := range f.states {
		one := newState()
		if err := one.Set(text); err != nil {
			return usagef("--state: %q: %v", text, err)
		}
		query.States = append(query.States, job.State(one.word()))
	}
	query.Cause, query.Sort = job.Cause(f.cause.word()), f.sort.word()
	if f.causeID != "" {
		if err := query.CauseID.UnmarshalText([]byte(f.causeID)); err != nil || query.CauseID <= 0 {
			return usagef("--cause-id: %q is no id: write its digits", f.causeID)
		}
	}
	var err error
	if query.CreatedSince, err = ago("since", f.since, now, zone); err != nil {
		return err
	}
	query.CreatedUntil, err = ago("until", f.until, now, zone)
	return err
}

// ago reads an instant, or how long ago one was.
func ago(flag, text string, now time.Time, zone *time.Location) (time.Time, error) {
	if length, err := time.ParseDuration(text); err == nil {
		return now.Add(-length), nil
	}
	return instant(flag, text, zone)
}
