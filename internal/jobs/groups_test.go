package jobs

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/jobs/jobstest"
	"github.com/orthd/orth/job"
)

// cabinet keeps groups, and notes what it was asked last.
type cabinet struct {
	groups GroupQuery
	made   job.Group
	found  []GroupFigures
}

func (s *cabinet) GroupPage(_ context.Context, q GroupQuery) ([]GroupFigures, error) {
	s.groups = q
	return s.found, nil
}

func (s *cabinet) Working(context.Context) (map[int64]int, error) {
	return map[int64]int{1: 7, 2: 8}, nil
}

func (s *cabinet) CreateGroup(_ context.Context, g job.Group) (job.Group, error) {
	s.made = g
	return g, nil
}

func (s *cabinet) DeleteGroup(_ context.Context, namespace, key string, _ time.Time) error {
	s.made = job.Group{Namespace: namespace, Key: key}
	return nil
}

func newCabinet() (*jobstest.World, *Catalog, *cabinet) {
	w, c := newWorld()
	s := &cabinet{}
	c.config.Groups = s
	return w, c, s
}

func TestFindGroups(t *testing.T) {
	t.Parallel()
	w, c, s := newCabinet()
	soon := time.Now().Add(time.Hour)
	w.Alive = []job.Executor{
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
	_, c, s := newCabinet()
	long := strings.Repeat("ü", job.MaxTitle+1)
	for field, g := range map[string]job.Group{
		"key": {Key: "a b"}, "title": {Key: "a", Title: long}, "labels": {Key: "a", Labels: map[string]string{"a b": ""}}, "namespace": {Namespace: "a team", Key: "a"},
	} {
		_, err := c.CreateGroup(t.Context(), g)
		jobstest.WantField(t, err, field)
	}
	if _, err := c.CreateGroup(t.Context(), job.Group{Key: "My.Group", Title: "x"}); err != nil || s.made.Namespace != "default" || s.made.CreatedAt.IsZero() {
		t.Errorf("made %+v, %v", s.made, err)
	}
	if err := c.DeleteGroup(t.Context(), "", "a"); err != nil || !reflect.DeepEqual(s.made, job.Group{Key: "a"}) {
		t.Errorf("deleted %+v, %v", s.made, err)
	}
}
