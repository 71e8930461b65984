package dispatcher

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/internal/breaker"
	"github.com/orthd/orth/job"
)

// edit changes the job of the tests.
func (w *world) edit(change func(j *job.Job)) {
	defer w.lock()()
	j := w.jobs[theJob]
	change(&j)
	w.jobs[theJob] = j
}

// addTo writes a run of another job, which is made when it is new, in a group of
// its own.
func (w *world) addTo(id int64, due time.Time, hidden time.Duration, edit func(*job.Job)) job.Run {
	r := w.add(due, hidden)
	defer w.lock()()
	if _, known := w.jobs[id]; !known {
		j := job.Job{ID: id, GroupID: id, Group: fmt.Sprintf("group-%d", id), Route: job.RouteRound, Version: 1}
		if edit != nil {
			edit(&j)
		}
		w.jobs[id] = j
	}
	at := w.runs[r.ID]
	at.JobID, at.GroupID, at.Priority = id, w.jobs[id].GroupID, w.jobs[id].Delivery.Priority
	return at.Run
}

// sentAt returns when the run reached an executor, and false when it did not.
func (w *world) sentAt(run int64) (time.Time, bool) {
	for _, s := range w.sent() {
		if s.run == run {
			return s.at, true
		}
	}
	return time.Time{}, false
}

// A run of high priority overtakes those of low priority that wait, as rows and
// in memory, and goes before normal ones.
func TestPriorityOvertakes(t *testing.T) {
	t.Parallel()
	for _, taken := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w, d, _ := start(t, Config{Held: 1024, PerAddress: 2})
			w.change(func() {
				w.answer = func(string, job.Task) (time.Duration, error) { return 20 * time.Millisecond, nil }
			})
			w.edit(func(j *job.Job) { j.Delivery.Priority = job.PriorityLow })
			for range 2000 { // 20 s of work
				r := w.add(time.Now(), 0)
				w.change(func() { w.runs[r.ID].Priority = job.PriorityLow })
			}
			d.WakeAt(time.Now())
			pass(2 * time.Second)
			hand := func(id int64, priority job.Priority) job.Run {
				hidden := time.Duration(0)
				if taken {
					hidden = 15 * time.Second
				}
				r := w.addTo(id, time.Now(), hidden, func(j *job.Job) {
					j.GroupID, j.Group, j.Delivery.Priority = theGroup, "g", priority
				})
				if taken {
					r.Priority = "" // a planner does not know
					d.Take([]job.Run{r})
				} else {
					d.WakeAt(time.Now())
				}
				return r
			}
			begun := time.Now()
			normal := hand(4, job.PriorityNormal)
			high := hand(5, job.PriorityHigh)
			pass(5 * time.Second)
			first, ok := w.sentAt(high.ID)
			if !ok || first.Sub(begun) > 1100*time.Millisecond {
				t.Errorf("taken %t: the high one was sent %t after %s", taken, ok, first.Sub(begun))
			}
			second, ok := w.sentAt(normal.ID)
			if !ok || second.Before(first) || second.Sub(begun) > 1200*time.Millisecond {
				t.Errorf("taken %t: the normal one was sent %t after %s", taken, ok, second.Sub(begun))
			}
		})
	}
}

