package jobs

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/jobs/jobstest"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

func TestCheckCycle(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		lines []string
		path  string // empty: taken
	}{
		{"no children", []string{"a>"}, ""},
		{"a line", []string{"a>b", "b>c", "c>d"}, ""},
		{"a diamond", []string{"a>b c", "b>d", "c>d", "d>e"}, ""},
		{"itself", []string{"a>a"}, "a -> a"},
		{"each other", []string{"a>b", "b>a"}, "a -> b -> a"},
		{"a long way", []string{"a>b x", "b>c y", "c>d", "d>z a"}, "a -> b -> c -> d -> a"},
		{"a circle of others", []string{"a>b", "b>c", "c>b"}, ""},
	} {
		w, c := newWorld()
		w.Link(test.lines...)
		j := w.JobsByKey["a"]
		err := c.checkCycle(t.Context(), &j)
		if test.path == "" {
			if err != nil {
				t.Errorf("%s: %v", test.name, err)
			}
			continue
		}
		if !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), test.path+";") || !strings.HasPrefix(err.Error(), "children: ") {
			t.Errorf("%s: %v, want %s", test.name, err, test.path)
		}
	}
}

func TestCheckCycleIsBounded(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	var lines []string
	for i := range maxFamily + 5 {
		lines = append(lines, fmt.Sprintf("j%d>j%d", i, i+1))
	}
	w.Link(lines...)
	j := w.JobsByKey["j0"]
	if err := c.checkCycle(t.Context(), &j); !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), "more than 1000 jobs") {
		t.Errorf("got %v", err)
	}
	j = w.JobsByKey["j100"]
	if err := c.checkCycle(t.Context(), &j); err != nil {
		t.Errorf("%d jobs: %v", maxFamily-95, err)
	}
	w.Fail = job.Errorf(job.Unavailable, "away")
	if err := c.checkCycle(t.Context(), &j); !job.Is(err, job.Unavailable) {
		t.Errorf("without a store: %v", err)
	}
}

func TestChildrenDefaultsAndKeys(t *testing.T) {
	t.Parallel()
	_, c := newWorld()
	mail := jobstest.GoodJob()
	mail.Key = "mail"
	id := create(t, c, mail).ID
	parent := jobstest.GoodJob()
	parent.Children = []job.Child{{JobID: id}, {JobID: 777, On: job.ChildOnAlways}}
	create(t, c, parent)
	got, err := c.Job(t.Context(), "", parent.Key)
	if err != nil {
		t.Fatal(err)
	}
	want := []job.Child{{JobID: id, Key: "mail", On: job.ChildOnSuccess}, {JobID: 777, On: job.ChildOnAlways}}
	if diff := cmp.Diff(want, got.Children); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTwoLinksToOneChildAreNamed(t *testing.T) {
	t.Parallel()
	err := checkChildren([]job.Child{
		{JobID: 4, Key: "mail", On: job.ChildOnSuccess}, {JobID: 4, Key: "mail", On: job.ChildOnFailure},
	})
	if err == nil || !strings.Contains(err.Error(), `job mail is named twice`) || !strings.Contains(err.Error(), "always") {
		t.Errorf("got %v", err)
	}
}

// A list of delays says how many tries there are, unless the user does.
func TestRetryDefaults(t *testing.T) {
	t.Parallel()
	delays := []time.Duration{time.Second, time.Minute}
	for _, test := range []struct{ said, want retry.Policy }{
		{retry.Policy{}, retry.Policy{}},
		{retry.Policy{Delays: delays}, retry.Policy{Tries: 2, Delays: delays}},
		{retry.Policy{Tries: 9, Delays: delays}, retry.Policy{Tries: 9, Delays: delays}},
		{retry.Policy{Tries: 1, On: []string{"lost"}}, retry.Policy{Tries: 1, On: []string{"lost"}}},
	} {
		_, c := newWorld()
		j := jobstest.GoodJob()
		j.Retry = test.said
		if diff := cmp.Diff(test.want, create(t, c, j).Retry); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", test.said, diff)
		}
	}
}
