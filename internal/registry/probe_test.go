package registry

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/job"
)

// unreachable returns why an address cannot be reached, as people see it.
func unreachable(t *testing.T, r *Registry, address string) string {
	t.Helper()
	for _, e := range r.Executors() {
		if e.Address == address {
			return e.Unreachable
		}
	}
	t.Fatalf("executor %s is not shown", address)
	return ""
}

func TestUnreachableOnesComeLast(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		r := start(t, Config{Store: newRows(), Prober: n})
		n.cut("http://e1", "dial tcp 172.17.0.2:9999: i/o timeout")
		register(t, r, "a", "http://e1", "http://e2")
		wantAlive(t, r, 1, "http://e2")
		if got := unreachable(t, r, "http://e1"); got != "dial tcp 172.17.0.2:9999: i/o timeout" {
			t.Errorf("the reason is %q", got)
		}
		n.cut("http://e2", "connection refused")
		time.Sleep(31 * time.Second)
		register(t, r, "a", "http://e1", "http://e2")
		wantAlive(t, r, 1, "http://e1", "http://e2") // one of them may be better than none
		n.cut("http://e1", "")
		time.Sleep(31 * time.Second)
		synctest.Wait()
		wantAlive(t, r, 1, "http://e1")
		if got := unreachable(t, r, "http://e1"); got != "" {
			t.Errorf("it answers, and is shown as unreachable: %s", got)
		}
	})
}

// An answer that was lost once costs an executor some seconds of work, and one that
// stays silent is asked no more often than others.
func TestOneLostAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		n.cut("http://e1", "EOF")
		n.cut("http://hole", "EOF")
		r := start(t, Config{Store: newRows(), Prober: n})
		register(t, r, "a", "http://e1", "http://e2", "http://hole")
		wantAlive(t, r, 1, "http://e2")
		n.cut("http://e1", "")
		time.Sleep(4 * time.Second)
		synctest.Wait()
		wantAlive(t, r, 1, "http://e1", "http://e2")
		time.Sleep(25 * time.Second)
		synctest.Wait()
		n.set(func() {
			for _, address := range []string{"http://e1", "http://hole"} {
				if n.asked[address] != 2 {
					t.Errorf("%s was asked %d times in 29 s, want 2", address, n.asked[address])
				}
			}
		})
	})
}

// An executor that comes back is asked at once, not when its time has come.
func TestNewcomerIsAskedAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		r := start(t, Config{Store: newRows(), Prober: n, Probe: time.Hour})
		register(t, r, "a", "http://e1", "http://e2")
		if err := r.Deregister(t.Context(), "a", "http://e1"); err != nil {
			t.Fatal(err)
		}
		settle()
		wantAlive(t, r, 1, "http://e2")
		register(t, r, "a", "http://e1")
		wantAlive(t, r, 1, "http://e1", "http://e2")
	})
}

// Who waits for an executor hears once that it can be reached: at first, as a new process,
// and after it could not be, whether it beat meanwhile or not.
func TestReached(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		var reached atomic.Int32
		r := start(t, Config{Store: newRows(), Prober: n, Hooks: Hooks{Reached: func(string) { reached.Add(1) }}})
		beat := func(incarnation string, want int32, when string) {
			t.Helper()
			b := job.Beat{Group: "a", Address: "http://e1", Life: job.Life{Incarnation: incarnation, Every: 10 * time.Second}}
			if err := r.Register(t.Context(), b); err != nil {
				t.Fatal(err)
			}
			time.Sleep(5 * time.Second)
			synctest.Wait()
			if got := reached.Load(); want >= 0 && got != want {
				t.Errorf("%s: %d, want %d", when, got, want)
			}
		}
		beat("1", 1, "at first")
		for range 20 {
			beat("1", 1, "while it goes on")
		}
		beat("2", 2, "as a new process")
		n.cut("http://e1", "connection refused")
		for range 10 {
			beat("2", 2, "while it beats and cannot be reached")
		}
		n.cut("http://e1", "")
		for range 6 { // it is asked within half a minute
			beat("2", -1, "")
		}
		for range 10 {
			beat("2", 3, "when it can")
		}
	})
}

// Black holes neither hold up those that answer nor are asked without bound.
func TestProbesAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		n.slow = 3 * time.Second
		r := start(t, Config{Store: newRows(), Prober: n})
		for i := range 200 {
			address := fmt.Sprintf("http://hole-%03d", i)
			n.cut(address, "timeout")
			if err := r.Register(t.Context(), job.Beat{Group: "a", Address: address}); err != nil {
				t.Fatal(err)
			}
		}
		register(t, r, "a", "http://well")
		time.Sleep(30 * time.Second)
		synctest.Wait()
		wantAlive(t, r, 1, "http://well")
		n.set(func() {
			if n.most != probesAtOnce {
				t.Errorf("%d were asked at the same time, want %d", n.most, probesAtOnce)
			}
			if n.asked["http://hole-000"] > 2 {
				t.Errorf("one was asked %d times in 30 s", n.asked["http://hole-000"])
			}
		})
	})
}