// A group with a flood of runs that its executor cannot take holds up nobody
// else's, neither rows nor firings.
func TestFloodOfAnotherGroup(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{Held: 512, Batch: 64, PerAddress: 2})
		w.change(func() {
			w.alive[4] = []string{"http://quick"}
			w.answer = func(address string, _ job.Task) (time.Duration, error) {
				if address == "http://quick" {
					return 0, nil
				}
				return 20 * time.Millisecond, nil
			}
		})
		for range 2000 {
			w.add(time.Now(), 0)
		}
		d.WakeAt(time.Now())
		for range 2000 { // and firings on top
			if d.Free() == 0 {
				t.Fatal("the flood has filled the memory")
			}
			d.Take([]job.Run{w.add(time.Now(), 15*time.Second)})
			pass(time.Millisecond)
		}
		for range 5 {
			row := w.addTo(4, time.Now(), 0, nil)
			d.WakeAt(time.Now())
			firing := w.addTo(4, time.Now(), 15*time.Second, nil)
			d.Take([]job.Run{firing})
			pass(1100 * time.Millisecond)
			for _, r := range []job.Run{row, firing} {
				if at, ok := w.sentAt(r.ID); !ok || at.Sub(r.CreatedAt) > time.Second {
					t.Errorf("a run beside the flood was sent %t after %s", ok, at.Sub(r.CreatedAt))
				}
			}
			if free := d.Free(); free < 64 {
				t.Errorf("Free() = %d beside a flood", free)
			}
		}
		// The flooded executor is kept busy all the same: 100 a second.
		if n := len(w.sent()); n < 600 {
			t.Errorf("%d were sent in 7.5 seconds", n)
		}
	})
}

// Twenty executors that take calls and never answer cost a healthy group
// nothing, and are hardly called any more after a while.
func TestTwentyBlackHoles(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{Held: 1024, Batch: 64, PerAddress: 8})
		w.change(func() {
			for id := int64(10); id < 30; id++ {
				w.alive[id] = []string{fmt.Sprintf("http://hole-%d", id)}
			}
			w.answer = func(address string, _ job.Task) (time.Duration, error) {
				if strings.Contains(address, "hole") {
					return 3 * time.Second, job.Errorf(job.Ambiguous, "no answer")
				}
				return time.Millisecond, nil
			}
		})
		for range 100 {
			for id := int64(10); id < 30; id++ {
				w.addTo(id, time.Now(), 0, nil)
			}
		}
		d.WakeAt(time.Now())
		for range 300 { // half a minute
			r := w.add(time.Now(), 15*time.Second)
			if d.Free() == 0 {
				t.Fatal("the black holes have filled the memory")
			}
			d.Take([]job.Run{r})
			pass(100 * time.Millisecond)
			w.want(t, r.ID, job.Running, "")
		}
		calls := 0
		for _, s := range w.sent() {
			if strings.Contains(s.address, "hole") {
				calls++
			}
		}
		// Eight at once before anything is known, four more before the fifth has
		// failed, then one every few seconds.
		if calls > 20*16 {
			t.Errorf("%d calls to 20 black holes in 30 s", calls)
		}
		for _, status := range d.config.Breaker.All(time.Now()) {
			if status.State == breaker.Closed || status.Reason == "" {
				t.Errorf("%s is %s because %q", status.Address, status.State, status.Reason)
			}
		}
		w.change(func() { // upkeep would find out about those that were called
			w.answer = func(string, job.Task) (time.Duration, error) { return 0, nil }
		})
		pass(time.Minute)
		open := 0
		w.change(func() {
			for _, r := range w.runs {
				if r.State.Waiting() {
					open++
				}
			}
		})
		if open != 0 {
			t.Errorf("%d runs wait a minute after the holes have become well", open)
		}
	})
}

// While all executors are left alone the run says so, and waits until one may be
// tried; then one call finds out, and the others follow.
func TestBreakerLetsOneThrough(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		set := breaker.New(breaker.Config{Failures: 3, Cool: 10 * time.Second})
		w, d, _ := start(t, Config{Breaker: set, PerAddress: 4})
		w.change(func() {
			w.answer = func(string, job.Task) (time.Duration, error) {
				return 10 * time.Millisecond, job.Errorf(job.Unreachable, "connection refused")
			}
		})
		for range 3 {
			d.Take([]job.Run{w.add(time.Now(), 15*time.Second)})
		}
		pass(200 * time.Millisecond)
		calls := len(w.sent())
		var waiting []job.Run
		for range 50 {
			waiting = append(waiting, w.add(time.Now(), 15*time.Second))
		}
		d.Take(waiting)
		pass(5 * time.Second)
		if n := len(w.sent()) - calls; n != 0 {
			t.Errorf("%d calls to an executor that is left alone", n)
		}
		w.want(t, waiting[7].ID, job.Queued, "executor http://1 is left alone until")
		w.want(t, waiting[7].ID, job.Queued, "connection refused")

		// The trial fails: one call, and twice as long alone.
		pass(6 * time.Second)
		if n := len(w.sent()) - calls; n != 1 {
			t.Errorf("%d calls as a trial", n)
		}
		w.change(func() { w.answer = func(string, job.Task) (time.Duration, error) { return 50 * time.Millisecond, nil } })
		pass(20 * time.Second)
		if set.Status("http://1", time.Now()).State != breaker.Closed {
			t.Error("an executor that answers is left alone")
		}
		pass(20 * time.Second)
		for _, r := range waiting {
			w.want(t, r.ID, job.Running, "")
		}
	})
}

