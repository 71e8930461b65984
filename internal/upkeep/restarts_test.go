package upkeep

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/internal/lifecycle/lifecycletest"
	"github.com/orthd/orth/job"
)

// running is a world that finds attempts by address, and says what executors
// answer that do not tell of restarts.
type running struct {
	*world
	nameless map[string]bool           // by address
	busy     map[string]map[int64]bool // by address and job
	lines    map[int64]int             // by attempt
	mute     map[string]error          // by address
	looks    map[string]int            // questions whether a job is busy, by address
	rid      map[int64]bool            // attempts that their executor has nothing of
	late     map[int64]bool            // those of them whose outcome comes at the last moment
	reads    int                       // of logs
	pages    int
	given    map[string][]int64      // attempts that were accepted, by address
	limits   map[int64]time.Duration // of attempts' jobs
	order    []string                // of given
	// successors are what Successors returns, by address, and has what Has answers.
	successors map[string][]Successor
	has        map[string]map[int64]bool
}

func (r *running) Has(_ context.Context, address string, attempts []job.Attempt) ([]bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	has := make([]bool, len(attempts))
	for i, a := range attempts {
		has[i] = r.has[address][a.ID]
	}
	return has, r.mute[address]
}

func (r *running) Successors(_ context.Context, address string, attempts []int64, _ time.Time) ([]Successor, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := slices.Clone(r.successors[address])
	for i := range found {
		found[i].Attempts = attempts
	}
	return found, r.fail
}

func (r *running) MoveAttempts(_ context.Context, attempts []job.Attempt, to string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range attempts {
		known := r.attempts[a.ID]
		known.Address = to
		r.attempts[a.ID] = known
		r.given[to] = append(r.given[to], a.ID)
		r.given[a.Address] = slices.DeleteFunc(r.given[a.Address], func(id int64) bool { return id == a.ID })
	}
	return nil
}

func (r *running) RunningOn(_ context.Context, address string, before time.Time, after int64, limit int) ([]job.Attempt, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pages++
	var found []job.Attempt
	for _, id := range r.given[address] {
		a := r.attempts[id]
		if a.State == job.Running && a.ID > after && a.AcceptedAt.Before(before) && len(found) < limit {
			found = append(found, a)
		}
	}
	return found, r.fail
}

func (r *running) NextNameless(_ context.Context, after string, _ time.Time) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.order) != len(r.given) {
		r.order = slices.Sorted(maps.Keys(r.given))
	}
	i, _ := slices.BinarySearch(r.order, after+"\x00")
	for ; i < len(r.order); i++ {
		if r.nameless[r.order[i]] {
			return r.order[i], r.fail
		}
	}
	return "", r.fail
}

// NextNamed takes all that are not nameless for named.
func (r *running) NextNamed(_ context.Context, after string, _ time.Time) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, address := range slices.Sorted(maps.Keys(r.given)) {
		if address > after && !r.nameless[address] {
			return address, r.fail
		}
	}
	return "", r.fail
}

func (r *running) TimeLimits(_ context.Context, attempts []int64) (map[int64]time.Duration, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := make(map[int64]time.Duration)
	for _, id := range attempts {
		if limit := r.limits[id]; limit > 0 {
			found[id] = limit
		}
	}
	return found, r.fail
}

func (r *running) Rid(_ context.Context, address string, attempts []job.Attempt) ([]bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rid := make([]bool, len(attempts))
	for i, a := range attempts {
		rid[i] = r.rid[a.ID]
		if rid[i] && r.late[a.ID] { // its outcome came while it was asked about
			a.State = job.Succeeded
			r.attempts[a.ID] = a
		}
	}
	return rid, r.mute[address]
}

func (r *running) Busy(_ context.Context, address string, jobID int64) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.looks[address]++
	return r.busy[address][jobID], r.mute[address]
}

func (r *running) LastLine(_ context.Context, _ string, a job.Attempt, from int) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reads++
	switch line, there := r.lines[a.ID]; {
	case line >= from:
		return line, nil
	case !there:
		return 0, nil
	}
	return from - 1, nil
}

