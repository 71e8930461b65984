package xxladmin

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// Jobs finds the jobs that the caller of a context may see. A child that the caller may
// not see, or that is gone, has no key.
type Jobs interface {
	// Job returns a job, or NotFound.
	Job(ctx context.Context, id int64) (job.Job, error)
	// FindJobs returns jobs in order of id, the newest first, and how many there are in
	// all. Kinds: Invalid when there are more than are looked through, or the rows are
	// too large for one answer.
	FindJobs(ctx context.Context, q JobQuery) ([]job.Job, int, error)
}

// JobQuery selects jobs.
type JobQuery struct {
	Group   int64 // the id of one; zero means all
	Enabled *bool // nil means both
	// Match reports whether a job is wanted.
	Match         func(*job.Job) bool
	Offset, Limit int
}

// The texts of these calls, as the dialect's own servers have them in English. What is
// wrong stands behind a colon.
const (
	textNoJob   = "Job ID is illegal"
	textNoGroup = "please choose Executor"
	textNoStart = "The current schedule type disables startup"
)

// maxJobRows bounds the jobs of one answer.
const maxJobRows = 1000

// listJobs answers jobinfo/pageList.
func (h *Handler) listJobs(ctx context.Context, c *adminCall) (any, error) {
	q, err := jobQuery(&c.form)
	if err != nil {
		return nil, err
	}
	part, err := c.form.readRows(maxJobRows)
	if err != nil {
		return nil, err
	}
	q.Offset, q.Limit = part.offset, part.shown()
	found, total, err := h.config.Jobs.FindJobs(ctx, q)
	if err != nil {
		return nil, err
	}
	return part.answerPage(jobRows(found, c.speech, c.form.has("name")), total)
}

// jobsOfGroup answers joblog/getJobsByGroup.
func (h *Handler) jobsOfGroup(ctx context.Context, c *adminCall) (any, error) {
	group, err := c.form.number("jobGroup", 0)
	if err != nil {
		return nil, err
	}
	part := rows{limit: maxAsked, most: maxJobRows}
	found, total, err := h.config.Jobs.FindJobs(ctx, JobQuery{Group: max(group, 0), Match: anyJob, Limit: part.shown()})
	if err != nil {
		return nil, err
	}
	if _, err = part.answerPage(nil, total); err != nil {
		return nil, err
	}
	return jobRows(found, c.speech, false), nil
}

// loadJob answers jobinfo/getById.
func (h *Handler) loadJob(ctx context.Context, c *adminCall) (any, error) {
	j, err := h.jobOf(ctx, c)
	if err != nil {
		return nil, err
	}
	return rowOf(&j, c.speech), nil
}

func jobRows(jobs []job.Job, g generation, named bool) []jobRow {
	shown := make([]jobRow, len(jobs))
	for i := range jobs {
		if shown[i] = rowOf(&jobs[i], g); named {
			shown[i].Name = &shown[i].Description
		}
	}
	return shown
}

func anyJob(*job.Job) bool { return true }

// jobQuery reads what a list of jobs is narrowed by: texts may be a part, whatever the
// case of letters.
func jobQuery(f *form) (JobQuery, error) {
	group, err := f.number("jobGroup", 0)
	if err != nil {
		return JobQuery{}, err
	}
	status, err := f.number("triggerStatus", -1)
	if err != nil {
		return JobQuery{}, err
	}
	title, handler, author := f.trimmed("jobDesc"), f.trimmed("executorHandler"), f.trimmed("author")
	if title == "" {
		title = f.trimmed("name")
	}
	q := JobQuery{Group: max(group, 0), Match: func(j *job.Job) bool {
		return contains(titleOf(j), title) && contains(j.Handler.Name, handler) && contains(authorOf(j), author)
	}}
	if status == 0 || status == 1 {
		q.Enabled = new(status == 1)
	}
	return q, nil
}

func contains(text, part string) bool {
	return part == "" || strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

// jobOf returns the job that a change is about.
func (h *Handler) jobOf(ctx context.Context, c *adminCall) (job.Job, error) {
	id, err := c.form.objectID()
	if err != nil {
		return job.Job{}, err
	}
	j, err := h.config.Jobs.Job(ctx, id)
	if job.Is(err, job.NotFound) {
		err = job.Errorf(job.NotFound, "%s: there is no job %d that you may see", textNoJob, id)
	}
	return j, err
}

// removeJob answers jobinfo/remove and jobinfo/delete.
func (h *Handler) removeJob(ctx context.Context, c *adminCall) (any, error) {
	j, err := h.jobOf(ctx, c)
	if err == nil {
		_, err = h.request(ctx, http.MethodDelete, jobPath(&j, ""), nil, nil)
	}
	return nil, err
}

// startJob answers jobinfo/start. A job that never fires by itself is not started.
func (h *Handler) startJob(ctx context.Context, c *adminCall) (any, error) {
	j, err := h.jobOf(ctx, c)
	switch {
	case err != nil:
		return nil, err
	case j.Schedule.Kind == schedule.KindManual:
		return nil, job.Errorf(job.Refused, "%s: give the job a scheduleType of CRON or FIX_RATE first, or trigger it", textNoStart)
	}
	_, err = h.request(ctx, http.MethodPost, jobPath(&j, "/start"), nil, nil)
	return nil, err
}

// stopJob answers jobinfo/stop.
func (h *Handler) stopJob(ctx context.Context, c *adminCall) (any, error) {
	j, err := h.jobOf(ctx, c)
	if err == nil {
		_, err = h.request(ctx, http.MethodPost, jobPath(&j, "/stop"), nil, nil)
	}
	return nil, err
}

// triggerJob answers jobinfo/trigger. The addresses must be those of executors of the job's
// group: the API refuses all others.
func (h *Handler) triggerJob(ctx context.Context, c *adminCall) (any, error) {
	f, err := jobForm(&c.form)
	if err != nil {
		return nil, err
	}
	addresses, err := f.Addresses()
	if err != nil {
		return nil, err
	}
	j, err := h.jobOf(ctx, c)
	if err == nil {
		_, err = h.request(ctx, http.MethodPost, jobPath(&j, "/trigger"), api.Trigger{Param: f.Param(), Addresses: addresses}, nil)
	}
	return nil, err
}

// The next instants that are shown, and how.
const (
	nextTimes  = 5
	wallLayout = "2006-01-02 15:04:05"
)

// nextTriggerTimes answers jobinfo/nextTriggerTime: in the zone of new schedules.
func (h *Handler) nextTriggerTimes(_ context.Context, c *adminCall) (any, error) {
	spec, err := dialect.ParseSchedule(c.form.trimmed("scheduleType"), c.form.trimmed("scheduleConf"), h.config.Zone)
	if err != nil {
		return nil, err
	}
	compiled, err := spec.Compile()
	if err != nil {
		return nil, err
	}
	times := make([]string, 0, nextTimes)
	for at := time.Now(); len(times) < nextTimes; {
		next, fires := compiled.Next(at)
		if !fires {
			break
		}
		times, at = append(times, next.In(h.zone).Format(wallLayout)), next
	}
	return times, nil
}
