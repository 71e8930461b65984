package client_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/deadletters"
	"github.com/orthd/orth/job"
)

func aLetter(run int64) job.DeadLetter {
	return job.DeadLetter{RunID: run, JobID: 1, JobKey: "report", State: job.Lost, Status: job.LetterOpen, EndedAt: instant}
}

func (m *memory) DeadLetter(_ context.Context, run int64) (job.DeadLetter, error) {
	if run == 404 {
		return job.DeadLetter{}, job.NoDeadLetter(run)
	}
	return aLetter(run), nil
}

// DeadLetters answers with a letter that says what was asked.
func (m *memory) DeadLetters(_ context.Context, q deadletters.LetterQuery) ([]job.DeadLetter, error) {
	d := aLetter(q.BeforeRun - 1)
	d.Message = queryText(&q)
	return []job.DeadLetter{d}, nil
}

// RankLetters answers with a letter that says what was asked.
func (m *memory) RankLetters(_ context.Context, q deadletters.LetterQuery) (deadletters.RankedLetters, error) {
	d := aLetter(8)
	d.Message = fmt.Sprintf("%s by %s, down %t, behind %d", queryText(&q), q.Order.By, q.Order.Down, markedRun(q.Mark))
	return deadletters.RankedLetters{Letters: []job.DeadLetter{d}, Marks: []deadletters.LetterMark{{ID: 8, Top: 9}}, More: true}, nil
}

func markedRun(m *deadletters.LetterMark) int64 {
	if m == nil {
		return 0
	}
	return m.ID
}

func queryText(q *deadletters.LetterQuery) string {
	bound := func(at time.Time) string {
		if at.IsZero() {
			return "-"
		}
		return at.UTC().Format(time.RFC3339)
	}
	return fmt.Sprintf("%s/%s group %q state %q status %q from %s to %s text %q, %d", q.Namespace, q.Job, q.Group, q.State,
		q.Status, bound(q.Since), bound(q.Until), q.Text, q.Limit)
}

func (m *memory) Redrive(_ context.Context, run int64, param *string, _ int64) (job.Run, error) {
	if run == 404 {
		return job.Run{}, job.NoDeadLetter(run)
	}
	return job.RedriveOf(&job.Run{ID: run, JobID: 1, State: job.Lost}, 40, param, instant, instant), nil
}

func (m *memory) CloseLetter(_ context.Context, run int64, reason string) (job.DeadLetter, error) {
	d := aLetter(run)
	d.Status, d.ClosedAt, d.ClosedReason = job.LetterClosed, instant, reason
	return d, nil
}

func (m *memory) RedriveAll(_ context.Context, l deadletters.Letters, how deadletters.Redriving) ([]deadletters.Settled, bool, error) {
	d := aLetter(12)
	d.JobKey = fmt.Sprint(l.Runs, " ", *how.Param, " ", *how.Spacing, " ", how.DryRun)
	if l.Of != nil {
		d.JobKey += " of " + queryText(l.Of)
	}
	return []deadletters.Settled{{Letter: d, Run: 40, ReadyAt: instant}, {Letter: job.DeadLetter{RunID: 404}, Err: job.NoDeadLetter(404)}}, true, nil
}

func (m *memory) CloseAll(_ context.Context, l deadletters.Letters, reason string, dry bool) ([]deadletters.Settled, bool, error) {
	d := aLetter(12)
	d.JobKey = fmt.Sprint(l.Runs, " ", reason, " ", dry, " of ", queryText(l.Of))
	return []deadletters.Settled{{Letter: d}}, false, nil
}