// accepted adds an attempt that runs since now.
func (r *running) accepted(id, jobID int64, address string) {
	r.open(id, address, job.Running)
	r.change(func() {
		a := r.attempts[id]
		a.JobID, a.AcceptedAt = jobID, time.Now()
		r.attempts[id] = a
		r.leases[address] = true
		r.given[address] = append(r.given[address], id)
	})
}

// watch runs an upkeep with a world of running attempts until the test ends.
func watch(t *testing.T, c Config) (*Upkeep, *running) {
	t.Helper()
	r := &running{
		world: newWorld(), nameless: make(map[string]bool), busy: make(map[string]map[int64]bool), lines: make(map[int64]int),
		mute: make(map[string]error), looks: make(map[string]int),
		given: make(map[string][]int64),
	}
	c.Store, c.Executors, c.Recorder, c.Running, c.Watcher, c.Moves = r.world, r.world, r.world, r, r, r
	u := New(c)
	lifecycletest.Start(t, u.Run)
	synctest.Wait()
	return u, r
}

// wantStates checks attempts 1, 2, ….
func (r *running) wantStates(t *testing.T, want ...job.State) {
	t.Helper()
	for i, state := range want {
		if got := r.state(int64(i + 1)); got != state {
			t.Errorf("attempt %d is %s, want %s", i+1, got, state)
		}
	}
}

func TestRestarted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		u, r := watch(t, Config{Batch: 2})
		for id := range int64(5) {
			r.accepted(id+1, 1, "http://1")
		}
		r.accepted(6, 1, "http://2")
		r.open(7, "http://1", job.Dispatched) // nobody knows whether it arrived
		r.change(func() { r.checkAt[70] = time.Now().Add(time.Hour) })
		time.Sleep(time.Minute)
		since := time.Now()
		time.Sleep(time.Second)
		r.accepted(8, 1, "http://1") // the new process has it, whatever it said
		if !u.Restarted("http://1", since, []int64{4, 2}) {
			t.Error("nobody sees to the restart")
		}
		pass(6 * time.Second)
		r.wantStates(t, job.Lost, job.Running, job.Lost, job.Running, job.Lost, job.Running, job.Dispatched, job.Running)
		r.change(func() {
			if got := r.outcomes[0].Message; got != "executor http://1 restarted and does not know the attempt" {
				t.Errorf("the reason is %q", got)
			}
			r.pages = 0
		})
		pass(5 * time.Second)
		r.change(func() {
			if r.pages != 0 {
				t.Error("it was looked at twice")
			}
		})
	})
}

// A restart is not forgotten while the store is away, and the last word counts.
func TestRestartedWhileTheStoreIsAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		u, r := watch(t, Config{})
		r.accepted(1, 1, "http://1")
		r.accepted(2, 1, "http://1")
		time.Sleep(time.Second)
		r.change(func() { r.failing = job.Errorf(job.Unavailable, "away") })
		u.Restarted("http://1", time.Now(), nil)
		pass(30 * time.Second)
		r.wantStates(t, job.Running, job.Running)
		u.Restarted("http://1", time.Now(), []int64{2})
		r.change(func() { r.failing = nil })
		pass(6 * time.Second)
		r.wantStates(t, job.Lost, job.Running)
	})
}

func TestRestartsAreBounded(t *testing.T) {
	t.Parallel()
	u := New(Config{})
	for i := range maxRestarts {
		if !u.Restarted(fmt.Sprint(i), time.Unix(1, 0), nil) {
			t.Fatalf("restart %d was refused", i)
		}
	}
	if u.Restarted("one more", time.Unix(1, 0), nil) {
		t.Error("there is no bound")
	}
	if !u.Restarted("7", time.Unix(2, 0), nil) {
		t.Error("a later restart of a known executor was refused")
	}
	if len(u.restarts) != maxRestarts {
		t.Errorf("%d are kept", len(u.restarts))
	}
}

