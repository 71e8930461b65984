package jobs

import (
	"cmp"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// maxTimeout bounds a job's timeout: the wire carries it as 32-bit seconds.
const maxTimeout = 30 * 24 * time.Hour

// defaults fills what the user left out.
func defaults(j *job.Job, now time.Time) {
	j.Namespace = cmp.Or(j.Namespace, job.DefaultNamespace)
	jobrows.FillSchedule(&j.Schedule, j.Namespace, j.Key, now)
	if j.Misfire == "" {
		j.Misfire = schedule.MisfireSkip
	}
	if j.Route == "" {
		j.Route = job.RouteRound
	}
	if j.Overlap == "" {
		j.Overlap = job.OverlapSerial
	}
	if j.OverlapScope == "" {
		j.OverlapScope = job.ScopeCluster
	}
	if j.OnCrash == "" {
		j.OnCrash = job.CrashReport
	}
	switch {
	case j.Overlap == job.OverlapConcurrent && j.Concurrency == 0:
		j.Concurrency = 1
	case j.Overlap != job.OverlapConcurrent && j.Concurrency == 1:
		j.Concurrency = 0 // it has no meaning here
	}
	retryDefaults(&j.Retry)
	childDefaults(j.Children)
	if j.Handler.Kind.Script() && j.Handler.SourceAt.IsZero() {
		j.Handler.SourceAt = now
	}
}

// CheckNew reports the first thing wrong with a job that is to be created, as
// [Catalog.CreateJob] would: for those who look before they ask. What takes a look at
// other rows (children, templates, calendars) is not looked at. Kinds: Invalid.
func CheckNew(j job.Job) error {
	defaults(&j, time.Now())
	j.Children = nil
	if err := check(&j); err != nil {
		return err
	}
	return cmp.Or(jobrows.CheckSchedule(&j.Schedule, nil), jobrows.CheckMisfireLimits(j.MisfireLimits))
}

// check reports the first thing wrong with a job but for its schedule, naming
// its field.
func check(j *job.Job) error {
	if err := job.CheckKey("namespace", j.Namespace); err != nil {
		return err
	}
	if err := job.CheckKey("key", j.Key); err != nil {
		return err
	}
	if err := job.CheckGroup("group", j.Group); err != nil {
		return err
	}
	switch {
	case utf8.RuneCountInString(j.Title) > job.MaxTitle:
		return job.FieldErrorf("title", "has more than %d characters", job.MaxTitle)
	case utf8.RuneCountInString(j.Description) > job.MaxDescription:
		return job.FieldErrorf("description", "has more than %d characters", job.MaxDescription)
	case j.StopAfter < 0 || j.StopAfter > job.MaxStopAfter:
		return job.FieldErrorf("stop_after", "%d is not between 0 and %d", j.StopAfter, job.MaxStopAfter)
	case j.Timeout < 0 || j.Timeout > maxTimeout:
		return job.FieldErrorf("timeout", "%s is not between 0 and %s", j.Timeout, maxTimeout)
	}
	return cmp.Or(checkShards(j), jobrows.CheckText("title", j.Title), jobrows.CheckText("description", j.Description), jobrows.CheckParam(j.Param), checkCode(j), j.CheckInputs(),
		checkPolicies(j), checkConcurrency(j), job.CheckLabels("labels", j.Labels), checkRetry(j.Retry),
		checkChildren(j.Children), checkDelivery(&j.Delivery), j.Logs.Check("logs"), checkEmails("alarm_emails", j.AlarmEmails))
}

// checkCode reports what is wrong with the code of a job that has some of its own.
func checkCode(j *job.Job) error {
	switch {
	case j.Template != 0 && j.TemplateVersion == 0:
		return nil
	case j.Handler == job.Handler{}:
		return job.FieldErrorf("handler", "is missing: name the code that the job runs, or a template that has it")
	}
	return checkHandler(j.Handler)
}

func checkHandler(h job.Handler) error {
	if err := oneOf("handler.kind", h.Kind, job.HandlerKinds()...); err != nil {
		return err
	}
	if h.Kind.Script() {
		switch {
		case h.Source == "":
			return job.FieldErrorf("handler.source", "is missing: give the script's text")
		case len(h.Source) > job.MaxSource:
			return job.FieldErrorf("handler.source", "has %d bytes, at most %d are allowed", len(h.Source), job.MaxSource)
		}
		return jobrows.CheckText("handler.source", h.Source)
	}
	switch {
	case h.Name == "":
		return job.FieldErrorf("handler.name", "is missing: name a handler that the executor has registered")
	case len(h.Name) > job.MaxHandlerName:
		return job.FieldErrorf("handler.name", "has %d bytes, at most %d are allowed", len(h.Name), job.MaxHandlerName)
	case h.Source != "":
		return job.FieldErrorf("handler.source", "is not for a named handler, whose code the executor has: leave it out, or name the kind of the script")
	}
	return jobrows.CheckText("handler.name", h.Name)
}

func checkConcurrency(j *job.Job) error {
	switch {
	case j.Overlap == job.OverlapConcurrent && (j.Concurrency < 1 || j.Concurrency > job.MaxConcurrency):
		return job.FieldErrorf("concurrency", "%d is not between 1 and %d", j.Concurrency, job.MaxConcurrency)
	case j.Overlap != job.OverlapConcurrent && j.Concurrency != 0:
		return job.FieldErrorf("concurrency", "%d is only for the overlap %s, and this job's is %s: change one of them",
			j.Concurrency, job.OverlapConcurrent, j.Overlap)
	}
	return nil
}

func checkShards(j *job.Job) error {
	switch {
	case j.Shards < 0 || j.Shards > job.MaxShards:
		return job.FieldErrorf("shards", "%d is not between 0 and %d", j.Shards, job.MaxShards)
	case j.Shards > 0 && j.Route != job.RouteBroadcast:
		return job.FieldErrorf("shards", "%d are only for the route %s, and this job's is %s: change one of them",
			j.Shards, job.RouteBroadcast, j.Route)
	}
	return nil
}

func checkPolicies(j *job.Job) error {
	return cmp.Or(
		oneOf("misfire", j.Misfire, schedule.MisfireSkip, schedule.MisfireFireOnce, schedule.MisfireFireAll),
		oneOf("route", j.Route, job.Routes()...),
		oneOf("overlap", j.Overlap, job.OverlapSerial, job.OverlapDiscard, job.OverlapCover, job.OverlapConcurrent),
		checkOverlap(j),
		oneOf("on_crash", j.OnCrash, job.CrashReport, job.CrashRerun),
	)
}

func oneOf[T ~string](field string, value T, allowed ...T) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return job.FieldErrorf(field, "%q is unknown; use one of %v", string(value), allowed)
}