// TestManual follows an address that never registers.
func TestManual(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, store := newNetwork(), newRows()
		r := start(t, Config{Store: store, Prober: n})
		n.cut("http://e1", "connection refused")
		e, err := r.AddAddress(t.Context(), "a", " http://e1 ", "")
		if err != nil || e.Address != "http://e1" || !e.Manual || e.Unreachable != "connection refused" {
			t.Errorf("added: %+v, %v", e, err)
		}
		settle()
		wantAlive(t, r, 1) // not even as the last resort
		n.cut("http://e1", "")
		time.Sleep(11 * time.Second)
		synctest.Wait()
		wantAlive(t, r, 1, "http://e1")

		time.Sleep(10 * time.Minute) // it never beats
		synctest.Wait()
		wantAlive(t, r, 1, "http://e1")
		if left := time.Until(r.Executors()[0].LeaseUntil); left < 20*time.Second {
			t.Errorf("its lease ends in %s", left)
		}

		n.cut("http://e1", "connection refused")
		time.Sleep(11 * time.Second)
		synctest.Wait()
		wantAlive(t, r, 1)
		if !r.Executors()[0].LeaseUntil.After(time.Now()) {
			t.Error("its lease ended with the first silence")
		}
		time.Sleep(2 * time.Minute)
		if r.Executors()[0].LeaseUntil.After(time.Now()) {
			t.Error("a silent executor has a lease for ever")
		}

		n.cut("http://e1", "")
		time.Sleep(11 * time.Second)
		synctest.Wait()
		wantAlive(t, r, 1, "http://e1")
		if err := r.RemoveAddress(t.Context(), "a", "http://e1"); err != nil {
			t.Error(err)
		}
		wantAlive(t, r, 1) // without any wait
		if err := r.RemoveAddress(t.Context(), "a", "http://e1"); !job.Is(err, job.NotFound) {
			t.Errorf("removed twice: %v", err)
		}
		time.Sleep(time.Minute)
		if len(r.Executors()) != 0 {
			t.Errorf("%+v is still shown", r.Executors())
		}
	})
}

// An executor at an entered address may say farewell, and comes back when it
// answers.
func TestManualFarewell(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		r := start(t, Config{Store: newRows(), Prober: n})
		if _, err := r.AddAddress(t.Context(), "a", "http://e1", ""); err != nil {
			t.Fatal(err)
		}
		settle()
		wantAlive(t, r, 1, "http://e1")
		n.cut("http://e1", "it is stopping")
		if err := r.Deregister(t.Context(), "a", "http://e1"); err != nil {
			t.Fatal(err)
		}
		wantAlive(t, r, 1)
		settle()
		wantAlive(t, r, 1)
		n.cut("http://e1", "")
		time.Sleep(11 * time.Second)
		synctest.Wait()
		wantAlive(t, r, 1, "http://e1")
	})
}

// While the store is away, entered addresses live on: they answer.
func TestManualWhileTheStoreIsAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newRows()
		r := start(t, Config{Store: store, Prober: newNetwork()})
		if _, err := r.AddAddress(t.Context(), "a", "http://e1", ""); err != nil {
			t.Fatal(err)
		}
		settle()
		store.set(func() { store.fail = job.Errorf(job.Unavailable, "away") })
		time.Sleep(5 * time.Minute)
		wantAlive(t, r, 1, "http://e1")
		store.set(func() { store.fail = nil })
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if left := time.Until(r.Executors()[0].LeaseUntil); left < time.Minute {
			t.Errorf("its lease ends in %s", left)
		}
	})
}

func TestAddressesThatAreNone(t *testing.T) {
	t.Parallel()
	r := New(Config{Store: newRows()})
	for _, address := range []string{
		"", "10.0.0.1:9999", "ftp://h", "http://", "http://:80", "http://u:p@h", "http://h?x", "http://h#x", "http://h#", "http://h?",
		"http://h:0", "http://h:65536", "http://h:x", "http://h/" + strings.Repeat("x", job.MaxAddress), "http://a b",
	} {
		if _, err := r.AddAddress(t.Context(), "a", address, ""); !job.Is(err, job.Invalid) {
			t.Errorf("%.60q: %v", address, err)
		}
	}
	if _, err := r.AddAddress(t.Context(), "a b", "http://h", ""); !job.Is(err, job.Invalid) {
		t.Errorf("a bad group: %v", err)
	}
}
