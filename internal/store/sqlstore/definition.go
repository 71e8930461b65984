package sqlstore

import (
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// definition is what of a job is stored as JSON text.
type definition struct{ schedule, limits, handler, retry, children, labels, delivery, logs, emails, inputs string }

func definitionOf(j *job.Job) (d definition, err error) {
	children := j.Children
	if children == nil {
		children = []job.Child{}
	}
	labels := j.Labels
	if labels == nil {
		labels = map[string]string{}
	}
	emails := j.AlarmEmails
	if emails == nil {
		emails = []string{}
	}
	inputs := j.Inputs
	if inputs == nil {
		inputs = []job.Input{}
	}
	for _, part := range []struct {
		text  *string
		value any
	}{
		{&d.schedule, j.Schedule},
		{&d.limits, j.MisfireLimits},
		{&d.handler, j.Handler},
		{&d.retry, j.Retry},
		{&d.children, children},
		{&d.labels, labels},
		{&d.delivery, j.Delivery},
		{&d.logs, j.Logs},
		{&d.emails, emails},
		{&d.inputs, inputs},
	} {
		if *part.text, err = encode(part.value); err != nil {
			return d, err
		}
	}
	return d, nil
}

// args returns the columns that insertJob and updateJob share, in their order.
func (d *definition) args(j *job.Job) []any {
	return []any{
		j.Namespace, j.Key, j.Title, j.Description, j.GroupID, d.schedule, string(j.Misfire), d.limits, afterOf(j), d.handler, j.Param, d.inputs,
		string(j.Route), j.Shards, string(j.Overlap), string(j.OverlapScope), j.OverlapQueue, whole(j.Timeout), d.retry, string(j.OnCrash), d.children,
		j.Concurrency, d.labels, d.delivery, d.logs, j.Template, j.TemplateVersion,
		j.Delivery.Priority.Rank(), expireOf(j), j.StopAfter, j.Failures, d.emails, job.Millis(j.UpdatedAt),
	}
}

// planArgs returns the columns that insertPlan and updatePlan share, in their
// order. A job that is not enabled must have no NextAt. The planner looks at
// NextAt.
func planArgs(j *job.Job, awaits int64) []any {
	next := nullable(j.NextAt)
	return []any{bit(j.Enabled), next, next, j.Fired, clean(j.StopReason), awaits, j.ID}
}

// expireOf returns how many milliseconds a run waits for its first attempt, nil
// for ever.
func expireOf(j *job.Job) any {
	if j.Delivery.ExpireAfter <= 0 {
		return nil
	}
	return whole(j.Delivery.ExpireAfter)
}

// afterOf returns the milliseconds of a fixed delay, 0 for other schedules.
func afterOf(j *job.Job) int64 {
	if j.Schedule.Kind != schedule.KindAfter {
		return 0
	}
	return whole(j.Schedule.After)
}