// Refusals, and executors that are full, answer: they are not left alone.
func TestAnswersAreNoFailures(t *testing.T) {
	t.Parallel()
	for kind, counts := range map[job.Kind]bool{
		job.Unreachable: true, job.Ambiguous: true, job.Refused: false, job.Full: false, job.Internal: false, job.Unauthorized: false,
	} {
		if got := silent(fmt.Errorf("send: %w", job.Errorf(kind, "no"))); got != counts {
			t.Errorf("%s counts: %t, want %t", kind, got, counts)
		}
	}
	if silent(nil) || silent(errors.New("no")) {
		t.Error("a success, or an error of nobody knows what, counts")
	}
}

// A lane that holds tasks when its executor is given up hands them back.
func TestLaneOfAnExecutorThatIsLeftAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{PerAddress: 1, Breaker: breaker.New(breaker.Config{Failures: 1, Cool: 5 * time.Second})})
		w.change(func() {
			w.answer = func(string, job.Task) (time.Duration, error) {
				return 100 * time.Millisecond, job.Errorf(job.Unreachable, "no route to host")
			}
		})
		first, second := w.add(time.Now(), 15*time.Second), w.add(time.Now(), 15*time.Second)
		d.Take([]job.Run{first, second})
		pass(time.Second)
		if n := len(w.sent()); n != 1 {
			t.Errorf("%d calls", n)
		}
		w.want(t, second.ID, job.Queued, "is left alone until")
		w.change(func() { w.answer = func(string, job.Task) (time.Duration, error) { return 0, nil } })
		pass(10 * time.Second)
		w.want(t, second.ID, job.Running, "")
	})
}

func TestPerGroup(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{PerGroup: 3})
		w.change(func() {
			w.alive[theGroup] = []string{"http://1", "http://2"}
			w.alive[4] = []string{"http://other"}
			w.answer = func(string, job.Task) (time.Duration, error) { return time.Second, nil }
		})
		for range 12 {
			d.Take([]job.Run{w.add(time.Now(), 15*time.Second)})
		}
		other := w.addTo(4, time.Now(), 15*time.Second, nil)
		d.Take([]job.Run{other})
		for second := range 4 {
			pass(time.Second - time.Millisecond)
			if n := len(w.sent()) - 1; n != 3*(second+1) {
				t.Errorf("%d tasks of the group were sent in the second %d, want 3 more each", n, second)
			}
			pass(time.Millisecond)
		}
		w.want(t, other.ID, job.Running, "")
	})
}

