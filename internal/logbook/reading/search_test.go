package reading

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/job"
)

// TestSearchFindsAll: step by step, in both directions, a search finds the lines that
// a loop over all of them finds.
func TestSearchFindsAll(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"", "alpha", "beta", "ALPHA beta", "gamma"}), 0, 1200).Draw(t, "lines")
		l := newLibrary()
		stored := rapid.IntRange(0, len(lines)).Draw(t, "stored")
		l.store(10, logbook.Open, lines[:stored]...)
		l.hold(10, stored+1, true, lines[stored:]...)
		q := job.LogSearch{
			Text: "alpha", Fold: rapid.Bool().Draw(t, "fold"), Regexp: rapid.Bool().Draw(t, "regexp"),
			Backward: rapid.Bool().Draw(t, "backward"), Hits: rapid.IntRange(1, 50).Draw(t, "hits"),
		}
		var want, got []int
		for i, line := range lines {
			if strings.Contains(line, "alpha") || q.Fold && strings.Contains(line, "ALPHA") {
				want = append(want, i+1)
			}
		}
		if q.Backward {
			slices.Reverse(want)
		}
		for {
			found, err := l.reader().Search(t.Context(), done, q)
			if err != nil {
				t.Fatal(err)
			}
			for _, hit := range found.Hits {
				got = append(got, hit.Line)
				if hit.Text != lines[hit.Line-1] {
					t.Fatalf("line %d is said to be %q", hit.Line, hit.Text)
				}
			}
			if found.Complete != (found.Next == 0) || len(found.Hits) > q.Hits {
				t.Fatalf("%d hits, next %d, complete %t", len(found.Hits), found.Next, found.Complete)
			}
			if found.Complete {
				break
			}
			q.From = int(found.Next)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("found lines %v, want %v", got, want)
		}
	})
}

// TestSearch looks at what surrounds a search.
func TestSearch(t *testing.T) {
	t.Parallel()
	monster := strings.Repeat("a", 100<<10) + "needle" + strings.Repeat("b", 100<<10)
	for name, c := range map[string]struct {
		lines []string
		q     job.LogSearch
		want  string
		field string // of an error
	}{
		"with what is around": {
			strings.Split("a b needle c d", " "), job.LogSearch{Text: "needle", Context: 1}, "3 [b] needle [c]", "",
		},
		"at the edges":  {[]string{"needle"}, job.LogSearch{Text: "needle", Context: 5}, "1 [] needle []", ""},
		"an expression": {[]string{"a1", "b22", "c"}, job.LogSearch{Text: `\d{2}`, Regexp: true}, "2 [] b22 []", ""},
		"from a line":   {[]string{"x", "x", "x"}, job.LogSearch{Text: "x", From: 3}, "3 [] x []", ""},
		"back from a line": {
			[]string{"x", "y", "x"}, job.LogSearch{Text: "x", From: 2, Backward: true}, "1 [] x []", "",
		},
		"nothing to look for":   {nil, job.LogSearch{}, "", "text"},
		"no expression":         {nil, job.LogSearch{Text: "(", Regexp: true}, "", "text"},
		"too many":              {nil, job.LogSearch{Text: "x", Hits: 1001}, "", "limit"},
		"for too long":          {nil, job.LogSearch{Text: "x", For: time.Hour}, "", "for"},
		"too much around":       {nil, job.LogSearch{Text: "x", Context: 21}, "", "context"},
		"from before the first": {nil, job.LogSearch{Text: "x", From: -1}, "", "from"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLibrary()
			l.store(10, logbook.Whole, c.lines...)
			found, err := l.reader().Search(t.Context(), done, c.q)
			if c.field != "" {
				if problem, ok := errors.AsType[*job.Error](err); !ok || problem.Field != c.field || problem.Kind != job.Invalid {
					t.Fatalf("the error is %v, want one about %s", err, c.field)
				}
				return
			}
			var got []string
			for _, hit := range found.Hits {
				got = append(got, fmt.Sprint(hit.Line, " ", hit.Before, " ", hit.Text, " ", hit.After))
			}
			if text := strings.Join(got, "; "); text != c.want || err != nil {
				t.Errorf("found %s, %v; want %s", text, err, c.want)
			}
		})
	}
	l := newLibrary()
	l.store(10, logbook.Whole, monster)
	found, err := l.reader().Search(t.Context(), done, job.LogSearch{Text: "needle"})
	if err != nil || len(found.Hits) != 1 || len(found.Hits[0].Text) > maxHitText+10 || !strings.Contains(found.Hits[0].Text, "needle") {
		t.Errorf("in a monster line: %d hits, %v", len(found.Hits), err)
	}
}