func TestDeadLetters(t *testing.T) {
	t.Parallel()
	c := serve(t, &memory{}, nil)
	d, err := c.DeadLetter(t.Context(), 12)
	want := api.DeadLetter{
		RunID: 12, JobID: 1, JobKey: "report", State: job.Lost, EndedAt: api.At(instant), LetterStatus: api.LetterStatus{Status: job.LetterOpen},
	}
	if diff := cmp.Diff(want, d); diff != "" || err != nil {
		t.Errorf("a letter: %v, %s", err, diff)
	}
	if _, err = c.DeadLetter(t.Context(), 404); !job.Is(err, job.NotFound) {
		t.Errorf("one that is none: %v", err)
	}
	for text, q := range map[string]client.LetterQuery{
		`/ group "" state "" status "open" from - to - text "", 100`:      {Before: 9},
		`team/x group "" state "" status "open" from - to - text "", 100`: {Before: 9, Job: "x", Namespace: "team"},
		`default/x group "g" state "lost" status "" from 2030-01-31T08:00:00Z to 2030-01-31T09:00:00Z text "50% é", 1`: {
			Before: 9, Job: "x", Group: "g", State: job.Lost, Status: "all", Since: instant, Until: instant.Add(time.Hour), Text: "50% é", Limit: 1,
		},
	} {
		page, err := c.DeadLetters(t.Context(), q)
		if err != nil || len(page.DeadLetters) != 1 || page.DeadLetters[0].Message != text || page.DeadLetters[0].RunID != 8 {
			t.Errorf("%+v, %v, want %s", page, err, text)
		}
	}
}

// A list that is sorted goes on where its page before has ended.
func TestSortedDeadLetters(t *testing.T) {
	t.Parallel()
	c := serve(t, &memory{}, nil)
	q := client.LetterQuery{Sort: "-tries"}
	for _, behind := range []string{"0", "8"} {
		page, err := c.DeadLetters(t.Context(), q)
		want := `/ group "" state "" status "open" from - to - text "", 100 by tries, down true, behind ` + behind
		if err != nil || len(page.DeadLetters) != 1 || page.DeadLetters[0].Message != want || page.After == "" || page.Next != 0 {
			t.Fatalf("%+v, %v, want %s", page, err, want)
		}
		q.After = page.After
	}
}

func TestRedriveAndClose(t *testing.T) {
	t.Parallel()
	c := serve(t, &memory{}, nil)
	param, spacing := "x", api.Duration(time.Second)
	r, err := c.Redrive(t.Context(), 12, &param)
	if err != nil || r.ID != 40 || r.Cause != job.CauseRedrive || r.CauseID != 12 || *r.Param != "x" {
		t.Errorf("the run is %+v, %v", r, err)
	}
	if _, err = c.Redrive(t.Context(), 404, nil); !job.Is(err, job.NotFound) {
		t.Errorf("one that is none: %v", err)
	}
	if d, err := c.CloseDeadLetter(t.Context(), 12, "known"); err != nil || d.Status != job.LetterClosed || d.ClosedReason != "known" {
		t.Errorf("closed: %+v, %v", d, err)
	}
	filter := &api.DeadLetterFilter{Job: "x", Since: api.At(instant), Limit: 3}
	s, err := c.RedriveMany(t.Context(), api.RedriveMany{Filter: filter, Param: &param, Spacing: &spacing, DryRun: true})
	const asked = `[] x 1s true of default/x group "" state "" status "" from 2030-01-31T08:00:00Z to - text "", 3`
	if err != nil || s.Done != 1 || s.Failed != 1 || !s.More || s.Letters[0].JobKey != asked || s.Letters[0].NewRun != 40 {
		t.Errorf("redriven: %+v, %v", s, err)
	}
	if why := s.Letters[1].Error; why == nil || why.Code != job.NotFound || !strings.Contains(why.Detail, "404") || filter.Namespace != "" {
		t.Errorf("not redriven: %+v, the filter is %+v", s.Letters[1], filter)
	}
	s, err = c.CloseDeadLetters(t.Context(), api.CloseMany{Filter: &api.DeadLetterFilter{Text: "y"}, Reason: "known"})
	if err != nil || s.Done != 1 || s.Letters[0].JobKey != `[] known false of / group "" state "" status "" from - to - text "y", 0` {
		t.Errorf("closed: %+v, %v", s, err)
	}
}