func TestSelector(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{})
		w.change(func() {
			w.alive[theGroup] = []string{"http://1", "http://2", "http://3"}
			w.features = map[string][]string{
				"http://1": {"shell", "zone=us"}, "http://2": {"zone=eu"}, "http://3": {"zone=eu", "disk=ssd"},
			}
		})
		w.edit(func(j *job.Job) { j.Delivery.Selector = map[string]string{"zone": "eu", "disk": "ssd"} })
		for range 5 {
			d.Take([]job.Run{w.add(time.Now(), 15*time.Second)})
		}
		pass(time.Second)
		for _, s := range w.sent() {
			if s.address != "http://3" {
				t.Errorf("sent to %s, which has not what is selected", s.address)
			}
		}
		w.change(func() { w.features["http://3"] = nil })
		r := w.add(time.Now(), 15*time.Second)
		d.Take([]job.Run{r})
		pass(time.Second)
		w.want(t, r.ID, job.Queued, "no executor of group g that is alive has disk=ssd and zone=eu, which the job selects")
		w.change(func() { w.features["http://1"] = []string{"zone=eu", "disk=ssd"} })
		pass(10 * time.Second)
		w.want(t, r.ID, job.Running, "")
	})
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{})
		w.change(func() { w.alive[theGroup] = []string{"http://1", "http://2", "http://3"} })
		send := func(addresses ...string) job.Run {
			r := w.add(time.Now(), 15*time.Second)
			r.Addresses = addresses
			w.change(func() { w.runs[r.ID].Addresses = addresses })
			d.Take([]job.Run{r})
			pass(100 * time.Millisecond)
			return r
		}
		got := make(map[string]int)
		for range 4 {
			send("http://3", "http://2", "http://gone")
		}
		for _, s := range w.sent() {
			got[s.address]++
		}
		if got["http://2"] != 2 || got["http://3"] != 2 {
			t.Errorf("sent %v, want to the two that were named", got)
		}
		r := send("http://gone")
		w.want(t, r.ID, job.Queued, "address http://gone is not registered in group g")
		w.change(func() { w.alive[theGroup] = []string{"http://gone"} })
		pass(10 * time.Second)
		w.want(t, r.ID, job.Running, "")
	})
}

func TestExpired(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		state  job.State
		tries  int // none of them taken
		took   int
		claim  bool
		reason string
	}{
		{"a firing", job.Planned, 0, 0, false, "expired: waited 10s and no executor took it"},
		{"a row", job.Planned, 0, 0, true, "expired: waited 10s and no executor took it"},
		{"one that nobody took", job.Queued, 2, 0, true, "expired: waited 10s and no executor took it; the last reason: refused"},
		{"a retry", job.WaitingRetry, 2, 1, true, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var told []int64
				w, d, _ := start(t, Config{Hooks: Hooks{Expired: func(r job.Run) { told = append(told, r.ID) }}})
				w.edit(func(j *job.Job) { j.Delivery.ExpireAfter = 10 * time.Second })
				due := time.Now().Add(-10 * time.Second)
				r := w.add(due, 0)
				w.change(func() {
					at := w.runs[r.ID]
					at.State, at.Tries, at.Undelivered, at.ExpireAt = test.state, test.tries+test.took, test.tries, due.Add(10*time.Second)
					if test.tries > 0 && test.took == 0 {
						at.Reason = "refused"
					}
					if !test.claim {
						at.ReadyAt = time.Now().Add(time.Hour)
					}
					r = at.Run
				})
				if r.ExpireAt, r.DueAt = (time.Time{}), due; test.claim {
					d.WakeAt(time.Now())
				} else {
					d.Take([]job.Run{r})
				}
				pass(time.Second)
				if test.reason == "" {
					w.want(t, r.ID, job.Running, "")
					return
				}
				w.want(t, r.ID, job.Skipped, test.reason)
				if !slices.Equal(told, []int64{r.ID}) {
					t.Errorf("told of %v", told)
				}
			})
		})
	}
}

// The store that is away keeps nothing from being given up later.
func TestExpiredWhileTheStoreIsAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{})
		w.edit(func(j *job.Job) { j.Delivery.ExpireAfter = time.Second })
		r := w.add(time.Now().Add(-time.Hour), 15*time.Second)
		d.jobs.Store(&job.Job{ID: theJob, GroupID: theGroup, Version: 1, Delivery: job.Delivery{ExpireAfter: time.Second}})
		w.change(func() { w.fail = func() error { return job.Errorf(job.Unavailable, "away") } })
		d.Take([]job.Run{r})
		pass(3 * time.Second)
		w.want(t, r.ID, job.Planned, "")
		w.change(func() { w.fail = func() error { return nil } })
		pass(3 * time.Second)
		w.want(t, r.ID, job.Skipped, "expired")
	})
}

