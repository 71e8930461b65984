package dispatcher

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/dispatcher/waiting"
	"github.com/orthd/orth/job"
)

// shelf is jobs by id that are read in batches.
type shelf struct {
	jobs  map[int64]job.Job
	asked [][]int64
	fail  func(ids []int64) error
}

func (s *shelf) JobsByID(_ context.Context, ids []int64) (found []job.Job, err error) {
	s.asked = append(s.asked, ids)
	for _, id := range ids {
		if j, ok := s.jobs[id]; ok {
			found = append(found, j)
		}
	}
	return found, s.fail(ids)
}

func (s *shelf) put(j job.Job, code string) {
	if code != "" {
		j.Handler = job.Handler{Kind: job.HandlerNamed, Name: code}
	}
	s.jobs[j.ID] = j
}

// TestTemplatesOfJobs: what follows a template runs its code of the moment at
// which the run's version was made, and everything else is its own.
func TestTemplatesOfJobs(t *testing.T) {
	t.Parallel()
	s := &shelf{jobs: make(map[int64]job.Job), fail: func([]int64) error { return nil }}
	s.put(job.Job{ID: 1, Version: 1, Param: "base"}, "code")
	s.put(job.Job{ID: 2, Version: 1, Template: 1, Param: "own"}, "")
	s.put(job.Job{ID: 3, Version: 1, Template: 1, TemplateVersion: 1}, "pinned")
	s.put(job.Job{ID: 4, Version: 1, Template: 1}, "")
	s.put(job.Job{ID: 5, Version: 1, Template: 99}, "")
	c := waiting.NewJobCache(s)
	load := func(version int64, ids ...int64) (codes []string) {
		t.Helper()
		items := make([]*waiting.HeldRun, len(ids))
		for i, id := range ids {
			items[i] = &waiting.HeldRun{Run: job.Run{JobID: id, JobVersion: version}}
		}
		if err := c.LoadJobs(t.Context(), items); err != nil {
			t.Fatal(err)
		}
		for _, it := range items {
			codes = append(codes, it.Job.Param+":"+it.Job.Handler.Name)
		}
		return codes
	}
	want := func(got []string, codes ...string) {
		t.Helper()
		if diff := cmp.Diff(codes, got); diff != "" {
			t.Errorf("code (-want +got):\n%s", diff)
		}
	}
	want(load(1, 2, 3, 4, 1, 5), "own:code", ":pinned", ":code", "base:code", ":")
	want(load(1, 2), "own:code")
	if diff := cmp.Diff([][]int64{{2, 3, 4, 1, 5}, {1, 99}}, s.asked); diff != "" {
		t.Errorf("reads: %s", diff)
	}

	s.put(job.Job{ID: 1, Version: 2}, "new code")
	s.put(job.Job{ID: 2, Version: 2, Template: 1, Param: "own"}, "") // as the store renews it
	want(load(2, 2), "own:new code")

	broken := errors.New("broken")
	s.fail = func(ids []int64) error {
		if slices.Equal(ids, []int64{1}) {
			return broken
		}
		return nil
	}
	it := &waiting.HeldRun{Run: job.Run{JobID: 2, JobVersion: 3}}
	if err := c.LoadJobs(t.Context(), []*waiting.HeldRun{it}); !errors.Is(err, broken) || it.Job != nil {
		t.Errorf("error %v, job %+v", err, it.Job)
	}
}
