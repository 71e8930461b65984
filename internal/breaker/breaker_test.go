package breaker

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const home = "http://10.0.0.1:9999/"

var start = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func at(seconds float64) time.Time {
	return start.Add(time.Duration(seconds * float64(time.Second)))
}

func fail(s *Set, n int, now time.Time) {
	for range n {
		s.Allow(home, now)
		s.Failed(home, now, "connection refused")
	}
}

// The life of an address, step by step.
func TestLife(t *testing.T) {
	t.Parallel()
	s := New(Config{Failures: 3, Cool: 2 * time.Second, MaxCool: 5 * time.Second, Trial: 10 * time.Second})
	check := func(name string, now time.Time, want State, ready bool) {
		t.Helper()
		if got := s.Status(home, now).State; got != want {
			t.Errorf("%s: state %s, want %s", name, got, want)
		}
		if got := s.Ready(home, now); got != ready {
			t.Errorf("%s: ready %t, want %t", name, got, ready)
		}
	}
	check("a stranger", at(0), Closed, true)
	fail(s, 2, at(0))
	check("two failures", at(0), Closed, true)
	fail(s, 1, at(0))
	check("three failures", at(0), Open, false)
	check("just before the time", at(1.999), Open, false)
	check("at the time", at(2), HalfOpen, true)
	if !s.Allow(home, at(2)) {
		t.Error("the trial is not allowed")
	}
	check("during the trial", at(2.5), HalfOpen, false)
	if s.Allow(home, at(2.5)) {
		t.Error("a second call is allowed during the trial")
	}
	s.Failed(home, at(3), "connection refused")
	check("after a trial that failed: twice as long", at(6.9), Open, false)
	check("and then", at(7), HalfOpen, true)
	if !s.Allow(home, at(7)) {
		t.Error("the trial is not allowed")
	}
	s.Failed(home, at(7), "timed out")
	check("not longer than the bound", at(12), HalfOpen, true)
	if !s.Allow(home, at(12)) {
		t.Error("the trial is not allowed")
	}
	check("a trial whose end was lost", at(22), HalfOpen, true)
	s.Succeeded(home)
	check("well again", at(22), Closed, true)
	fail(s, 2, at(23))
	check("counted from the beginning", at(23), Closed, true)
}

// TestReached: an address that answers something else is tried at once, and left alone
// for no longer than at first when that is all it answers.
func TestReached(t *testing.T) {
	t.Parallel()
	s := New(Config{Failures: 2, Cool: 2 * time.Second, MaxCool: time.Hour})
	s.Reached(home, at(0))
	fail(s, 1, at(0))
	s.Reached(home, at(0))
	if status := s.Status(home, at(0)); status.State != Closed || status.Failures != 1 {
		t.Errorf("before it is left alone: %+v", status)
	}
	fail(s, 1, at(0))
	for _, now := range []float64{2, 6, 14} { // 2, 4 and 8 s are over
		if !s.Allow(home, at(now)) {
			t.Fatalf("no trial after %g s", now)
		}
		s.Failed(home, at(now), "connection refused")
	}
	if status := s.Status(home, at(14)); !status.Until.Equal(at(30)) {
		t.Errorf("left alone until %s, want %s", status.Until, at(30))
	}
	s.Reached(home, at(15))
	if !s.Allow(home, at(15)) || s.Allow(home, at(15)) {
		t.Error("not one trial, and one alone, when the address was reached")
	}
	s.Reached(home, at(15)) // the trial is under way
	if s.Allow(home, at(15)) {
		t.Error("a second trial beside the first")
	}
	s.Failed(home, at(16), "connection refused")
	if status := s.Status(home, at(16)); !status.Until.Equal(at(18)) {
		t.Errorf("after a trial that failed left alone until %s, want %s", status.Until, at(18))
	}
}

func TestCallsFromBeforeDoNotMakeTheWaitLonger(t *testing.T) {
	t.Parallel()
	s := New(Config{Failures: 2, Cool: 2 * time.Second})
	fail(s, 2, at(0))
	for i := range 50 {
		s.Failed(home, at(float64(i)/50), "timed out")
	}
	if status := s.Status(home, at(1)); !status.Until.Equal(at(2)) {
		t.Errorf("left alone until %s, want %s", status.Until, at(2))
	}
	if !s.Ready(home, at(2)) {
		t.Error("no trial at the time")
	}
}

func TestAllTellsWhy(t *testing.T) {
	t.Parallel()
	s := New(Config{Failures: 1, Cool: time.Second})
	s.Failed("http://b", at(0), "no route to host")
	s.Failed("http://a", at(0), "timed out")
	s.Succeeded("http://c")
	want := []Status{
		{Address: "http://a", State: Open, Failures: 1, Reason: "timed out", Until: at(1)},
		{Address: "http://b", State: Open, Failures: 1, Reason: "no route to host", Until: at(1)},
	}
	if diff := cmp.Diff(want, s.All(at(0))); diff != "" {
		t.Errorf("all (-want +got):\n%s", diff)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	s := New(Config{Addresses: 10})
	for i := range 100 {
		s.Failed(fmt.Sprint(i), at(float64(i)), "refused")
	}
	all := s.All(at(100))
	if len(all) != 10 {
		t.Fatalf("%d addresses are remembered, want 10", len(all))
	}
	for _, status := range all {
		if len(status.Address) != 2 || status.Address < "90" {
			t.Errorf("%s is remembered, want the ten that failed last", status.Address)
		}
	}
}

// Whatever happens: an address that has answered is ready at once; one that is
// left alone is tried again after MaxCool at the latest; and between two trials
// lies at least Cool.
func TestProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := Config{Failures: rapid.IntRange(1, 4).Draw(t, "failures"), Cool: time.Second, MaxCool: 8 * time.Second, Trial: 3 * time.Second}
		s := New(c)
		now := start
		var lastTrial time.Time
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 4000).Draw(t, "ms")) * time.Millisecond)
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				s.Succeeded(home)
				lastTrial = time.Time{}
				if !s.Ready(home, now) || s.Status(home, now).State != Closed {
					t.Fatal("an address that has answered is not ready")
				}
			case 1:
				s.Failed(home, now, "refused")
				if until := s.Status(home, now).Until; until.Sub(now) > c.MaxCool {
					t.Fatalf("left alone for %s", until.Sub(now))
				}
			default:
				if !s.Ready(home, now) {
					break
				}
				if s.Status(home, now).State == HalfOpen {
					if gap := now.Sub(lastTrial); !lastTrial.IsZero() && gap < c.Cool {
						t.Fatalf("two trials within %s", gap)
					}
					lastTrial = now
				}
				if !s.Allow(home, now) {
					t.Fatal("a call is not allowed although the address is ready")
				}
			}
		}
		if !s.Ready(home, now.Add(c.MaxCool+c.Trial)) {
			t.Fatal("the address is never tried again")
		}
	})
}
