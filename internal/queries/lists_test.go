package queries

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/jobs/jobstest"
	"github.com/orthd/orth/job"
)

// shelf answers lists, and notes what it was asked last.
type shelf struct {
	runs  RunQuery
	jobs  JobQuery
	page  []job.Job            // of the list of jobs
	pages map[string][]job.Job // by their namespaces, instead of page
	since time.Time
}

func (s *shelf) RunPage(_ context.Context, q RunQuery) ([]FoundRun, int64, error) {
	s.runs = q
	return []FoundRun{{Run: job.Run{ID: 5}}}, 5, nil
}

func (s *shelf) JobPage(_ context.Context, q JobQuery) ([]job.Job, error) {
	s.jobs = q
	if s.pages != nil {
		all := slices.DeleteFunc(slices.Clone(s.pages[q.Namespace]), func(j job.Job) bool { return j.Key <= q.After })
		return all[:min(q.Limit, len(all))], nil
	}
	return s.page, nil
}

func newShelf() (*jobstest.World, room, *shelf) {
	w, c := newRoom()
	s := &shelf{}
	c.config.Lists = s
	return w, c, s
}

// A job that somebody may not see is not there, whatever its runs.
func TestFindRuns(t *testing.T) {
	t.Parallel()
	_, c, s := newShelf()
	j := c.create(t, jobstest.GoodJob())
	sees := access.Sight{Places: []access.Place{{Namespace: "default", Group: "g"}}}
	found, next, err := c.FindRuns(t.Context(), RunQuery{Sight: sees, Job: "report", Limit: 9999})
	if err != nil || len(found) != 1 || next != 5 {
		t.Fatalf("got %v, %d, %v", found, next, err)
	}
	if want := (RunQuery{Sight: sees, Job: "report", Namespace: "default", JobID: j.ID, Limit: 1000}); !cmp.Equal(s.runs, want) {
		t.Errorf("asked %+v, want %+v", s.runs, want)
	}
	_, _, hidden := c.FindRuns(t.Context(), RunQuery{Sight: access.Sight{Places: []access.Place{{Namespace: "default", Group: "h"}}}, Job: "report"})
	_, _, nobody := c.FindRuns(t.Context(), RunQuery{Job: "report"})
	_, _, absent := c.FindRuns(t.Context(), RunQuery{Sight: sees, Job: "other"})
	for _, err := range []error{hidden, nobody, absent} {
		if !job.Is(err, job.NotFound) {
			t.Errorf("got %v", err)
		}
	}
	now := time.Now()
	for field, q := range map[string]RunQuery{
		"state": {States: []job.State{"confused"}}, "cause": {Cause: "luck"},
		"created_until": {Created: Span{Since: now, Until: now}}, "ended_until": {Ended: Span{Since: now, Until: now.Add(-1)}},
	} {
		_, _, err := c.FindRuns(t.Context(), q)
		jobstest.WantField(t, err, field)
	}
}

func TestFindJobs(t *testing.T) {
	t.Parallel()
	_, c, s := newShelf()
	if _, err := c.FindJobs(t.Context(), JobQuery{Text: "x"}); err != nil {
		t.Fatal(err)
	}
	if want := (JobQuery{Namespace: "default", Text: "x", Limit: 100}); !cmp.Equal(s.jobs, want) {
		t.Errorf("asked %+v, want %+v", s.jobs, want)
	}
	for field, q := range map[string]JobQuery{
		"last": {Last: job.Running}, "text": {Text: strings.Repeat("x", maxListText+1)},
		"label": {Labels: []string{strings.Repeat("x", 2*maxListText+1)}}, "handler": {Handler: strings.Repeat("x", 2*maxListText+1)},
		"calendar": {Calendar: strings.Repeat("x", maxListText+1)}, "template": {Template: strings.Repeat("x", maxListText+1)},
	} {
		_, err := c.FindJobs(t.Context(), q)
		jobstest.WantField(t, err, field)
	}
}
