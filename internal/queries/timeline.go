package queries

import (
	"context"
	"strings"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// Limits of a timeline.
const (
	// MaxTimeline is the longest time that a timeline shows.
	MaxTimeline = 48 * time.Hour
	// MaxTimelineJobs are the most jobs of one page.
	MaxTimelineJobs = 200
	// MaxPerMinute is the most firings that are counted within one minute.
	MaxPerMinute = 6

	maxJobSteps  = 20_000  // firings looked at for one job
	maxPageSteps = 100_000 // for one page: after a job that goes beyond it the page ends
	maxSpaces    = 100     // namespaces looked at for one page
)

// TimelineQuery selects the jobs and the time of firings. Its Sight is required: the zero
// one finds nothing.
type TimelineQuery struct {
	Sight     access.Sight
	Namespace string // defaults to the default one
	// Spaces are the namespaces to look at one after the other, in order of name,
	// instead of Namespace; nil for that one alone.
	Spaces []string
	Group  string    // a group's key; empty for all
	From   time.Time // included, cut to the minute
	Until  time.Time // not included, at most MaxTimeline later
	After  string    // jobs after this one: Next of the page before
	Limit  int       // at most MaxTimelineJobs
}

// Timeline is when jobs fire by their schedules, in order of key.
type Timeline struct {
	From, Until time.Time // From at the beginning of a minute
	Jobs        []JobTimes
	Next        string // where the next page starts; empty after the last one
}

// JobTimes is when one job fires.
type JobTimes struct {
	Job job.Job
	// Minutes are those of the timeline, from 0, in which it fires, and Counts how
	// often in each: MaxPerMinute stands for as many or more.
	Minutes, Counts []int
	// Partly is set when the firings after the last of them are not known: the next one
	// depends on the end of a run, or there are too many.
	Partly bool
	// Problem is why the firings of its schedule are not known; empty when they are.
	Problem string
}

// Timeline returns when the started jobs of a query fire. A page ends before its
// limit when its jobs fire often. Kinds: Invalid with the field at fault.
func (c *Catalog) Timeline(ctx context.Context, q TimelineQuery) (Timeline, error) {
	if err := q.complete(); err != nil {
		return Timeline{}, err
	}
	line, steps := Timeline{From: q.From, Until: q.Until}, 0
	if q.Spaces == nil {
		var err error
		line.Next, err = c.addTimes(ctx, &q, &line, &steps)
		return line, err
	}
	// The next page begins behind a key of a namespace: "team/report".
	space, key, _ := strings.Cut(q.After, "/")
	tried := 0
	for i, name := range q.Spaces {
		if name < space {
			continue
		}
		if q.Namespace, q.After = name, ""; name == space {
			q.After = key
		}
		had := len(line.Jobs)
		next, err := c.addTimes(ctx, &q, &line, &steps)
		if err != nil {
			return line, err
		}
		q.Limit -= len(line.Jobs) - had
		switch tried++; {
		case next != "":
			line.Next = name + "/" + next
			return line, nil
		case i < len(q.Spaces)-1 && (steps > maxPageSteps || tried == maxSpaces):
			line.Next = q.Spaces[i+1] + "/"
			return line, nil
		}
	}
	return line, nil
}

// addTimes adds the jobs of one namespace, and returns the last key when there may
// be more. It adds what it has taken to steps.
func (c *Catalog) addTimes(ctx context.Context, q *TimelineQuery, line *Timeline, steps *int) (next string, err error) {
	jobs, err := c.FindJobs(ctx, JobQuery{
		Sight: q.Sight, Namespace: q.Namespace, Group: q.Group, Enabled: new(true), After: q.After, Limit: q.Limit,
	})
	if err != nil {
		return "", err
	}
	known := jobrows.Calendars{}
	for i := range jobs {
		times := JobTimes{Job: jobs[i]}
		taken, err := c.timesOf(ctx, &times, known, q.From, q.Until)
		if err != nil {
			return "", err
		}
		line.Jobs = append(line.Jobs, times)
		if *steps += taken; *steps > maxPageSteps && i < len(jobs)-1 {
			return jobs[i].Key, nil
		}
	}
	if len(jobs) >= q.Limit {
		return jobs[len(jobs)-1].Key, nil
	}
	return "", nil
}

// complete checks a query, and fills in its defaults.
func (q *TimelineQuery) complete() error {
	if err := jobrows.CheckInstant("from", q.From); err != nil {
		return err
	}
	if err := jobrows.CheckInstant("until", q.Until); err != nil {
		return err
	}
	q.From, q.Until = q.From.UTC().Truncate(time.Minute), q.Until.UTC()
	switch span := q.Until.Sub(q.From); {
	case span <= 0:
		return job.FieldErrorf("until", "%s is not after from, %s", q.Until.Format(time.RFC3339), q.From.Format(time.RFC3339))
	case span > MaxTimeline:
		return job.FieldErrorf("until", "is %s after from, at most %s are allowed: ask for the time in parts", span, MaxTimeline)
	}
	if q.Limit <= 0 || q.Limit > MaxTimelineJobs {
		q.Limit = MaxTimelineJobs
	}
	return nil
}

// timesOf fills in when the job fires, and returns how many firings it computed. Calendars
// that it reads are kept in known. An invalid schedule is no error.
func (c *Catalog) timesOf(ctx context.Context, times *JobTimes, known jobrows.Calendars, from, until time.Time) (int, error) {
	j := &times.Job
	s, err := c.scheduleOf(ctx, j, known)
	if job.Is(err, job.Invalid) {
		times.Problem = err.Error()
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if j.Schedule.Kind == schedule.KindAfter {
		times.Partly = true
		if !j.NextAt.Before(from) && j.NextAt.Before(until) {
			times.Minutes, times.Counts = []int{int(j.NextAt.Sub(from) / time.Minute)}, []int{1}
		}
		return 1, nil
	}
	return times.walk(s, from, until), nil
}

// scheduleOf returns the compiled schedule of a job.
func (c *Catalog) scheduleOf(ctx context.Context, j *job.Job, known jobrows.Calendars) (schedule.Schedule, error) {
	if err := c.AddCalendars(ctx, known, j.Namespace, &j.Schedule); err != nil {
		return nil, err
	}
	s, err := j.Schedule.CompileWith(known.Find)
	return s, jobrows.ScheduleError("schedule.", err)
}

// walk counts the firings of a schedule by minutes, and returns how many it looked
// at.
func (t *JobTimes) walk(s schedule.Schedule, from, until time.Time) int {
	count, left := t.Job.Schedule.Count, t.Job.Schedule.Count-t.Job.Fired
	steps := 0
	for at := from.Add(-1); ; steps++ {
		next, more := s.Next(at)
		if !more || !next.Before(until) {
			return steps
		}
		if steps >= maxJobSteps {
			t.Partly = true
			return steps
		}
		at = next
		if count > 0 && next.After(t.Job.LastAt) { // those before are counted
			if left <= 0 {
				return steps
			}
			left--
		}
		if minute := int(next.Sub(from) / time.Minute); t.add(minute) && count == 0 {
			at = from.Add(time.Duration(minute+1)*time.Minute - 1) // skip the rest of the minute
		}
	}
}

// add counts a firing in a minute, and reports whether no more are counted in it.
func (t *JobTimes) add(minute int) bool {
	last := len(t.Minutes) - 1
	if last < 0 || t.Minutes[last] != minute {
		t.Minutes, t.Counts = append(t.Minutes, minute), append(t.Counts, 0)
		last++
	}
	t.Counts[last] = min(t.Counts[last]+1, MaxPerMinute)
	return t.Counts[last] == MaxPerMinute
}
