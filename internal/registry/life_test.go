package registry

import (
	"bytes"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/job"
)

// tale is a registry with the restarts that it announced.
type tale struct {
	*testing.T
	r         *Registry
	announced []string
	refuse    bool
	log       bytes.Buffer
	rows      *rows
}

func newTale(t *testing.T) *tale {
	t.Helper()
	s := &tale{T: t, rows: newRows()}
	s.r = start(t, Config{Store: s.rows, Logger: slog.New(slog.NewTextHandler(&s.log, nil)), Hooks: Hooks{
		Restarted: func(address string, since time.Time, holds []int64) bool {
			if s.refuse {
				return false
			}
			s.announced = append(s.announced, fmt.Sprintf("%s %s ago holds %v", address, time.Since(since), holds))
			return true
		},
	}})
	return s
}

// beat sends a beat of a process and lets ten seconds pass.
func (s *tale) beat(incarnation string, holds ...int64) {
	s.Helper()
	s.beatWith(job.Life{Incarnation: incarnation, Holds: holds, Whole: true})
}

func (s *tale) beatWith(l job.Life) {
	s.Helper()
	if err := s.r.Register(s.Context(), job.Beat{Group: "a", Address: "http://e1", Life: l}); err != nil {
		s.Fatal(err)
	}
	time.Sleep(10 * time.Second)
	synctest.Wait()
}

func (s *tale) want(announced ...string) {
	s.Helper()
	if diff := gocmp.Diff(announced, s.announced); diff != "" {
		s.Errorf("announced (-want +got):\n%s", diff)
	}
	s.announced = nil
}

// A restart is announced once, when the new process has been alone for two beats.
func TestRestartIsAnnounced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newTale(t)
		for range 5 {
			s.beat("first", 1, 2)
		}
		s.want("http://e1 20s ago holds [1 2]") // nobody knows what was before
		s.beat("second", 2)
		s.beat("second", 2, 3)
		s.want()
		s.beat("second", 2, 3)
		s.want("http://e1 20s ago holds [2 3]")
		s.beat("second")
		s.want()
		if !strings.Contains(s.log.String(), "executor restarted") {
			t.Errorf("the log is %s", s.log.String())
		}
	})
}

// An executor that cannot name all it holds is asked for nothing: it is
// announced as soon as it can.
func TestRestartWithoutTheWholeList(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newTale(t)
		for range 5 {
			s.beatWith(job.Life{Incarnation: "first"})
			s.beatWith(job.Life{Incarnation: "first", Holds: make([]int64, job.MaxHolds+1), Whole: true})
		}
		s.want()
		s.beat("first", 7)
		s.want("http://e1 1m40s ago holds [7]")
	})
}

func TestRestartThatNobodyTook(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newTale(t)
		s.refuse = true
		for range 5 {
			s.beat("first")
		}
		s.refuse = false
		s.beat("first")
		s.want("http://e1 50s ago holds []")
	})
}

// A second executor at an address is refused, warned of and shown. While it may be alive it
// counts that it may have what was sent to the address; then that ends.
func TestSharedAddress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newTale(t)
		wants := func(ago time.Duration) {
			t.Helper()
			if doubtful, since := s.r.Doubtful("http://e1"); doubtful || time.Since(since) != ago {
				t.Errorf("doubtful %t, since %s ago", doubtful, time.Since(since))
			}
		}
		for range 3 {
			s.beat("one", 1)
		}
		s.want("http://e1 20s ago holds [1]")
		wants(30 * time.Second)
		s.rows.rivals = []string{"two"}
		for range 20 {
			err := s.r.Register(t.Context(), job.Beat{Group: "a", Address: "http://e1", Life: job.Life{Incarnation: "two", Whole: true}})
			if !job.Is(err, job.Conflict) {
				t.Fatalf("the second one gets %v", err)
			}
			s.beat("one", 1)
		}
		s.want()
		if n := strings.Count(s.log.String(), "an executor is refused: another one has its address"); n != 1 {
			t.Errorf("warned %d times", n)
		}
		wants(0)
		if e := s.r.Executors()[0]; !strings.Contains(e.Trouble, "another executor registers this address too") {
			t.Errorf("the trouble is %q", e.Trouble)
		}
		for range 3 {
			s.beat("one", 1)
		}
		wants(260 * time.Second)
		if e := s.r.Executors()[0]; e.Trouble != "" {
			t.Errorf("the trouble is %q", e.Trouble)
		}
	})
}