func TestBusyoverAsksForTheJob(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{})
		w.failover("http://1", "http://2")
		w.edit(func(j *job.Job) { j.Route = job.RouteBusyover })
		w.change(func() { w.busy = func(address string, id int64) bool { return address == "http://1" && id == theJob } })
		r := w.add(time.Now(), 15*time.Second)
		other := w.addTo(4, time.Now(), 15*time.Second, func(j *job.Job) {
			j.GroupID, j.Group, j.Route = theGroup, "g", job.RouteBusyover
		})
		d.Take([]job.Run{r, other})
		pass(100 * time.Millisecond)
		got := make(map[int64]string)
		for _, s := range w.sent() {
			got[s.run] = s.address
		}
		if got[r.ID] != "http://2" || got[other.ID] != "http://1" {
			t.Errorf("sent %v, want the busy job's to the second", got)
		}
	})
}

func TestLeastLoadedAndWeighted(t *testing.T) {
	t.Parallel()
	for route, want := range map[job.Route]map[string]int{
		job.RouteLeastLoaded: {"http://1": 6, "http://2": 10}, // the first has four tasks already
		job.RouteWeighted:    {"http://1": 12, "http://2": 4},
	} {
		synctest.Test(t, func(t *testing.T) {
			w, d, _ := start(t, Config{})
			w.failover("http://1", "http://2")
			w.edit(func(j *job.Job) { j.Route = route })
			w.change(func() {
				w.loads = map[string]job.Load{"http://1": {Running: 3, Waiting: 1}, "http://2": {}}
				w.features = map[string][]string{"http://1": {"shell", "weight=3"}, "http://2": {"weight=x"}}
				w.answer = func(string, job.Task) (time.Duration, error) { return time.Minute, nil }
			})
			var runs []job.Run
			for range 16 {
				runs = append(runs, w.add(time.Now(), 15*time.Second))
			}
			d.Take(runs)
			pass(time.Second)
			got := make(map[string]int)
			for _, s := range w.sent() {
				got[s.address]++
			}
			if got["http://1"] != want["http://1"] || got["http://2"] != want["http://2"] {
				t.Errorf("%s: sent %v, want %v", route, got, want)
			}
			w.change(func() { w.answer = func(string, job.Task) (time.Duration, error) { return 0, nil } })
			pass(2 * time.Minute)
		})
	}
}

// Whoever counts rows that wait is told of each claim, and when none is left.
func TestClaimsAreTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var claims, rows int
		var done bool // as of the last claim
		w, d, _ := start(t, Config{Batch: 64, Hooks: Hooks{Claimed: func(of map[int64]int, all bool) {
			mu.Lock()
			defer mu.Unlock()
			if len(of) == 0 {
				t.Error("no group was asked for")
			}
			for _, n := range of {
				rows += n
			}
			claims, done = claims+1, all
		}}})
		for range 200 {
			w.add(time.Now(), 0)
		}
		d.WakeAt(time.Now())
		pass(100 * time.Millisecond)
		mu.Lock()
		defer mu.Unlock()
		if rows != 200 || claims < 4 || !done {
			t.Errorf("%d rows in %d claims, the last of which took all: %t; want 200 in at least 4, and yes", rows, claims, done)
		}
	})
}

// A claim of which other servers were quicker with a part says nothing about what is
// left, and is followed by the next one at once.
func TestClaimsBesideOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var told []string
		w, d, _ := start(t, Config{Batch: 64, Hooks: Hooks{Claimed: func(of map[int64]int, all bool) {
			mu.Lock()
			defer mu.Unlock()
			for _, n := range of {
				told = append(told, fmt.Sprintf("%d %t", n, all))
			}
		}}})
		w.change(func() { w.rivals = 100 })
		for range 200 {
			w.add(time.Now(), 0)
		}
		d.WakeAt(time.Now())
		pass(100 * time.Millisecond)
		mu.Lock()
		defer mu.Unlock()
		if want := []string{"0 true", "0 false", "28 false", "64 false", "8 true"}; !slices.Equal(told, want) {
			t.Errorf("the claims were told as %q, want %q", told, want)
		}
	})
}