// TestSearchTime: a search that takes too long reports where to go on.
func TestSearchTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLibrary()
		l.far = slices.Repeat([]string{"needle", "hay"}, 50)
		slow := NewReader(ReaderConfig{Index: l, Memory: l, Origin: sluggish{l}})
		q := job.LogSearch{Text: "needle", For: 3500 * time.Millisecond, Hits: 1000}
		var lines []int
		for q.From < 100 {
			found, err := slow.Search(t.Context(), done, q)
			if err != nil {
				t.Fatal(err)
			}
			for _, hit := range found.Hits {
				lines = append(lines, hit.Line)
			}
			if found.Complete {
				break
			}
			if found.Next <= int64(q.From) || found.Note != "the search has taken 3.5s, as long as it may" {
				t.Fatalf("it goes on from %d to %d: %s", q.From, found.Next, found.Note)
			}
			q.From = int(found.Next)
		}
		if len(lines) != 50 || !slices.IsSorted(lines) {
			t.Errorf("found lines %v", lines)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := slow.Search(ctx, done, q); err == nil {
			t.Error("a search that was given up has a result")
		}
	})
}

// sluggish is an executor that answers after a second.
type sluggish struct{ *library }

func (s sluggish) ReadLog(ctx context.Context, address string, attempt int64, at time.Time, from int) (job.LogPage, error) {
	select {
	case <-time.After(time.Second):
		return s.library.ReadLog(ctx, address, attempt, at, from)
	case <-ctx.Done():
		return job.LogPage{}, job.Errorf(job.Ambiguous, "no answer: %w", context.Cause(ctx))
	}
}

// TestSearchJob searches the logs of a job, the newest first.
func TestSearchJob(t *testing.T) {
	t.Parallel()
	l := newLibrary()
	for attempt := int64(10); attempt <= 250; attempt += 10 {
		l.store(attempt, logbook.Whole, "hay", fmt.Sprintf("needle of %d", attempt), "hay")
	}
	l.hold(250, 4, false, "a needle in memory")
	l.far, l.damaged = []string{"needle"}, 0
	pick := func(_ context.Context, run, attempt int64) (job.Attempt, bool, error) {
		return job.Attempt{ID: attempt, RunID: run, Number: 1, State: job.Failed}, run%2 == 0, nil
	}
	minute := func(n int) time.Time { return written.Add(time.Duration(n) * time.Minute) }
	for name, c := range map[string]struct {
		q    job.JobLogSearch
		want string // attempt:line
	}{
		"all that pick picks": {job.JobLogSearch{Since: minute(200)}, "240:2,220:2,200:2"},
		"a while":             {job.JobLogSearch{Since: minute(100), Until: minute(160)}, "140:2,120:2,100:2"},
		"older ones":          {job.JobLogSearch{Before: 50}, "40:2,20:2"},
		"another job":         {job.JobLogSearch{Job: 9}, ""},
	} {
		c.q.Text = "needle"
		if c.q.Job == 0 {
			c.q.Job = 7
		}
		for _, step := range []int{1, 2, 100} {
			c.q.Hits = step
			q, got := c.q, []string(nil)
			for {
				found, err := l.reader().SearchJob(t.Context(), q, pick)
				if err != nil {
					t.Fatal(err)
				}
				for _, hit := range found.Hits {
					got = append(got, fmt.Sprintf("%d:%d", hit.Attempt, hit.Line))
				}
				if found.Complete {
					break
				}
				q.Before = found.Next
			}
			if text := strings.Join(got, ","); text != c.want {
				t.Errorf("%s, %d at once: found %s, want %s", name, step, text, c.want)
			}
		}
	}
	if l.asked > 0 {
		t.Errorf("executors were asked %d times", l.asked)
	}
}

// TestSearchJobPassesDamage: a log that cannot be read is named, and the others are
// searched.
func TestSearchJobPassesDamage(t *testing.T) {
	t.Parallel()
	l := newLibrary()
	l.store(20, logbook.Whole, "needle")
	l.store(10, logbook.Whole, "hay", "hay")
	l.store(10, logbook.Whole, "needle")
	l.damaged = 3
	found, err := l.reader().SearchJob(t.Context(), job.JobLogSearch{Job: 7, LogSearch: job.LogSearch{Text: "needle"}},
		func(_ context.Context, _, attempt int64) (job.Attempt, bool, error) {
			return job.Attempt{ID: attempt}, true, nil
		})
	if err != nil {
		t.Fatal(err)
	}
	want := job.LogHits{
		Hits: []job.LogHit{{Attempt: 20, Line: 1, Text: "needle"}}, Lines: 3, Logs: 2,
		Note: "attempt 10: lines 3 to 3 of the log cannot be read: its sum is wrong",
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Error(diff)
	}
}
