package kit

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
)

// apiStatus maps the values of --status to those of the API.
var apiStatus = map[string]string{
	"enabled": "started", "disabled": "stopped", "auto_disabled": "gave_up", "paused": "held",
}

// JobNarrowing holds the filters of a job list.
type JobNarrowing struct {
	last, status      Choice
	sort              Sorting
	enabled, disabled bool
}

// AddTo adds the flags to a command and binds them to its query.
func (f *JobNarrowing) AddTo(cmd *cobra.Command, query *client.JobQuery) {
	f.last = NewChoice("", "succeeded", "failed", "timed-out", "cancelled", "lost", "skipped")
	f.status = NewChoice("", "enabled", "disabled", "auto-disabled", "paused")
	flags := cmd.Flags()
	flags.StringVar(&query.Group, "group", "", "only jobs of this `group`")
	flags.BoolVar(&f.enabled, "enabled", false, "only enabled jobs")
	flags.BoolVar(&f.disabled, "disabled", false, "only disabled jobs")
	flags.StringVar(&query.Kind, "kind", "", "only jobs with a schedule of this `kind`: manual, cron, every, after, daily, once or several")
	flags.StringVar(&query.Handler, "handler", "", "only jobs with this handler, or with scripts of this kind")
	flags.StringArrayVar(&query.Labels, "label", nil, "only jobs with this label: `key` or key=value; may be repeated")
	flags.BoolVar(&query.AnyLabel, "any-label", false, "match any of the labels instead of all")
	flags.StringVar(&query.Owner, "owner", "", "only jobs with this `name` in the label owner")
	flags.StringVar(&query.Calendar, "calendar", "", "only jobs that use the calendar with this `key`")
	flags.StringVar(&query.Template, "template", "", "only jobs that use the template with this `key`")
	flags.Var(&f.status, "status", "only jobs with this status: enabled, disabled, disabled after failures, or paused")
	flags.StringVar(&query.Text, "text", "", "only jobs with this `text` in the key or the title")
	flags.Var(&f.last, "last", "only jobs whose last finished run has this state")
}

// AddSort adds the sort flag, which only lists have.
func (f *JobNarrowing) AddSort(cmd *cobra.Command) {
	f.sort = NewSorting("key", "title", "next-at", "updated-at", "last-ended-at")
	cmd.Flags().Var(&f.sort, "sort", "sort order, descending with a - prefix (default key)")
}

// Fill applies the flags to the query.
func (f *JobNarrowing) Fill(query *client.JobQuery) error {
	if f.enabled && f.disabled {
		return output.Usagef("--enabled and --disabled are mutually exclusive")
	}
	query.Last, query.Status, query.Sort = job.State(f.last.Word()), apiStatus[f.status.Word()], f.sort.Word()
	if f.enabled || f.disabled {
		query.Enabled = new(f.enabled)
	}
	return nil
}

// RunNarrowing holds the filters of a run list.
type RunNarrowing struct {
	states       []string
	cause        Choice
	sort         Sorting
	since, until string
	causeID      string
}

// AddTo adds the flags to a command and binds them to its query.
func (f *RunNarrowing) AddTo(cmd *cobra.Command, query *client.RunQuery) {
	f.cause = NewChoice("", "schedule", "misfire", "manual", "api", "parent", "retry", "backfill", "redrive", "shard", "trial")
	flags := cmd.Flags()
	flags.StringVar(&query.Job, "job", "", "only runs of the job with this `key`")
	flags.StringVar(&query.Group, "group", "", "only runs of this `group`")
	flags.StringSliceVar(&f.states, "state", nil, "only runs in one of these `states`, comma-separated")
	flags.Var(&f.cause, "cause", "only runs with this cause")
	flags.StringVar(&f.causeID, "cause-id", "", "only runs caused by the run or backfill with this `id`")
	flags.StringVar(&f.since, "since", "", "only runs created since this `time`, such as 2030-01-31T08:00, or 2h for two hours ago")
	flags.StringVar(&f.until, "until", "", "only runs created before this `time`")
	flags.StringVar(&query.Executor, "executor", "", "only runs whose last attempt was sent to the executor with this base `URL`")
	flags.StringVar(&query.Label, "label", "", "only runs of jobs with this label: `key` or key=value")
	flags.StringVar(&query.By, "by", "", "only runs triggered by this `user`")
	flags.StringVar(&query.Text, "text", "", "only runs with this `text` in the message or the reason")
	flags.DurationVar(&query.Late, "late", 0, "only scheduled runs that started later than this after their planned time, or still wait")
	flags.DurationVar(&query.MinDuration, "longer-than", 0, "only runs with at least this duration")
	flags.DurationVar(&query.MaxDuration, "shorter-than", 0, "only runs with less than this duration")
	flags.IntVar(&query.MinTries, "min-tries", 0, "only runs with at least this number of attempts")
	flags.IntVar(&query.MaxTries, "max-tries", 0, "only runs with at most this number of attempts; 0 means no limit")
	flags.BoolVar(&query.Shards, "shards", false, "include shards of broadcast runs")
}

// AddSort adds the sort flag, which only lists have.
func (f *RunNarrowing) AddSort(cmd *cobra.Command) {
	f.sort = NewSorting("planned-at", "started-at", "ended-at", "duration", "tries")
	cmd.Flags().Var(&f.sort, "sort", "sort order, descending with a - prefix (default newest first)")
}

// Fill applies the flags to the query.
func (f *RunNarrowing) Fill(query *client.RunQuery, now time.Time, zone *time.Location) error {
	query.States = nil
	for _, text := range f.states {
		one := NewStateChoice()
		if err := one.Set(text); err != nil {
			return output.Usagef("--state: %q: %v", text, err)
		}
		query.States = append(query.States, job.State(one.Word()))
	}
	query.Cause, query.Sort = job.Cause(f.cause.Word()), f.sort.Word()
	if f.causeID != "" {
		if err := query.CauseID.UnmarshalText([]byte(f.causeID)); err != nil || query.CauseID <= 0 {
			return output.Usagef("--cause-id: %q is not an id", f.causeID)
		}
	}
	var err error
	if query.CreatedSince, err = ago("since", f.since, now, zone); err != nil {
		return err
	}
	query.CreatedUntil, err = ago("until", f.until, now, zone)
	return err
}

// ago parses an instant or an age.
func ago(flag, text string, now time.Time, zone *time.Location) (time.Time, error) {
	if length, err := time.ParseDuration(text); err == nil {
		return now.Add(-length), nil
	}
	return timing.ParseFlag(flag, text, zone)
}
