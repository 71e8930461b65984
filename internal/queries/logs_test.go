package queries

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/jobs/jobstest"
	"github.com/orthd/orth/job"
)

func TestLog(t *testing.T) {
	t.Parallel()
	page := job.LogPage{From: 5, To: 6, Text: "five\nsix\n", Kept: "open"}
	for name, c := range map[string]struct {
		state job.State
		q     LogQuery
		want  job.LogPage
		asked string
	}{
		"the last attempt": {job.Running, LogQuery{From: 5, Limit: 7}, page, "page of 12 in 3 from 5 limit 7"},
		"the first line":   {job.Running, LogQuery{From: -5}, page, "page of 12 in 3 from 1 limit 0"},
		"an earlier one":   {job.Running, LogQuery{Attempt: 1, From: 5}, page, "page of 11 in 3 from 5 limit 0"},
		"the end":          {job.Failed, LogQuery{Tail: 9}, page, "tail 9 of 12;page of 12 in 3 from 40 limit 0"},
		"a time":           {job.Failed, LogQuery{At: time.Unix(61, 0).UTC()}, page, "00:01:01 in 12;page of 12 in 3 from 50 limit 0"},
		"never sent":       {job.Queued, LogQuery{From: 5}, job.LogPage{From: 5, To: 4}, ""},
		"never to be sent": {job.Cancelled, LogQuery{From: 5}, page, "page of 12 in 3 from 5 limit 0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, catalog := newRoom()
			w.Logs.Answer = page
			got, err := catalog.Log(t.Context(), w.OpenIn(3, c.state), c.q)
			if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			if asked := strings.Join(w.Logs.Asked, ";"); asked != c.asked {
				t.Errorf("asked %q, want %q", asked, c.asked)
			}
		})
	}
}

func TestLogErrors(t *testing.T) {
	t.Parallel()
	w, c := newRoom()
	id := w.Open(job.Running)
	missing := map[string]error{
		"a run":                     jobstest.ErrorOf(c.Log(t.Context(), 9999, LogQuery{})),
		"an attempt":                jobstest.ErrorOf(c.Log(t.Context(), id, LogQuery{Attempt: 7})),
		"a run to be searched":      jobstest.ErrorOf(c.SearchLog(t.Context(), 9999, 0, job.LogSearch{})),
		"an attempt to be searched": jobstest.ErrorOf(c.SearchLog(t.Context(), id, 7, job.LogSearch{})),
		"a job to be searched":      jobstest.ErrorOf(c.SearchJobLogs(t.Context(), "", "nope", job.JobLogSearch{})),
		"a run to be followed":      c.FollowLog(t.Context(), 9999, LogFollow{}, &audience{}),
		"an attempt to be followed": c.FollowLog(t.Context(), id, LogFollow{Attempt: 7, Only: true}, &audience{}),
	}
	for name, err := range missing {
		if !job.Is(err, job.NotFound) {
			t.Errorf("%s that is not there: %v", name, err)
		}
	}
	w.Logs.Err = job.Errorf(job.Unreachable, "connection refused")
	for name, err := range map[string]error{
		"reading": jobstest.ErrorOf(c.Log(t.Context(), id, LogQuery{})), "following": c.FollowLog(t.Context(), id, LogFollow{}, &audience{}),
	} {
		if !job.Is(err, job.Unreachable) || !strings.Contains(err.Error(), "http://1") {
			t.Errorf("%s from an executor that is away: %v", name, err)
		}
	}
	w.Fail = job.Errorf(job.Unavailable, "the database is away")
	if _, err := c.Log(t.Context(), id, LogQuery{}); !job.Is(err, job.Unavailable) {
		t.Errorf("while the store is away: %v", err)
	}
	w.Fail = nil
	none := New(Config{RunReader: w})
	if _, err := none.Log(t.Context(), id, LogQuery{}); !job.Is(err, job.Unavailable) {
		t.Errorf("a catalog without logs: %v", err)
	}
}

func TestSearchLog(t *testing.T) {
	t.Parallel()
	w, c := newRoom()
	found, err := c.SearchLog(t.Context(), w.Open(job.Running), 0, job.LogSearch{Text: "x"})
	if err != nil || found.Next != 7 || strings.Join(w.Logs.Asked, ";") != "search 12 for x" {
		t.Errorf("%+v, %v, asked %v", found, err, w.Logs.Asked)
	}
	found, err = c.SearchLog(t.Context(), w.Open(job.Queued), 0, job.LogSearch{Text: "x"})
	if err != nil || !found.Complete || len(w.Logs.Asked) != 1 {
		t.Errorf("a run that was not tried: %+v, %v, asked %v", found, err, w.Logs.Asked)
	}
}