// Two executors with one data folder are shown when both are alive for certain. One that
// restarted under another address, or whose address is replaced, is one.
func TestCopiedFolder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newTale(t)
		beat := func(group, address, incarnation, instance string) {
			t.Helper()
			life := job.Life{Incarnation: incarnation, Instance: instance, Every: 10 * time.Second}
			if err := s.r.Register(t.Context(), job.Beat{Group: group, Address: address, Life: life}); err != nil {
				t.Fatal(err)
			}
		}
		wants := func(want map[string]string) {
			t.Helper()
			for _, e := range s.r.Executors() {
				name := e.Group + " " + e.Address
				if text := want[name]; text == "" && e.Trouble != "" || !strings.Contains(e.Trouble, text) {
					t.Errorf("the trouble of %s is %q, want %q", name, e.Trouble, text)
				}
			}
		}
		beat("a", "http://e1", "x", "f0")
		beat("a", "http://e5", "z", "f1")
		time.Sleep(5 * time.Second)
		beat("a", "http://e2", "y", "f0") // restarted under another address
		beat("b", "http://e3", "y", "f0") // another group
		beat("a", "http://e6", "z", "f1") // its address is replaced
		time.Sleep(5 * time.Second)
		synctest.Wait()
		wants(nil)
		for range 4 {
			for _, n := range []string{"1 x", "2 y"} {
				address, incarnation, _ := strings.Cut(n, " ")
				beat("a", "http://e"+address, incarnation, "f0")
			}
			beat("a", "http://e6", "z", "f1")
			time.Sleep(5 * time.Second)
			synctest.Wait()
		}
		wants(map[string]string{"a http://e1": "that of http://e2 are copies", "a http://e2": "that of http://e1 are copies"})
		if n := strings.Count(s.log.String(), "an executor is in doubt"); n != 2 {
			t.Errorf("warned %d times of two executors:\n%s", n, s.log.String())
		}
		for range 6 {
			beat("a", "http://e2", "y", "f0")
			time.Sleep(10 * time.Second)
			synctest.Wait()
		}
		wants(nil) // the other one is gone
	})
}

// Two executors of two groups at one address, or in two spellings of it, are shown, and
// nothing follows from what the one does not hold that the other may.
func TestCrowdedAddress(t *testing.T) {
	t.Parallel()
	for _, other := range []job.Beat{
		{Group: "b", Address: "http://e1"}, {Group: "a", Address: "http://e1/"}, {Group: "a", Address: "http://e1:80"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTale(t)
			s.beat("one", 1)
			other.Life = job.Life{Incarnation: "two", Whole: true, Every: 10 * time.Second}
			for range 6 {
				if err := s.r.Register(t.Context(), other); err != nil {
					t.Fatal(err)
				}
				s.beat("one", 1)
			}
			s.announced = slices.DeleteFunc(s.announced, func(a string) bool { return strings.Contains(a, "holds [1]") })
			s.want() // but for the first one itself, which came first
			wants := func(want bool) {
				t.Helper()
				for _, e := range s.r.Executors() {
					if !strings.Contains(e.Trouble, "another executor has this address too") {
						t.Errorf("the trouble of %s is %q", e.Address, e.Trouble)
					}
					if doubtful, since := s.r.Doubtful(e.Address); doubtful != want || since.Equal(time.Now()) != want {
						t.Errorf("%s is in doubt: %t, since %s", e.Address, doubtful, since)
					}
				}
			}
			wants(true)
			for range 60 {
				if err := s.r.Register(t.Context(), other); err != nil {
					t.Fatal(err)
				}
				s.beat("one", 1)
			}
			wants(false) // it ends, though both are there
			if len(s.announced) == 0 {
				t.Error("what they do not have counts never")
			}
			s.announced = nil
		})
	}
}

