package keeping

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/job"
)

// pushing has all executors bring their lines.
func pushing(c *KeeperConfig) { c.Pushes = func(string) bool { return true } }

// page is one that an executor brings.
func page(from int, end bool, lines ...string) job.LogPage {
	return job.LogPage{From: from, Text: strings.Join(append(lines, ""), "\n"), End: end}
}

// TestPushedLog: of a log that its executor brings nothing is asked for.
func TestPushedLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, pushing)
		a := b.begin(1, job.LogPolicy{})
		if !b.keeper.Put(job.Caller{}, here, 1, page(1, false, "one", "two")) {
			t.Error("no more is wanted")
		}
		time.Sleep(20 * time.Second)
		b.keeper.Put(job.Caller{}, here, 1, page(2, false, "two", "three")) // one of them again
		b.end(a)
		b.keeper.Ended(1)
		time.Sleep(100 * time.Millisecond)
		if b.keeper.Put(job.Caller{}, here, 1, page(4, true, "four")) {
			t.Error("more is wanted after the end")
		}
		time.Sleep(time.Second)
		b.stored(1, logbook.Whole, "one", "two", "three", "four")
		if n := b.machine.questions(1); n != 0 {
			t.Errorf("the executor was asked %d times", n)
		}
		b.idle()
	})
}

// TestEndIsNotBrought: what an executor does not bring at the end is asked for.
func TestEndIsNotBrought(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, pushing)
		a := b.begin(1, job.LogPolicy{})
		b.machine.write(1, "one", "two")
		b.keeper.Put(job.Caller{}, here, 1, page(1, false, "one"))
		b.end(a)
		b.keeper.Ended(1)
		time.Sleep(4 * time.Second)
		b.stored(1, logbook.Whole, "one", "two")
	})
}

// TestGapIsAskedFor: lines that are missing before some that came are asked for.
func TestGapIsAskedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, pushing)
		a := b.begin(1, job.LogPolicy{})
		b.machine.write(1, numbered1(9)...)
		b.keeper.Put(job.Caller{}, here, 1, page(5, false, numbered1(9)[4:]...))
		time.Sleep(time.Second)
		if live, _ := b.keeper.Live(1); live.Text != strings.Join(numbered1(9), "\n")+"\n" {
			t.Errorf("there is %q", live.Text)
		}
		b.end(a)
		b.keeper.Put(job.Caller{}, here, 1, page(10, true))
		b.keeper.Ended(1)
		time.Sleep(time.Second)
		b.stored(1, logbook.Whole, numbered1(9)...)
	})
}

// TestLinesBeforeTheyAreExpected: an executor may be done before it is noted that it
// took an attempt.
func TestLinesBeforeTheyAreExpected(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, pushing)
		if b.keeper.Put(job.Caller{}, here, 1, page(1, true, "one")) {
			t.Error("more is wanted after the end")
		}
		b.keeper.Ended(1)
		b.end(b.begin(1, job.LogPolicy{}))
		time.Sleep(time.Second)
		b.stored(1, logbook.Whole, "one")
		if n := b.machine.questions(1); n != 0 {
			t.Errorf("the executor was asked %d times", n)
		}
	})
}

func TestLinesThatNobodyWants(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, pushing)
		b.begin(1, job.LogPolicy{})
		for name, wanted := range map[string]bool{
			"another group": b.keeper.Put(job.Caller{GroupID: 4, Group: "other"}, here, 1, page(1, false, "forged")),
			"another place": b.keeper.Put(job.Caller{}, "http://10.0.0.2:9999", 1, page(1, false, "forged")),
		} {
			if wanted {
				t.Errorf("lines of %s are wanted", name)
			}
		}
		if live, _ := b.keeper.Live(1); live.Text != "" {
			t.Errorf("there is %q", live.Text)
		}
		if !b.keeper.Put(job.Caller{}, here, 2, page(1, false, "early")) {
			t.Error("lines that come early are not wanted")
		}
		time.Sleep(6 * time.Second)
		if b.keeper.Put(job.Caller{}, here, 2, page(2, false, "early")) {
			t.Error("lines of an attempt that nobody knows are still wanted")
		}
	})
}