// TestSearchJobLogs: of what the logs of a job offer, those of runs in the state are
// looked at that are still there.
func TestSearchJobLogs(t *testing.T) {
	t.Parallel()
	w, c := newRoom()
	c.create(t, jobstest.GoodJob())
	failed, running := w.Open(job.Failed), w.Open(job.Running)
	w.Logs.Wants = []int64{running*10 + 2, failed*10 + 2, failed*10 + 1, failed*10 + 5, 99990}
	for state, want := range map[job.State]string{
		"":         "[{32 2} {22 2} {21 1}]",
		job.Failed: "[{22 2} {21 1}]",
	} {
		found, err := c.SearchJobLogs(t.Context(), "default", "report", job.JobLogSearch{State: state, LogSearch: job.LogSearch{Text: "x"}})
		var got []string
		for _, hit := range found.Hits {
			got = append(got, fmt.Sprintf("{%d %d}", hit.Attempt, hit.Number))
		}
		if text := fmt.Sprint(got); err != nil || text != want {
			t.Errorf("in state %q: %s, %v; want %s", state, text, err, want)
		}
	}
	if asked := w.Logs.Asked[0]; asked != "search job 1 for x" {
		t.Errorf("asked %s", asked)
	}
	_, err := c.SearchJobLogs(t.Context(), "default", "report", job.JobLogSearch{State: "odd"})
	jobstest.WantField(t, err, "state")
	_, err = c.SearchJobLogs(t.Context(), "default", "report", job.JobLogSearch{Since: time.Unix(5, 0), Until: time.Unix(5, 0)})
	jobstest.WantField(t, err, "until")
}

// audience is a viewer that notes what it is shown.
type audience struct {
	shown []string
	err   error
}

func (a *audience) note(format string, args ...any) error {
	a.shown = append(a.shown, fmt.Sprintf(format, args...))
	return a.err
}

func (a *audience) Begin(at job.Attempt) error { return a.note("attempt %d", at.Number) }
func (a *audience) Lines(p job.LogPage) error {
	return a.note("%d: %s", p.From, strings.TrimSpace(p.Text))
}
func (a *audience) End(r job.Run) error { return a.note("end %s", r.State) }

func TestFollowLog(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		state job.State
		f     LogFollow
		shown string
		asked string
	}{
		"the last attempt": {job.Failed, LogFollow{}, "attempt 2;1: a line;end failed", "follow 12 in 3 from 1"},
		"from a line":      {job.Failed, LogFollow{Attempt: 2, From: 9}, "attempt 2;9: a line;end failed", "follow 12 in 3 from 9"},
		"both": {
			job.Failed, LogFollow{Attempt: 1, From: 9}, "attempt 1;9: a line;attempt 2;1: a line;end failed", "follow 11 in 3 from 9;follow 12 in 3 from 1",
		},
		"only the first": {job.Failed, LogFollow{Attempt: 1, Only: true}, "attempt 1;1: a line;end failed", "follow 11 in 3 from 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, catalog := newRoom()
				seen := &audience{}
				if err := catalog.FollowLog(t.Context(), w.OpenIn(3, c.state), c.f, seen); err != nil {
					t.Fatal(err)
				}
				if shown := strings.Join(seen.shown, ";"); shown != c.shown {
					t.Errorf("shown %q, want %q", shown, c.shown)
				}
				if asked := strings.Join(w.Logs.Asked, ";"); asked != c.asked {
					t.Errorf("asked %q, want %q", asked, c.asked)
				}
			})
		})
	}
}

// TestFollowLogWaits: a run is followed before it is tried, through a retry, and until
// it is over.
func TestFollowLogWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, c := newRoom()
		id := w.Open(job.Queued)
		try := func(number int, state job.State) {
			r := w.RunsByID[id]
			r.Tries, r.AttemptID, r.State = number, id*10+int64(number), state
			w.RunsByID[id] = r
			w.AttemptsByRun[id] = append(w.AttemptsByRun[id], job.Attempt{ID: r.AttemptID, RunID: id, Number: number, State: state, Address: "http://1"})
		}
		looks := 0
		w.News = func() {
			if looks++; looks == 4 {
				try(1, job.Running)
			}
		}
		w.Logs.Until = func(a job.Attempt) {
			w.AttemptsByRun[id][a.Number-1].State = job.Failed
			if a.Number == 1 {
				w.News = func() { w.News = func() { w.News = func() {}; try(2, job.Running) } }
				return
			}
			r := w.RunsByID[id]
			r.State = job.Failed
			w.RunsByID[id] = r
		}
		seen := &audience{}
		began := time.Now()
		if err := c.FollowLog(t.Context(), id, LogFollow{}, seen); err != nil {
			t.Fatal(err)
		}
		if shown := strings.Join(seen.shown, ";"); shown != "attempt 1;1: a line;attempt 2;1: a line;end failed" {
			t.Errorf("shown %q", shown)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("it took %s", took)
		}
	})
}

func TestFollowLogEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, c := newRoom()
		never := w.Open(job.Queued)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := c.FollowLog(ctx, never, LogFollow{}, &audience{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a run that nobody tries: %v", err)
		}
		r := w.RunsByID[never]
		r.State = job.Cancelled
		w.RunsByID[never] = r
		seen := &audience{}
		if err := c.FollowLog(t.Context(), never, LogFollow{}, seen); err != nil || strings.Join(seen.shown, ";") != "end cancelled" {
			t.Errorf("a run that was cancelled: %q, %v", seen.shown, err)
		}
		gone := errors.New("the viewer has gone")
		if err := c.FollowLog(t.Context(), w.Open(job.Running), LogFollow{}, &audience{err: gone}); !errors.Is(err, gone) {
			t.Errorf("a viewer that has gone: %v", err)
		}
	})
}
