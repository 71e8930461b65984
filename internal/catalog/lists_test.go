package catalog

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/job"
)

// shelf answers lists, and keeps groups, and notes what it was asked last.
type shelf struct {
	runs   RunQuery
	jobs   JobQuery
	page   []job.Job            // of the list of jobs
	pages  map[string][]job.Job // by their namespaces, instead of page
	groups GroupQuery
	made   job.Group
	found  []GroupFigures
	since  time.Time
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

func (s *shelf) GroupPage(_ context.Context, q GroupQuery) ([]GroupFigures, error) {
	s.groups = q
	return s.found, nil
}

func (s *shelf) Working(context.Context) (map[int64]int, error) {
	return map[int64]int{1: 7, 2: 8}, nil
}

func (s *shelf) CreateGroup(_ context.Context, g job.Group) (job.Group, error) {
	s.made = g
	return g, nil
}

func (s *shelf) DeleteGroup(_ context.Context, namespace, key string, _ time.Time) error {
	s.made = job.Group{Namespace: namespace, Key: key}
	return nil
}

func newShelf() (*world, *Catalog, *shelf) {
	w, c := newWorld()
	s := &shelf{}
	c.config.Lists, c.config.Groups = s, s
	return w, c, s
}

// A job that somebody may not see is not there, whatever its runs.
func TestFindRuns(t *testing.T) {
	t.Parallel()
	_, c, s := newShelf()
	j := create(t, c, good())
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
		wantField(t, err, field)
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
		wantField(t, err, field)
	}
}

func TestFindGroups(t *testing.T) {
	t.Parallel()
	w, c, s := newShelf()
	soon := time.Now().Add(time.Hour)
	w.executors = []job.Executor{
		{GroupID: 1, Address: "http://1", LeaseUntil: soon, Draining: true},
		{GroupID: 1, Address: "http://2", Manual: true},
		{GroupID: 3, Address: "http://3", LeaseUntil: soon},
	}
	s.found = []GroupFigures{{Group: job.Group{ID: 1, Key: "g"}, Jobs: 2, Waiting: 3}, {Group: job.Group{ID: 4, Key: "h"}}}
	want := []GroupFigures{
		{Group: job.Group{ID: 1, Key: "g"}, Jobs: 2, Waiting: 3, Working: 7, Executors: 2, Alive: 1, Draining: 1}, {Group: job.Group{ID: 4, Key: "h"}},
	}
	got, err := c.FindGroups(t.Context(), GroupQuery{Limit: 5})
	if diff := cmp.Diff(want, got); diff != "" || err != nil || s.groups.Namespace != "" {
		t.Errorf("got %v, asked %+v: %s", err, s.groups, diff)
	}
	if g, err := c.Group(t.Context(), "", "g"); err != nil || g.Jobs != 2 || s.groups.Key != "g" || !s.groups.Sight.All {
		t.Errorf("got %+v, %v", g, err)
	}
	s.found = nil
	if _, err := c.Group(t.Context(), "", "g"); !job.Is(err, job.NotFound) {
		t.Errorf("got %v", err)
	}
}

func TestKeepGroups(t *testing.T) {
	t.Parallel()
	_, c, s := newShelf()
	long := strings.Repeat("ü", job.MaxTitle+1)
	for field, g := range map[string]job.Group{
		"key": {Key: "a b"}, "title": {Key: "a", Title: long}, "labels": {Key: "a", Labels: map[string]string{"a b": ""}}, "namespace": {Namespace: "a team", Key: "a"},
	} {
		_, err := c.CreateGroup(t.Context(), g)
		wantField(t, err, field)
	}
	if _, err := c.CreateGroup(t.Context(), job.Group{Key: "My.Group", Title: "x"}); err != nil || s.made.Namespace != "default" || s.made.CreatedAt.IsZero() {
		t.Errorf("made %+v, %v", s.made, err)
	}
	if err := c.DeleteGroup(t.Context(), "", "a"); err != nil || !reflect.DeepEqual(s.made, job.Group{Key: "a"}) {
		t.Errorf("deleted %+v, %v", s.made, err)
	}
}