// A process with another data folder is another executor. One that names no folder may have the
// same, and so may one whose place was given back.
func TestReplaced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newTale(t)
		wants := func(what string, at time.Time, want bool) {
			t.Helper()
			if got := s.r.Replaced("http://e1", at); got != want {
				t.Errorf("%s: replaced %t, want %t", what, got, want)
			}
		}
		begun := time.Now()
		wants("nobody is there", begun, false)
		s.beatWith(job.Life{Incarnation: "one", Instance: "f1"})
		first := time.Now()
		wants("nobody was there", begun.Add(-time.Second), false)
		wants("the first one", first, false)
		s.beatWith(job.Life{Incarnation: "two", Instance: "f1"})
		wants("the same folder", first, false)
		s.beatWith(job.Life{Incarnation: "three", Instance: "f2"})
		wants("another folder", first, true)
		wants("another folder, since", time.Now(), false)
		s.beatWith(job.Life{Incarnation: "four"})
		wants("no folder is named", first, false)
		s.beatWith(job.Life{Incarnation: "five", Instance: "f1"})
		if err := s.r.Deregister(t.Context(), "a", "http://e1"); err != nil {
			t.Fatal(err)
		}
		left := time.Now()
		s.beatWith(job.Life{Incarnation: "six", Instance: "f3"})
		wants("after a farewell", left.Add(-time.Second), false)
	})
}

// Executors of other makes say nothing of themselves, and others say nonsense.
func TestLivesThatAreNone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newTale(t)
		for _, incarnation := range []string{"", "a b", "a\n", "\x7f", "ä", strings.Repeat("x", job.MaxIncarnation+1)} {
			for range 4 {
				s.beatWith(job.Life{Incarnation: incarnation, Whole: true, Load: &job.Load{Running: 1}})
			}
		}
		s.want()
		if e := s.r.Executors()[0]; e.Incarnation != "" || e.Load != nil {
			t.Errorf("it is shown as %+v", e)
		}
		s.beatWith(job.Life{Incarnation: "x", StartedAt: time.Unix(1, 0), Load: &job.Load{Running: -1}})
		if e := s.r.Executors()[0]; e.Incarnation != "x" || !e.StartedAt.Equal(time.Unix(1, 0)) || e.Load != nil {
			t.Errorf("it is shown as %+v", e)
		}
		s.beatWith(job.Life{Incarnation: "x", Load: &job.Load{Running: 3, Waiting: 7}})
		if e := s.r.Executors()[0]; e.Load == nil || *e.Load != (job.Load{Running: 3, Waiting: 7}) {
			t.Errorf("it is shown as %+v", e)
		}
	})
}

// What is known of addresses that come and go does not grow for ever.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, Config{Store: newRows(), Prober: newNetwork()})
		for i := range 3000 {
			b := job.Beat{Group: "a", Address: fmt.Sprintf("http://e%d", i), Life: job.Life{Incarnation: "x"}}
			if err := r.Register(t.Context(), b); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		synctest.Wait()
		r.mu.Lock()
		defer r.mu.Unlock()
		if most := 2*100 + 1100; len(r.lives) > most || len(r.reach) > most {
			t.Errorf("%d lives and %d answers are kept", len(r.lives), len(r.reach))
		}
	})
}

// The beats of a process name what it has. It is rid of what a second beat does not name and
// what was accepted well before the first one.
func TestSettledByBeats(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newTale(t)
		long, just := time.Now().Add(-time.Hour), time.Time{}
		want := func(what string, settled ...bool) {
			t.Helper()
			got := s.r.Settled("http://e1", []job.Attempt{{ID: 1, AcceptedAt: long}, {ID: 2, AcceptedAt: long}, {ID: 3, AcceptedAt: just}})
			if diff := gocmp.Diff(settled, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
		want("not known", false, false, false)
		s.beat("first", 2)
		s.beat("first", 2)
		want("another may beat as well", false, false, false)
		just = time.Now().Add(-time.Second)
		s.beat("first", 2)
		want("two beats", true, false, false)
		s.beat("first", 2)
		want("accepted just before the first of them", true, false, false)
		s.beat("first", 2)
		s.beat("first", 2)
		want("accepted long before", true, false, true)
		s.beatWith(job.Life{Incarnation: "first", Holds: []int64{2}})
		want("a beat that does not name all", false, false, false)
		s.beat("first")
		want("the outcome was taken", true, true, true)
		s.beat("second")
		want("another process", false, false, false)
		for range 3 {
			s.beat("second")
		}
		want("another process that is alone", true, true, true)
		for range 3 {
			other := job.Beat{Group: "b", Address: "http://e1", Life: job.Life{Incarnation: "third", Every: 10 * time.Second}}
			if err := s.r.Register(t.Context(), other); err != nil {
				t.Fatal(err)
			}
			s.beat("second")
		}
		want("two at one address", false, false, false)
	})
}
