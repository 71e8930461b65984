package queries

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/jobs/jobstest"
	"github.com/orthd/orth/job"
)

// counter keeps what it was asked, and answers.
type counter struct {
	asked  StatsFilter
	answer []job.Stats
	fail   error
}

func (c *counter) Stats(_ context.Context, f StatsFilter) ([]job.Stats, error) {
	c.asked = f
	return c.answer, c.fail
}

func TestStats(t *testing.T) {
	t.Parallel()
	_, c := newRoom()
	counted := &counter{}
	c.config.Stats = counted
	j := c.create(t, jobstest.GoodJob())
	from := time.Date(2030, 2, 27, 13, 0, 0, 0, time.UTC)
	day := job.DayOf(from)
	on := func(n int) time.Time { return day.AddDate(0, 0, n) }
	counted.answer = []job.Stats{{Day: on(1), Succeeded: 3}, {Day: on(3), Lost: 1}}

	got, err := c.Stats(t.Context(), StatsQuery{Sight: everywhere(), Job: j.Key, From: from, To: from.AddDate(0, 0, 3)})
	if err != nil {
		t.Fatal(err)
	}
	want := []job.Stats{{Day: day}, {Day: on(1), Succeeded: 3}, {Day: on(2)}, {Day: on(3), Lost: 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(StatsFilter{Sight: everywhere(), JobID: j.ID, From: day, To: on(3)}, counted.asked); diff != "" {
		t.Error(diff)
	}
	if _, err := c.Stats(t.Context(), StatsQuery{Group: "g"}); err != nil || counted.asked.Group != "g" || counted.asked.JobID != 0 {
		t.Errorf("asked %+v, %v", counted.asked, err)
	}
	if _, err := c.Stats(t.Context(), StatsQuery{Sight: everywhere(), Job: "missing"}); !job.Is(err, job.NotFound) {
		t.Errorf("of a missing job: %v", err)
	}
	if _, err := c.Stats(t.Context(), StatsQuery{Sight: everywhere(), Job: j.Key, Group: "g"}); !job.Is(err, job.Invalid) {
		t.Errorf("of a job and a group: %v", err)
	}
	counted.fail = errors.New("away")
	if _, err := c.Stats(t.Context(), StatsQuery{}); !errors.Is(err, counted.fail) {
		t.Errorf("while the store is away: %v", err)
	}
}

func TestStatsDays(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 3, 1, 23, 30, 0, 0, time.UTC)
	at := func(text string) time.Time {
		if text == "" {
			return time.Time{}
		}
		day, err := time.Parse(time.DateOnly, text)
		if err != nil {
			t.Fatal(err)
		}
		return day
	}
	for _, c := range []struct{ from, to, wantFrom, wantTo, wrong string }{
		{"", "", "2030-02-16", "2030-03-01", ""},
		{"", "2030-02-14", "2030-02-01", "2030-02-14", ""},
		{"2030-01-01", "", "2030-01-01", "2030-03-01", ""},
		{"2030-01-01", "2030-01-01", "2030-01-01", "2030-01-01", ""},
		{"2029-01-26", "2030-03-01", "2029-01-26", "2030-03-01", ""},
		{"2029-01-25", "2030-03-01", "", "", "more than 400 days"},
		{"2030-03-02", "", "", "", "is after to, 2030-03-01"},
		{"0001-01-02", "2030-03-01", "", "", "more than 400 days"},
		{"2030-03-01", "9999-12-31", "", "", "more than 400 days"},
	} {
		q := StatsQuery{From: at(c.from), To: at(c.to)}
		f, err := q.days(now)
		if c.wrong != "" {
			if !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s to %s: %v", c.from, c.to, err)
			}
			continue
		}
		if want := (StatsFilter{From: at(c.wantFrom), To: at(c.wantTo)}); err != nil || !cmp.Equal(f, want) {
			t.Errorf("%s to %s: %+v, %v, want %+v", c.from, c.to, f, err, want)
		}
	}
}
