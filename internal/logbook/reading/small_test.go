package reading

import (
	"context"
	"testing"
	"time"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/job"
)

// storeSmall puts a log with all its lines in its row.
func (l *library) storeSmall(attempt int64, lines ...string) {
	l.store(attempt, logbook.Whole)
	l.mu.Lock()
	defer l.mu.Unlock()
	log := &l.logs[len(l.logs)-1]
	log.Lines, log.Text, log.EndedAt = len(lines), join(lines), written.Add(time.Hour)
}

// A small log that came with its outcome is read, found and searched like every other one;
// neither memory nor the executor is asked.
func TestSmallLogIsRead(t *testing.T) {
	t.Parallel()
	l := newLibrary()
	l.storeSmall(10, "one", "two", "three")
	l.hold(10, 1, false, "one")
	l.far = []string{"one", "two", "three", "four"}
	r, a := l.reader(), job.Attempt{ID: 10, RunID: 1, JobID: 7, State: job.Succeeded}
	for _, c := range []struct {
		from, limit, to int
		text            string
		end             bool
	}{
		{1, 0, 3, "one\ntwo\nthree\n", true}, {2, 1, 2, "two\n", false}, {3, 5, 3, "three\n", true}, {4, 0, 3, "", true},
	} {
		page, err := r.Page(t.Context(), a, 1, c.from, c.limit)
		if err != nil || page.To != c.to || page.Text != c.text || page.End != c.end || page.Kept != string(logbook.Whole) {
			t.Errorf("lines from %d: %+v, %v", c.from, page, err)
		}
	}
	if n, err := r.Tail(t.Context(), a, 2); n != 2 || err != nil {
		t.Errorf("the last two begin with line %d, %v", n, err)
	}
	found, err := r.Search(t.Context(), a, job.LogSearch{Text: "two", Hits: 5, For: time.Second, Context: 1})
	if err != nil || len(found.Hits) != 1 || found.Hits[0].Line != 2 || len(found.Hits[0].Before) != 1 || len(found.Hits[0].After) != 1 {
		t.Errorf("found %+v, %v", found, err)
	}
	for at, want := range map[time.Duration]int{0: 1, 2 * time.Hour: 4} {
		if n, err := r.At(t.Context(), a, written.Add(at)); n != want || err != nil {
			t.Errorf("%s after the first line was written: line %d, %v; want %d", at, n, err, want)
		}
	}
	every := func(_ context.Context, _, _ int64) (job.Attempt, bool, error) { return a, true, nil }
	hits, err := r.SearchJob(t.Context(), job.JobLogSearch{Job: 7, LogSearch: job.LogSearch{Text: "e", Hits: 5, For: time.Second}}, every)
	if err != nil || len(hits.Hits) != 2 || !hits.Complete {
		t.Errorf("in the logs of the job: %+v, %v", hits, err)
	}
	if l.asked != 0 {
		t.Errorf("the executor was asked %d times", l.asked)
	}
}