// TestForgotten follows an executor of another make that restarts: it was busy
// with the job, is idle now, and says nothing.
func TestForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, r := watch(t, Config{})
		r.change(func() {
			r.nameless["http://1"] = true
			r.busy["http://1"] = map[int64]bool{1: true, 2: true}
		})
		time.Sleep(2 * time.Minute)
		r.accepted(1, 1, "http://1")
		r.accepted(2, 2, "http://1")
		pass(10 * time.Minute)
		r.wantStates(t, job.Running, job.Running)
		r.change(func() { r.busy["http://1"][1] = false })
		pass(59 * time.Second)
		r.wantStates(t, job.Running) // its outcome may be on its way
		pass(60 * time.Second)
		r.wantStates(t, job.Lost, job.Running)
		pass(10 * time.Minute)
		r.wantStates(t, job.Lost, job.Running)
		r.change(func() {
			if n := r.looks["http://1"]; n > 2*50 {
				t.Errorf("asked %d times in 22 minutes about two jobs", n)
			}
		})
	})
}

// What might be running is never lost.
func TestNotForgotten(t *testing.T) {
	t.Parallel()
	for name, tell := range map[string]func(t *testing.T, r *running){
		"an executor that always says that it is idle": func(*testing.T, *running) {},
		"one whose log goes on": func(_ *testing.T, r *running) {
			r.change(func() { r.busy["http://1"] = map[int64]bool{1: true} })
			pass(time.Minute)
			r.change(func() { r.busy["http://1"] = nil })
			for range 30 {
				r.change(func() { r.lines[1]++ })
				pass(30 * time.Second)
			}
		},
		"one that is busy every other minute": func(_ *testing.T, r *running) {
			for i := range 20 {
				r.change(func() { r.busy["http://1"] = map[int64]bool{1: i%2 == 0} })
				pass(time.Minute)
			}
		},
		"one that does not answer": func(_ *testing.T, r *running) {
			r.change(func() { r.busy["http://1"] = map[int64]bool{1: true} })
			pass(time.Minute)
			r.change(func() {
				r.busy["http://1"] = nil
				r.mute["http://1"] = job.Errorf(job.Ambiguous, "timeout")
			})
		},
		"one that tells of restarts by itself": func(_ *testing.T, r *running) {
			r.change(func() {
				r.busy["http://1"] = map[int64]bool{1: true}
				r.nameless["http://1"] = false
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				_, r := watch(t, Config{})
				r.change(func() { r.nameless["http://1"] = true })
				time.Sleep(2 * time.Minute)
				r.accepted(1, 1, "http://1")
				tell(t, r)
				if got := r.state(1); got != job.Running {
					t.Errorf("attempt is %s", got)
				}
				pass(20 * time.Minute)
				if name != "one whose log goes on" && name != "one that is busy every other minute" {
					r.wantStates(t, job.Running)
				} else {
					r.wantStates(t, job.Lost) // when it has become silent for good
				}
			})
		})
	}
}

// TestForgottenSoon follows an executor of another make that is killed within seconds after
// it took a task, before any look, and is back at its address.
func TestForgottenSoon(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		taken func(t *testing.T, u *Upkeep, r *running)
		want  string
	}{
		"it was busy": {func(_ *testing.T, u *Upkeep, r *running) {
			r.change(func() { r.busy["http://1"] = map[int64]bool{1: true} })
			u.Taken("http://1", 1)
			pass(time.Second)
			r.change(func() { delete(r.busy, "http://1") })
		}, "has been idle with the job for 1m0s"},
		"it was busy with another job": {func(_ *testing.T, u *Upkeep, r *running) {
			u.Taken("http://1", 1)
			pass(time.Second)
			r.change(func() { r.busy["http://1"] = map[int64]bool{2: true} })
			u.Taken("http://1", 2)
			pass(time.Second)
			r.change(func() { delete(r.busy, "http://1") })
		}, "has been idle with the job for 1m0s"},
		"it was not there for a moment": {func(_ *testing.T, u *Upkeep, _ *running) {
			pass(time.Second)
			u.Refused("http://1")
		}, "was not there after it had taken the attempt"},
		"its log is not there any more": {func(_ *testing.T, _ *Upkeep, r *running) {
			r.change(func() { r.lines[1] = 7 })
			pass(59 * time.Second) // a look comes before it is killed
			r.change(func() { delete(r.lines, 1) })
		}, "has no log of the attempt any more"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				u, r := watch(t, Config{})
				r.change(func() { r.nameless["http://1"] = true })
				time.Sleep(2 * time.Minute)
				r.accepted(1, 1, "http://1")
				c.taken(t, u, r)
				pass(time.Minute)
				r.wantStates(t, job.Running) // its outcome may be on its way
				pass(time.Minute)
				r.wantStates(t, job.Lost)
				if got := r.outcomes[0].Message; !strings.Contains(got, c.want) {
					t.Errorf("the reason is %q, want one with %q", got, c.want)
				}
			})
		})
	}
}

