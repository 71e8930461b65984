package queries

import (
	"cmp"
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// maxListText is the most characters of a text that a list is searched for.
const maxListText = 100

// Lists finds jobs and runs for people.
type Lists interface {
	// RunPage returns runs of the query, the newest first, and where the next page
	// starts: 0 after the last one. A page may have fewer runs than its limit, or
	// none, and be followed by others all the same.
	RunPage(ctx context.Context, q RunQuery) (page []FoundRun, next int64, err error)
	// JobPage returns jobs of the query in order of namespace and key, at most its limit.
	JobPage(ctx context.Context, q JobQuery) ([]job.Job, error)
	Ranks
	Tables
}

// Span is a time: Since is included, Until is not; zero bounds nothing.
type Span struct{ Since, Until time.Time }

// IsZero reports whether the span bounds nothing.
func (s Span) IsZero() bool { return s.Since.IsZero() && s.Until.IsZero() }

// RunQuery selects runs. Its Sight is required: the zero one finds nothing.
type RunQuery struct {
	Sight access.Sight
	// Namespace may be empty for all. With Job it defaults to the default one.
	Namespace string
	Job       string      // a job's key
	Group     string      // the key of the group that the run is for
	States    []job.State // none means all
	Cause     job.Cause
	CauseID   int64 // what caused the run: another run, or a backfill; zero means all
	Created   Span
	Planned   Span
	Ended     Span
	// Executor is the base URL of the one that has the current attempt, or had the last.
	Executor string
	Label    string // of the job: the key of a label, or key=value
	By       string // the user who asked for the run
	Text     string // part of the message or the reason, whatever the case of ASCII letters
	// Late selects runs of schedules that started, or still wait, more than so long
	// after they were planned; zero selects all.
	Late time.Duration
	// MinTook and MaxTook bound the duration: from the first start to the end, or to
	// Now. MaxTook is not included; zero bounds nothing.
	MinTook, MaxTook   time.Duration
	MinTries, MaxTries int   // attempts; MaxTries is included, and zero bounds nothing
	Shards             bool  // shards too, which are left out else
	BeforeID           int64 // ids below this one, for the next page; zero means all
	Limit              int   // at most 1,000
	// JobID is set by FindRuns from Namespace and Job; zero means all. Now is set when
	// Late, MinTook or MaxTook are.
	JobID int64
	Now   time.Time
	// Order and Mark are for RankRuns, and BeforeID is not: how they are sorted, and
	// where the page before has ended, nil for the first.
	Order jobrows.Order
	Mark  *RunMark
}

// FoundRun is a run with the place where it is.
type FoundRun struct {
	Run              job.Run
	Namespace, Group string
	Executor         string // that of the current or last attempt; empty when there is none
}

// JobQuery selects jobs. Its Sight is required: the zero one finds nothing.
type JobQuery struct {
	Sight     access.Sight
	Namespace string // defaults to the default one
	// Everywhere selects jobs of all namespaces, in order of name: Namespace is then the
	// one that After is of.
	Everywhere bool
	Group      string // a group's key
	// Enabled, when it is not nil, selects those that are started, or are not.
	Enabled *bool
	Kind    schedule.Kind // of the schedule
	Handler string        // the name of the handler, or the kind of a script
	// Labels are keys of labels, or key=value, at most 8: jobs have all of them, or one
	// when AnyLabel is set.
	Labels   []string
	AnyLabel bool
	Owner    string // the value of the label owner
	Calendar string // the key of a calendar of the namespace that the schedule names
	Template string // the key of the job whose code they run
	Status   JobStatus
	Text     string    // part of the key or of the title, whatever the case of ASCII letters
	Last     job.State // how the last run that is over has ended
	After    string    // keys after this one, for the next page
	Limit    int       // at most 1,000
	// Order and Mark are for RankJobs, and After is not: how they are sorted, and where
	// the page before has ended, nil for the first.
	Order jobrows.Order
	Mark  *JobMark
}

// FindRuns returns runs of the query, the newest first, and the id that the next page
// is asked before; 0 after the last page. A page looks at a bounded number of runs, so
// it may have fewer than its limit, or none, and be followed by others. Kinds: Invalid
// with the field at fault, NotFound when the job does not exist.
func (c *Catalog) FindRuns(ctx context.Context, q RunQuery) ([]FoundRun, int64, error) {
	if err := c.completeRuns(ctx, &q); err != nil {
		return nil, 0, err
	}
	found, next, err := c.config.Lists.RunPage(ctx, q)
	if err != nil {
		return nil, 0, fmt.Errorf("list runs: %w", err)
	}
	return found, next, nil
}

// completeRuns checks a query, and fills in what is found out about it.
func (c *Catalog) completeRuns(ctx context.Context, q *RunQuery) error {
	if err := q.check(); err != nil {
		return err
	}
	if q.Job != "" {
		j, err := c.Seen(ctx, &q.Sight, q.Namespace, q.Job)
		if err != nil {
			return err
		}
		q.JobID, q.Namespace = j.ID, j.Namespace
	}
	if q.Late > 0 || q.MinTook > 0 || q.MaxTook > 0 {
		q.Now = time.Now()
	}
	q.Limit = jobrows.Page(q.Limit)
	return nil
}

func (q *RunQuery) check() error {
	for _, s := range q.States {
		if !s.Known() {
			return job.FieldErrorf("state", "%q is unknown; use some of %v", s, job.States())
		}
	}
	if q.Cause != "" && !q.Cause.Known() {
		return job.FieldErrorf("cause", "%q is unknown", q.Cause)
	}
	for _, span := range []struct {
		name string
		Span
	}{{"created", q.Created}, {"planned", q.Planned}, {"ended", q.Ended}} {
		if !span.Until.IsZero() && !span.Since.Before(span.Until) {
			return job.FieldErrorf(span.name+"_until", "%s is not after %s_since", span.Until.Format(time.RFC3339), span.name)
		}
	}
	switch {
	case q.MaxTook > 0 && q.MaxTook <= q.MinTook:
		return job.FieldErrorf("max_duration", "%s is not more than min_duration, %s", q.MaxTook, q.MinTook)
	case q.MaxTries > 0 && q.MaxTries < q.MinTries:
		return job.FieldErrorf("max_tries", "%d is less than min_tries, %d", q.MaxTries, q.MinTries)
	}
	return checkTexts(field{"text", q.Text, maxListText}, field{"label", q.Label, 2 * maxListText}, field{"by", q.By, 2 * maxListText},
		field{"executor", q.Executor, 5 * maxListText})
}

// field is a text that something is looked for by, and the most characters of it.
type field struct {
	name, text string
	most       int
}

func checkTexts(all ...field) error {
	for _, f := range all {
		if n := utf8.RuneCountInString(f.text); n > f.most {
			return job.FieldErrorf(f.name, "has %d characters, at most %d are allowed", n, f.most)
		}
	}
	return nil
}

// FindJobs returns jobs of the query in order of namespace and key, at most 1,000. Kinds: Invalid
// with the field at fault.
func (c *Catalog) FindJobs(ctx context.Context, q JobQuery) ([]job.Job, error) {
	if err := q.complete(); err != nil {
		return nil, err
	}
	found, err := c.config.Lists.JobPage(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("list jobs: %w", err)
	}
	return found, nil
}

// complete checks a query, and fills in its defaults.
func (q *JobQuery) complete() error {
	switch {
	case q.Last != "" && !q.Last.Final():
		return job.FieldErrorf("last", "%q is not how a run ends", q.Last)
	case !q.Status.known():
		return job.FieldErrorf("status", "%q is unknown; use one of %v", q.Status, JobStatuses())
	case len(q.Labels) > MaxLabels:
		return job.FieldErrorf("label", "is given %d times, at most %d are allowed", len(q.Labels), MaxLabels)
	}
	texts := []field{{"text", q.Text, maxListText}, {"handler", q.Handler, 2 * maxListText}, {"owner", q.Owner, maxListText}, {"calendar", q.Calendar, maxListText}, {"template", q.Template, maxListText}}
	for _, label := range q.Labels {
		texts = append(texts, field{"label", label, 2 * maxListText})
	}
	if q.Limit = jobrows.Page(q.Limit); !q.Everywhere {
		q.Namespace = cmp.Or(q.Namespace, job.DefaultNamespace)
	}
	return checkTexts(texts...)
}
