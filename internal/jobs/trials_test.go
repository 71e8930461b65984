package jobs

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/jobs/jobstest"
	"github.com/orthd/orth/job"
)

// trialShelf keeps trials by run.
type trialShelf struct {
	*jobstest.World
	trials map[int64]job.Trial
	fail   error
}

func (s *trialShelf) AddTrial(ctx context.Context, r job.Run, t job.Trial) error {
	if s.fail != nil {
		return s.fail
	}
	s.trials[r.ID] = t
	return s.AddRun(ctx, r)
}

func (s *trialShelf) Trials(_ context.Context, runs []int64) (found []job.Trial, err error) {
	for _, run := range runs {
		if t, ok := s.trials[run]; ok {
			found = append(found, t)
		}
	}
	return found, s.fail
}

func newTrials() (*trialShelf, *Catalog) {
	w, c := newWorld()
	s := &trialShelf{World: w, trials: map[int64]job.Trial{}}
	c.config.Trials = s
	return s, c
}

func TestTryJob(t *testing.T) {
	t.Parallel()
	s, c := newTrials()
	j := jobstest.GoodJob()
	j.Handler = job.Handler{Kind: job.HandlerShell, Source: "echo saved"}
	saved := create(t, c, j)
	param, code := "p", "echo tried"
	r, err := c.TryJob(t.Context(), "", "report", Attempted{
		By: job.Author{Kind: "user", Name: "ann"}, Owner: "user:7", Code: &code, Param: &param, JobVersion: 1, Timeout: time.Hour / 10, Address: "http://1",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := job.Run{
		ID: r.ID, JobID: saved.ID, JobKey: "report", JobVersion: 1, GroupID: 1, Cause: job.CauseTrial, CauseID: r.ID, State: job.Planned,
		ReadyAt: r.CreatedAt, DueAt: r.CreatedAt, CreatedAt: r.CreatedAt, Param: &param, Addresses: []string{"http://1"},
	}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("run (-want +got):\n%s", diff)
	}
	trial, err := c.Trial(t.Context(), r.ID)
	if err != nil || trial.Handler.Kind != job.HandlerShell || trial.Handler.Source != code || trial.Handler.SourceAt.IsZero() {
		t.Fatalf("trial %+v, %v", trial, err)
	}
	trial.Handler = nil
	if diff := cmp.Diff(job.Trial{RunID: r.ID, JobID: saved.ID, By: job.Author{Kind: "user", Name: "ann"}, Owner: "user:7", Timeout: time.Hour / 10}, trial); diff != "" {
		t.Errorf("trial (-want +got):\n%s", diff)
	}
	if len(s.Ready) == 0 || !s.Ready[len(s.Ready)-1].Equal(r.CreatedAt) {
		t.Errorf("announced for %v", s.Ready)
	}
	if _, err := c.Trial(t.Context(), r.ID+1); !job.Is(err, job.NotFound) {
		t.Errorf("another run is a trial: %v", err)
	}
}

func TestTryJobDefaults(t *testing.T) {
	t.Parallel()
	s, c := newTrials()
	create(t, c, jobstest.GoodJob())
	s.Alive = nil
	r, err := c.TryJob(t.Context(), "", "report", Attempted{})
	if err != nil || r.Reason != "no executor of group g is alive" {
		t.Fatalf("run %+v, %v", r, err)
	}
	if got := s.trials[r.ID]; got.Handler != nil || got.Timeout != job.DefaultTrialTimeout {
		t.Errorf("trial %+v", got)
	}
}

// Code without a kind is of the kind that the job runs, also through its template.
func TestTryCodeOfTemplate(t *testing.T) {
	t.Parallel()
	w, c, _ := family(t)
	s := &trialShelf{World: w, trials: map[int64]job.Trial{}}
	c.config.Trials = s
	code := "echo tried"
	r, err := c.TryJob(t.Context(), "", "report", Attempted{Code: &code})
	if err != nil || s.trials[r.ID].Handler.Kind != job.HandlerShell {
		t.Errorf("trial %+v, %v", s.trials[r.ID], err)
	}
}

func TestTryJobRefuses(t *testing.T) {
	t.Parallel()
	_, c := newTrials()
	create(t, c, jobstest.GoodJob())
	code, empty, long, param := "x", "", strings.Repeat("x", job.MaxSource+1), strings.Repeat("x", job.MaxParam+1)
	for name, a := range map[string]struct {
		wanted Attempted
		field  string
	}{
		"too long":                    {Attempted{Timeout: job.MaxTrialTimeout + 1}, "timeout"},
		"too short":                   {Attempted{Timeout: time.Millisecond}, "timeout"},
		"code of a kind unknown":      {Attempted{Code: &code}, "kind"},
		"code of a name":              {Attempted{Code: &code, Kind: job.HandlerNamed}, "kind"},
		"code of a kind there is not": {Attempted{Code: &code, Kind: "perl"}, "code"},
		"no code in it":               {Attempted{Code: &empty, Kind: job.HandlerShell}, "code"},
		"much code":                   {Attempted{Code: &long, Kind: job.HandlerShell}, "code"},
		"a kind without code":         {Attempted{Kind: job.HandlerShell}, "kind"},
		"much of a parameter":         {Attempted{Param: &param}, "param"},
		"an executor of nobody":       {Attempted{Address: "http://9"}, "address"},
	} {
		_, err := c.TryJob(t.Context(), "", "report", a.wanted)
		if wrong, is := err.(*job.Error); !is || wrong.Kind != job.Invalid || wrong.Field != a.field { //nolint:errorlint // It is not wrapped.
			t.Errorf("%s: %v, want a fault in %s", name, err, a.field)
		}
	}
	if _, err := c.TryJob(t.Context(), "", "nobody", Attempted{}); !job.Is(err, job.NotFound) {
		t.Errorf("a job that is not there: %v", err)
	}
}

func TestTryJobFails(t *testing.T) {
	t.Parallel()
	s, c := newTrials()
	create(t, c, jobstest.GoodJob())
	for _, kind := range []job.Kind{job.Conflict, job.Full} {
		s.fail = job.Errorf(kind, "no")
		if _, err := c.TryJob(t.Context(), "", "report", Attempted{}); !job.Is(err, kind) {
			t.Errorf("want %s, got %v", kind, err)
		}
	}
	if slices.ContainsFunc(s.Ready, func(time.Time) bool { return true }) {
		t.Error("a trial was announced that there is not")
	}
}
