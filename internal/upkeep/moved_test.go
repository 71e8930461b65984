package upkeep

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/job"
)

// wantAt checks the addresses of attempts 1, 2, ….
func (r *running) wantAt(t *testing.T, want ...string) {
	t.Helper()
	r.change(func() {
		for i, address := range want {
			if got := r.attempts[int64(i+1)].Address; got != address {
				t.Errorf("attempt %d is at %s, want %s", i+1, got, address)
			}
		}
	})
}

// An executor restarts under another address with its data folder: what it has is not lost,
// and moves there. What it does not have is lost; nothing is while it gives no answer.
func TestMoved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, r := watch(t, Config{})
		time.Sleep(2 * time.Minute)
		for id := range int64(3) {
			r.accepted(id+1, 1, "http://1")
		}
		r.open(4, "http://1", job.Dispatched)
		r.accepted(5, 1, "http://3")
		r.change(func() {
			r.leases = map[string]bool{"http://2": true}
			r.successors = map[string][]Successor{
				"http://1": {{Address: "http://2", Same: true}},
				"http://3": {{Address: "http://4"}}, // another one of the group, without an answer
			}
			r.has = map[string]map[int64]bool{"http://2": {1: true, 3: true, 4: true}}
			r.mute = map[string]error{
				"http://2": job.Errorf(job.Ambiguous, "timeout"), "http://4": job.Errorf(job.Ambiguous, "timeout"),
			}
		})
		pass(30 * time.Second)
		r.wantStates(t, job.Running, job.Running, job.Running, job.Dispatched, job.Lost)
		r.change(func() {
			delete(r.mute, "http://2")
			r.rid = map[int64]bool{}
			r.executors["http://2"] = &executor{holds: map[int64]bool{4: true}}
		})
		pass(30 * time.Second)
		r.wantStates(t, job.Running, job.Lost, job.Running, job.Running, job.Lost)
		r.wantAt(t, "http://2", "http://1", "http://2", "http://2", "http://3")
		if len(r.sent) > 0 {
			t.Errorf("sent again: %v", r.sent)
		}
	})
}

// Another executor has come to the address of one that has another one now: what it does not
// know is not lost, neither when it says so with its beats nor when it is asked.
func TestMovedAndReplaced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		u, r := watch(t, Config{})
		time.Sleep(time.Minute)
		r.accepted(1, 1, "http://1")
		r.accepted(2, 1, "http://1")
		r.change(func() {
			r.leases["http://2"] = true
			r.successors = map[string][]Successor{"http://1": {{Address: "http://2", Same: true}}}
			r.has = map[string]map[int64]bool{"http://2": {1: true}}
		})
		time.Sleep(time.Second)
		u.Restarted("http://1", time.Now(), nil)
		pass(6 * time.Second)
		r.wantStates(t, job.Running, job.Lost)
		r.wantAt(t, "http://2", "http://1")

		r.accepted(3, 1, "http://1")
		r.accepted(4, 1, "http://1")
		r.change(func() {
			r.has["http://2"][3] = true
			r.rid = map[int64]bool{3: true, 4: true}
		})
		pass(45 * time.Second)
		r.change(func() { r.rid = nil })
		r.wantStates(t, job.Running, job.Lost, job.Running, job.Lost)
		r.wantAt(t, "http://2", "http://1", "http://2", "http://1")
	})
}

