package upkeep

import (
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

// A task without an answer is not sent to another process than before while that may be one
// of two at its address, and not while an executor that has it is elsewhere.
func TestUnansweredByAnotherProcess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		doubtful := true
		var since time.Time
		_, r := watch(t, Config{
			Once:     func(string, string) bool { return true },
			Doubtful: func(string) (bool, time.Time) { return doubtful, since },
		})
		time.Sleep(time.Minute)
		r.change(func() { since = time.Now() })
		r.open(1, "http://1", job.Dispatched)
		r.open(2, "http://1", job.Dispatched)
		r.open(3, "http://1", job.Dispatched)
		r.change(func() {
			r.leases = map[string]bool{"http://1": true, "http://2": true}
			r.executors["http://1"] = &executor{holds: map[int64]bool{2: true}}
			r.executors["http://2"] = &executor{holds: map[int64]bool{3: true}}
			late := r.attempts[2]
			late.TriggeredAt = since.Add(-time.Second)
			r.attempts[2] = late
		})
		pass(30 * time.Second)
		r.wantStates(t, job.Dispatched, job.Running, job.Dispatched)
		if len(r.sent) > 0 {
			t.Errorf("sent again: %v", r.sent)
		}
		r.change(func() {
			doubtful = false
			r.successors = map[string][]Successor{"http://1": {{Address: "http://2", Same: true}}}
			r.has = map[string]map[int64]bool{"http://2": {3: true}}
			r.executors["http://2"].take = job.Errorf(job.Duplicate, "known")
		})
		pass(40 * time.Second)
		r.wantStates(t, job.Running, job.Running, job.Running)
		r.wantAt(t, "http://1", "http://1", "http://2")
	})
}