// TestEarlyIsBounded: lines of unknown attempts take little memory.
func TestEarlyIsBounded(t *testing.T) {
	t.Parallel()
	e, now := newEarly(), time.Now()
	text := strings.Repeat("x", 1000)
	for id := range int64(3 * earlyMost) {
		e.put(id, brought{page: job.LogPage{Text: text}}, now)
	}
	if len(e.known) > earlyMost || len(e.order) > earlyMost || e.bytes > earlyBytes {
		t.Errorf("%d attempts, %d in order, %d bytes", len(e.known), len(e.order), e.bytes)
	}
	e.end(1<<40, now.Add(earlyFor))
	if len(e.known) != 1 || e.bytes != 0 {
		t.Errorf("after a while there are %d attempts and %d bytes", len(e.known), e.bytes)
	}
	if s, ok := e.take(1 << 40); !ok || !s.ended {
		t.Errorf("there is %+v, %t", s, ok)
	}
	if _, ok := e.take(1 << 40); ok {
		t.Error("it is still there")
	}
}

// TestSilentPusher: an executor that should bring lines and does not is asked.
func TestSilentPusher(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, pushing)
		a := b.begin(1, job.LogPolicy{})
		b.machine.write(1, "one")
		release := b.keeper.Watch(a, 3)
		time.Sleep(15 * time.Second)
		if n := b.machine.questions(1); n != 1 {
			t.Errorf("a silent executor was asked %d times in 15 s while somebody looks", n)
		}
		release()
		time.Sleep(3 * time.Minute)
		if n := b.machine.questions(1); n > 6 {
			t.Errorf("a silent executor was asked %d times while nobody looks", n)
		}
		if got := b.text(1); got != "one\n" {
			t.Errorf("stored is %q", got)
		}
	})
}

// TestFairness: one executor with many logs does not shut others out.
func TestFairness(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.machine.slow = 100 * time.Millisecond
		for id := int64(1); id <= 300; id++ {
			b.machine.write(id, fmt.Sprintf("line of %d", id))
			b.end(b.begin(id, job.LogPolicy{}))
			b.keeper.Ended(id)
		}
		other := job.Attempt{ID: 999, RunID: 1, JobID: 1, Address: "http://10.0.0.2:9999", TriggeredAt: time.Now()}
		b.machine.write(999, "other")
		b.keeper.Begin(other, 3, job.LogPolicy{})
		b.end(other)
		b.keeper.Ended(999)
		time.Sleep(time.Second)
		b.stored(999, logbook.Whole, "other")
		time.Sleep(time.Minute)
		for id := int64(1); id <= 300; id++ {
			b.stored(id, logbook.Whole, fmt.Sprintf("line of %d", id))
		}
	})
}

// The keeper lets go of a log that is stored with the end of its attempt, whatever it has of
// it, and whether the end or the acceptance is known first.
func TestStoredWithItsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		a := b.begin(1, job.LogPolicy{})
		b.machine.write(1, "one")
		release := b.keeper.Watch(a, 3)
		time.Sleep(time.Second)
		live, _ := b.keeper.Live(1)
		if live.Text != "one\n" {
			t.Errorf("in memory is %q", live.Text)
		}
		b.keeper.Stored(1)
		select {
		case <-live.Changed:
		default:
			t.Error("who looks was not told")
		}
		release()
		b.keeper.Stored(2)
		b.begin(2, job.LogPolicy{})
		asked := b.machine.questions(1)
		time.Sleep(time.Minute)
		if n := b.machine.questions(1) + b.machine.questions(2); n != asked {
			t.Errorf("the executor was asked %d times more", n-asked)
		}
		b.idle()
	})
}