// What nobody can tell is bounded, and shown: an executor that may be one that always
// answers that it is idle.
func TestForgottenAtLast(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		u, r := watch(t, Config{})
		r.limits = map[int64]time.Duration{2: 10 * time.Minute, 3: 3 * time.Hour}
		r.change(func() { r.nameless["http://1"] = true })
		time.Sleep(2 * time.Minute)
		u.Refused("http://1") // before it took them
		time.Sleep(time.Second)
		for id := range int64(4) {
			r.accepted(id+1, id+1, "http://1")
			u.Taken("http://1", id+1)
		}
		pass(20 * time.Second)
		if got := u.Warnings(); len(got) != 0 {
			t.Errorf("warnings at once: %q", got)
		}
		pass(2 * time.Minute)
		r.wantStates(t, job.Running, job.Running, job.Running, job.Running)
		if got := u.Warnings(); len(got) != 1 || !strings.Contains(got[0], "executor http://1 answers for") || !strings.Contains(got[0], "4 attempts of it are open") {
			t.Errorf("warnings: %q", got)
		}
		pass(10 * time.Minute)
		r.wantStates(t, job.Running, job.Lost, job.Running, job.Running)
		r.change(func() { r.lines[4]++ })
		pass(50 * time.Minute)
		r.wantStates(t, job.Lost, job.Lost, job.Running, job.Running)
		pass(2 * time.Hour)
		r.wantStates(t, job.Lost, job.Lost, job.Lost, job.Lost)
		pass(2 * time.Minute)
		if got := u.Warnings(); len(got) != 0 {
			t.Errorf("warnings at the end: %q", got)
		}
	})
}

// Questions after acceptances are few, and stop once the answer is known.
func TestAskedAfterAcceptance(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		u, r := watch(t, Config{})
		for range 100 {
			u.Taken("http://1", 1)
			pass(100 * time.Millisecond)
		}
		r.change(func() {
			if n := r.looks["http://1"]; n < 9 || n > 10 {
				t.Errorf("%d questions in 10 s to one that is idle", n)
			}
			r.busy["http://1"] = map[int64]bool{1: true}
		})
		for range 100 {
			u.Taken("http://1", 1)
			pass(100 * time.Millisecond)
		}
		r.change(func() {
			if n := r.looks["http://1"]; n > 12 {
				t.Errorf("%d questions to one that was busy", n)
			}
		})
		for i := range 3 * maxAsks { // more than may wait
			u.Taken(fmt.Sprint("http://", i), 1)
		}
		pass(time.Minute)
		r.change(func() {
			if n := len(r.looks); n > maxAsks+askers+1 {
				t.Errorf("%d executors were asked", n)
			}
		})
	})
}

// Many attempts of one job are one question; many executors are asked in turn.
func TestWatchingIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, r := watch(t, Config{Every: 25 * time.Second})
		for id := range int64(300) {
			r.accepted(id+1, 1, "http://many")
		}
		for id := range int64(watchAttempts + 500) {
			address := fmt.Sprintf("http://x%05d", id)
			r.accepted(1000+id, 1, address)
			r.change(func() { r.nameless[address] = true })
		}
		r.change(func() { r.nameless["http://many"] = true })
		pass(2 * time.Minute)
		var asked []int
		r.change(func() {
			if n := r.looks["http://many"]; n != 1 {
				t.Errorf("%d questions about one job in one look", n)
			}
			if n := len(r.looks); n > watchAttempts {
				t.Errorf("%d executors were asked in one look", n)
			}
		})
		pass(3 * time.Minute)
		r.change(func() {
			for _, n := range r.looks {
				asked = append(asked, n)
			}
			if len(asked) != watchAttempts+501 || slices.Min(asked) < 1 {
				t.Errorf("only %d executors were asked", len(asked))
			}
		})
	})
}