// A task without an answer is not sent to another process than before while another one may
// have it. It is not for ever: not when the other one says what it has, nor when it ends, nor
// when it gives no answer.
func TestUnansweredByAnotherProcess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var since time.Time
		shared := false
		_, r := watch(t, Config{
			Once: func(string, string) bool { return true },
			Doubtful: func(address string) (bool, time.Time) {
				if address == "http://1" {
					return shared, since
				}
				return false, time.Time{}
			},
		})
		time.Sleep(time.Minute)
		for id := range int64(4) {
			r.open(id+1, "http://1", job.Dispatched)
		}
		other := Successor{Address: "http://1", Here: true}
		at := time.Now()
		lists := func(holds ...int64) {
			other.Holds, other.Whole, other.ListedAt = holds, true, time.Now()
			r.successors = map[string][]Successor{"http://1": {other}}
		}
		r.change(func() {
			since = at.Add(time.Second)
			for id, a := range r.attempts {
				a.TriggeredAt = at
				r.attempts[id] = a
			}
			r.leases = map[string]bool{"http://1": true, "http://2": true}
			r.executors["http://1"] = &executor{}
			r.executors["http://2"] = &executor{holds: map[int64]bool{4: true}, take: job.Errorf(job.Duplicate, "known")}
			r.successors = map[string][]Successor{"http://1": {other}}
		})
		wants := func(states ...job.State) {
			t.Helper()
			r.wantStates(t, states...)
			if len(r.sent) > 0 {
				t.Errorf("sent again: %v", r.sent)
			}
		}
		pass(30 * time.Second)
		wants(job.Dispatched, job.Dispatched, job.Dispatched, job.Dispatched)
		r.change(func() {
			lists(2)
			other.ListedAt = at.Add(time.Second)
			r.successors["http://1"] = []Successor{other} // it lists what is on its way with the next beat
		})
		pass(20 * time.Second)
		wants(job.Dispatched, job.Running, job.Dispatched, job.Dispatched)
		r.change(func() {
			lists(1)
			r.successors["http://1"] = append(r.successors["http://1"], Successor{Address: "http://2", Same: true})
			r.has = map[string]map[int64]bool{"http://2": {4: true}}
			r.mute["http://2"] = job.Errorf(job.Ambiguous, "timeout")
		})
		pass(30 * time.Second)
		wants(job.Running, job.Running, job.Dispatched, job.Dispatched)
		r.change(func() {
			delete(r.mute, "http://2")
			shared = true
		})
		pass(30 * time.Second)
		r.wantStates(t, job.Running, job.Running, job.Dispatched, job.Running)
		r.wantAt(t, "http://1", "http://1", "http://1", "http://2")
		r.change(func() { shared = false })
		pass(30 * time.Second)
		r.wantStates(t, job.Running, job.Running, job.Running, job.Running)
		var sent []int64
		for i := range r.sent {
			sent = append(sent, r.sent[i].AttemptID)
		}
		if !slices.Equal(sent, []int64{4, 3}) { // where it is, and what no process has
			t.Errorf("sent again: %v, want 4 and 3", sent)
		}
	})
}

// An executor that beats, and never answers whether it has an attempt, does not keep it for
// ever: neither one at another address nor one at the same that does not list all it has.
func TestDoubtEnds(t *testing.T) {
	t.Parallel()
	for name, other := range map[string]Successor{
		"no answer":     {Address: "http://2", Same: true},
		"no whole list": {Address: "http://1", Here: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var since time.Time
				u, r := watch(t, Config{
					Once:     func(string, string) bool { return true },
					Doubtful: func(string) (bool, time.Time) { return false, since },
				})
				time.Sleep(time.Minute)
				r.accepted(1, 1, "http://1")
				r.open(2, "http://1", job.Dispatched)
				r.change(func() {
					since = time.Now().Add(time.Second)
					r.leases = map[string]bool{"http://1": true, "http://2": true}
					r.executors["http://1"] = &executor{}
					other.Holds, other.ListedAt = []int64{7}, time.Now().Add(time.Hour)
					r.successors = map[string][]Successor{"http://1": {other}}
					r.mute["http://2"] = job.Errorf(job.Ambiguous, "timeout")
				})
				time.Sleep(2 * time.Second)
				u.Restarted("http://1", time.Now(), nil)
				pass(9 * time.Minute)
				r.wantStates(t, job.Running, job.Dispatched)
				pass(2 * time.Minute)
				r.wantStates(t, job.Lost, job.Lost)
				if len(r.sent) > 0 {
					t.Errorf("sent again: %v", r.sent)
				}
			})
		})
	}
}
