package users

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var limitNow = time.Date(2030, 1, 31, 8, 0, 0, 0, time.UTC)

// From one network, for one account or many, no minute has more than ten tries that
// take effect; the first five at once.
func TestLimiterOfANetwork(t *testing.T) {
	t.Parallel()
	for _, names := range []int{1, 10_000} {
		l, taken := newLimiter(), []time.Time{}
		for i := range 10_000 {
			now := limitNow.Add(time.Duration(i) * 30 * time.Millisecond) // five minutes
			if _, wait := l.takeTry(fmt.Sprintf("user-%d", i%names), "198.51.100.0/24", false, now); wait == 0 {
				taken = append(taken, now)
			}
		}
		if len(taken) < 25 || len(taken) > 30 {
			t.Errorf("%d names: %d tries of five minutes took effect", names, len(taken))
		}
		wantRate(t, taken)
	}
}

// From many networks, an account has as many tries as from one.
func TestLimiterOfAnAccount(t *testing.T) {
	t.Parallel()
	l, taken := newLimiter(), []time.Time{}
	for i := range 10_000 {
		now := limitNow.Add(time.Duration(i) * 6 * time.Millisecond) // a minute
		if _, wait := l.takeTry("admin", fmt.Sprintf("10.%d.%d.0/24", i%1000/250, i%250), false, now); wait == 0 {
			taken = append(taken, now)
		}
	}
	if len(taken) == 0 {
		t.Error("nobody was let through")
	}
	wantRate(t, taken)
	// Where the account has signed in from, nothing of it is felt.
	now := limitNow.Add(time.Minute - time.Millisecond)
	if _, wait := l.takeTry("admin", "192.0.2.0/24", false, now); wait == 0 {
		t.Error("a stranger is let through during an attack")
	}
	for i := range triesAtOnce {
		if _, wait := l.takeTry("admin", "192.0.2.0/24", true, now); wait != 0 {
			t.Errorf("the owner's try %d has to wait %s", i+1, wait)
		}
	}
	if _, wait := l.takeTry("admin", "192.0.2.0/24", true, now); wait != tryEvery {
		t.Errorf("whoever is where the owner was has tries without end: %s", wait)
	}
}

// wantRate checks that no minute has more than ten.
func wantRate(t *testing.T, taken []time.Time) {
	t.Helper()
	for i := range taken {
		if i >= 10 && taken[i].Sub(taken[i-10]) < time.Minute {
			t.Fatalf("eleven tries in %s", taken[i].Sub(taken[i-10]))
		}
	}
}

// Whatever is tried when, no minute has more than ten tries, and who waits as long as
// was said is let through.
func TestLimiterRate(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		l, now, taken := newLimiterOf(4), limitNow, []time.Time{}
		for range rapid.IntRange(1, 200).Draw(r, "tries") {
			now = now.Add(time.Duration(rapid.IntRange(0, 20_000).Draw(r, "pause")) * time.Millisecond)
			counted, wait := l.takeTry("a", "n", false, now)
			switch {
			case wait > 0 && rapid.Bool().Draw(r, "patient"):
				now = now.Add(wait)
				if _, wait = l.takeTry("a", "n", false, now); wait != 0 {
					r.Fatalf("after waiting there are %s more to wait", wait)
				}
				taken = append(taken, now)
			case wait > 0:
			case rapid.Bool().Draw(r, "good"):
				l.forgive(counted)
			default:
				taken = append(taken, now)
			}
			if n := len(taken); n > 10 && taken[n-1].Sub(taken[n-11]) < time.Minute {
				r.Fatalf("eleven tries in %s", taken[n-1].Sub(taken[n-11]))
			}
		}
	})
}

// A million names take no more memory than one.
func TestLimiterIsFlat(t *testing.T) { // alone: it counts allocations
	l := newLimiterOf(1 << 10)
	name := make([]byte, 8)
	if n := testing.AllocsPerRun(1_000_000, func() {
		for i := range name {
			if name[i]++; name[i] != 0 {
				break
			}
		}
		l.mu.Lock()
		l.accounts.Slot(l.hashName(string(name)))
		l.mu.Unlock()
	}); n > 1 {
		t.Errorf("each name allocates %v times", n)
	}
	if len(l.networks)+len(l.accounts)+len(l.known) != 3<<10 {
		t.Error("the meters have grown")
	}
}
