package jobs

import (
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/internal/jobs/jobstest"
	"github.com/orthd/orth/job"
)

// Runs of another scheduler are over, say where they are from, and are taken over once.
func TestAddHistory(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	j := create(t, c, jobstest.GoodJob())
	began := time.Now().Add(-time.Hour)
	past := []PastRun{{Number: 7, State: job.Failed, Started: began, Ended: began.Add(time.Minute), Executor: "http://10.0.0.5:9999/", Message: "boom"}}
	for want := 1; want >= 0; want-- {
		if taken, err := c.AddHistory(t.Context(), "", "report", "xxl_job_log", past); err != nil || taken != (PastTaken{Added: want, Known: 1 - want}) {
			t.Fatalf("%+v, want %d added; %v", taken, want, err)
		}
	}
	if len(w.RunsByID) != 1 {
		t.Fatalf("%v", w.RunsByID)
	}
	for _, r := range w.RunsByID {
		if r.JobID != j.ID || r.State != job.Failed || r.CauseID != 7 || r.Message != "boom" || r.EndedAt.Sub(r.StartedAt) != time.Minute || r.AttemptID != 0 ||
			r.Reason != "taken over from another scheduler: xxl_job_log 7, on http://10.0.0.5:9999/" {
			t.Errorf("%+v", r)
		}
	}
	c.config.KeepRuns = 30 * time.Minute
	past[0].Number = 8
	if taken, err := c.AddHistory(t.Context(), "", "report", "xxl_job_log", past); err != nil || taken != (PastTaken{Old: 1}) {
		t.Errorf("older than runs are kept: %+v, %v", taken, err)
	}
	keeping := jobstest.GoodJob()
	keeping.Key, keeping.Delivery.KeepFor = "keeping", 2*time.Hour
	create(t, c, keeping)
	if taken, err := c.AddHistory(t.Context(), "", "keeping", "xxl_job_log", past); err != nil || taken != (PastTaken{Added: 1}) {
		t.Errorf("of a job that keeps them longer: %+v, %v", taken, err)
	}
	long := strings.Repeat("x", job.MaxParam+1)
	for name, change := range map[string]func(*PastRun){
		"it runs": func(p *PastRun) { p.State = job.Running }, "no begin": func(p *PastRun) { p.Started = time.Time{} },
		"it ends before its begin": func(p *PastRun) { p.Ended = began.Add(-time.Second) }, "in the future": func(p *PastRun) { p.Ended = time.Now().Add(time.Hour) },
		"a long parameter": func(p *PastRun) { p.Param = &long },
	} {
		bad := past[0]
		change(&bad)
		if _, err := c.AddHistory(t.Context(), "", "report", "x", []PastRun{bad}); !job.Is(err, job.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := c.AddHistory(t.Context(), "", "report", "x", make([]PastRun, MaxPast+1)); !job.Is(err, job.Invalid) {
		t.Errorf("too many: %v", err)
	}
	if _, err := c.AddHistory(t.Context(), "", "none", "x", past); !job.Is(err, job.NotFound) {
		t.Errorf("no such job: %v", err)
	}
	if len(w.RunsByID) != 2 {
		t.Errorf("%v", w.RunsByID)
	}
}