func TestIdling(t *testing.T) {
	t.Parallel()
	at := func(seconds int) time.Time { return time.Unix(int64(seconds), 0) }
	type look struct {
		line, at int
		lost     bool
	}
	for name, looks := range map[string][]look{
		"three looks and a minute":   {{0, 0, false}, {0, 30, false}, {0, 60, true}},
		"three looks are not enough": {{0, 0, false}, {0, 10, false}, {0, 20, false}, {0, 59, false}, {0, 60, true}},
		"a minute is not enough":     {{0, 0, false}, {0, 90, false}, {0, 120, true}},
		"a log that goes on":         {{0, 0, false}, {0, 30, false}, {4, 60, false}, {4, 90, false}, {4, 120, true}},
		"an old log":                 {{9, 0, false}, {9, 30, false}, {9, 60, true}},
		"a log that is gone":         {{9, 0, false}, {0, 30, false}, {0, 60, false}, {0, 90, true}},
	} {
		var i idling
		for n, l := range looks {
			var lost bool
			if i, lost = i.quiet(l.line, at(l.at)); lost != l.lost {
				t.Errorf("%s: after look %d lost is %t", name, n+1, lost)
			}
		}
	}
}

// What an executor that keeps outcomes has nothing of any more, and is open here, is
// lost; what has come meanwhile, and what one says that cannot be reached, is not.
func TestUnreported(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, r := watch(t, Config{})
		for id := range int64(4) {
			r.accepted(id+1, id+1, "http://1")
		}
		r.accepted(5, 5, "http://2")
		r.accepted(6, 6, "http://3")
		r.change(func() {
			r.rid, r.late = map[int64]bool{1: true, 3: true, 5: true, 6: true}, map[int64]bool{3: true}
			r.nameless["http://3"] = true
			r.mute["http://2"] = job.Errorf(job.Unavailable, "later")
		})
		pass(9 * time.Second)
		r.wantStates(t, job.Running, job.Running, job.Running, job.Running, job.Running, job.Running)
		pass(31 * time.Second)
		r.wantStates(t, job.Lost, job.Running, job.Succeeded, job.Running, job.Running, job.Running)
		r.change(func() {
			if len(r.outcomes) != 1 || !strings.Contains(r.outcomes[0].Message, "executor http://1 has nothing of the attempt any more") {
				t.Errorf("recorded: %v", r.outcomes)
			}
			r.mute["http://2"] = nil
		})
		pass(30 * time.Second)
		r.wantStates(t, job.Lost, job.Running, job.Succeeded, job.Running, job.Lost, job.Running)
	})
}

// While others do what any server can do, this one asks no executor and loses nothing, but
// ends what it alone was told of; afterwards it begins anew.
func TestIdle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var idle atomic.Bool
		idle.Store(true)
		u, r := watch(t, Config{Idle: idle.Load, Grace: time.Minute})
		r.accepted(1, 1, "http://1")
		r.accepted(2, 1, "http://2")
		r.open(3, "http://3", job.Dispatched)
		pass(time.Second)
		u.Restarted("http://1", time.Now(), nil)
		r.change(func() { clear(r.leases) })
		pass(3 * time.Hour)
		r.wantStates(t, job.Lost, job.Running, job.Dispatched)
		r.change(func() {
			if len(r.asked) > 0 || len(r.sent) > 0 {
				t.Errorf("it asked %v and sent %v", r.asked, r.sent)
			}
		})
		idle.Store(false)
		pass(10 * time.Second)
		r.wantStates(t, job.Lost, job.Lost, job.Lost)
	})
}
