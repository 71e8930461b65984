package ledger

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/queue/mem"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/failure"
)

// waiting returns the bodies of the reports that wait, and their numbers.
func waiting(t *testing.T, l *Ledger, after uint64, limit int) (bodies []string, numbers []uint64) {
	t.Helper()
	all, err := l.Reports(t.Context(), after, limit)
	must(t, err)
	for _, r := range all {
		bodies, numbers = append(bodies, string(r.Body)), append(numbers, r.Number)
	}
	return bodies, numbers
}

// TestReports: what ended is reported by the transaction that ended it, and waits over a
// crash until it is delivered.
func TestReports(t *testing.T) {
	t.Parallel()
	b := kept{mem.New()}
	c := Config{Reports: 3}
	l, stop := run(t, b, c)
	ctx := t.Context()
	end := func(n byte, text string) {
		t.Helper()
		must(t, l.Settle(ctx, day, offer(t, l, wanted(n, 1)).ID, true, Cost{}, []byte(text)))
	}
	want := func(after uint64, limit int, texts ...string) []uint64 {
		t.Helper()
		got, numbers := waiting(t, l, after, limit)
		if diff := cmp.Diff(texts, got); diff != "" {
			t.Fatalf("reports (-want +got):\n%s", diff)
		}
		return numbers
	}
	end(1, "one")
	_, err := l.Bury(ctx, day, offer(t, l, wanted(2, 1)).ID, Failure{Class: failure.Permanent}, Cost{}, []byte("two"))
	must(t, err)
	must(t, l.Settle(ctx, day, offer(t, l, wanted(3, 1)).ID, false, Cost{}, nil)) // without a report
	if err := l.Settle(ctx, day, 4711, true, Cost{}, []byte("never was")); !job.Is(err, job.NotFound) {
		t.Errorf("a task that is not there: %v", err)
	}
	want(0, 9, "one", "two")
	stop() // as a crash does, at any time after the moves have returned
	l, stop = run(t, b, c)
	defer stop()
	numbers := want(0, 9, "one", "two")
	want(numbers[0], 9, "two")
	want(0, 1, "one")
	must(t, l.Reported(ctx, numbers[0]))
	must(t, l.Reported(ctx, numbers[0], 4711)) // as after an answer of the disk that was lost
	end(5, "three")
	must(t, l.Report(ctx, day, []byte("four")))
	if again := want(0, 9, "two", "three", "four"); again[1] <= numbers[1] || again[2] <= again[1] {
		t.Errorf("numbers %v follow %v", again, numbers)
	}
	end(6, "five") // the oldest makes room
	want(0, 9, "three", "four", "five")
	if s, err := l.Stats(ctx); err != nil || s.Reports != 3 || s.Dropped != 1 {
		t.Errorf("%d reports wait, %d were dropped, %v; want 3 and 1", s.Reports, s.Dropped, err)
	}
	if err := l.Report(ctx, day, make([]byte, maxBody)); !job.Is(err, job.Invalid) {
		t.Errorf("a report that is too large: %v", err)
	}
	all, err := l.Reports(ctx, 0, 1)
	if must(t, err); !all[0].At.Equal(day.Truncate(time.Millisecond)) {
		t.Errorf("it ended at %s", all[0].At)
	}
}

// TestReportsFewer: a ledger that keeps fewer than are there drops the oldest, and one that keeps none writes none.
func TestReportsFewer(t *testing.T) {
	t.Parallel()
	b := kept{mem.New()}
	l, stop := run(t, b, Config{Reports: 5})
	for _, text := range []string{"1", "2", "3", "4", "5"} {
		must(t, l.Report(t.Context(), day, []byte(text)))
	}
	stop()
	l, stop = run(t, b, Config{Reports: 2})
	must(t, l.Report(t.Context(), day, []byte("6")))
	if got, _ := waiting(t, l, 0, 9); !cmp.Equal(got, []string{"5", "6"}) {
		t.Errorf("reports %v, want 5 and 6", got)
	}
	stop()
	l, stop = run(t, b, Config{})
	defer stop()
	must(t, l.Report(t.Context(), day, []byte("7")))
	must(t, l.Settle(t.Context(), day, offer(t, l, wanted(1, 1)).ID, true, Cost{}, []byte("8")))
	if got, _ := waiting(t, l, 0, 9); l.Reporting() || !cmp.Equal(got, []string{"5", "6"}) {
		t.Errorf("without reports there are %v", got)
	}
}
