package dispatcher

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

func TestAnswers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		err    error
		want   job.State
		reason string // of the run, or message of the outcome
	}{
		{"accepted", nil, job.Running, ""},
		{"it had it already", job.Errorf(job.Duplicate, "known"), job.Running, ""},
		{"refused", job.Errorf(job.Refused, "job handler [x] not found"), job.Failed, "job handler [x] not found (executor http://1)"},
		{
			"discarded", job.Errorf(job.Refused, "%w: Discard Later", job.ErrDiscarded), job.Skipped,
			"the job is busy there, and its overlap discards the run: Discard Later (executor http://1)",
		},
		{"wrong token", job.Errorf(job.Unauthorized, "wrong token"), job.Failed, "wrong token (executor http://1)"},
		{"unreachable", job.Errorf(job.Unreachable, "connection refused"), job.Queued, "connection refused (executor http://1)"},
		{"full", job.Errorf(job.Full, "10000 wait"), job.Queued, "10000 wait (executor http://1)"},
		{"no answer", job.Errorf(job.Ambiguous, "timeout"), job.Dispatched, ""},
		{"an error nobody knows", errors.New("surprise"), job.Dispatched, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var told []int64 // runs of attempts that were accepted
				w, d, _ := start(t, Config{Hooks: Hooks{Accepted: func(a job.Attempt, j *job.Job) {
					if told = append(told, a.RunID); j.ID != a.JobID {
						t.Errorf("an attempt of job %d was told with job %d", a.JobID, j.ID)
					}
				}}})
				w.change(func() {
					w.answer = func(string, job.Task) (time.Duration, error) { return 0, test.err }
				})
				r := w.add(time.Now(), 15*time.Second)
				d.Take([]job.Run{r})
				pass(100 * time.Millisecond)
				if accepted := test.want == job.Running; accepted != slices.Equal(told, []int64{r.ID}) || !accepted && len(told) > 0 {
					t.Errorf("told of acceptances: %v", told)
				}
				reason := test.reason
				if test.want.Final() {
					w.change(func() {
						if len(w.outcomes) != 1 || w.outcomes[0].Message != test.reason {
							t.Errorf("outcomes %+v", w.outcomes)
						}
					})
					reason = ""
				}
				w.want(t, r.ID, test.want, reason)
				if test.want == job.Dispatched {
					pass(10 * time.Minute) // whatever happens, it is not sent again from here
				}
				if n := len(w.sent()); n != 1 {
					t.Errorf("sent %d times", n)
				}
			})
		})
	}
}

func TestUndeliveredIsSentAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{})
		w.change(func() {
			w.answer = func(string, job.Task) (time.Duration, error) { return 0, job.Errorf(job.Unreachable, "refused") }
		})
		r := w.add(time.Now(), 15*time.Second)
		d.Take([]job.Run{r})
		pass(10 * time.Minute)
		sent := w.sent()
		if len(sent) != 13 {
			t.Fatalf("sent %d times, want the first and 12 more", len(sent))
		}
		for i := 1; i < len(sent); i++ {
			want := min(time.Second<<(i-1), 30*time.Second)
			gap := sent[i].at.Sub(sent[i-1].at)
			if gap < want*8/10 || gap > want*12/10+10*time.Millisecond {
				t.Errorf("%s before try %d, want %s ± 20 %%", gap, i+1, want)
			}
			if sent[i].task.AttemptID == sent[i-1].task.AttemptID {
				t.Error("an attempt id was used twice")
			}
		}
		w.want(t, r.ID, job.Failed, "")
		if got := w.run(r.ID); got.Undelivered != 12 || got.Tries != 13 {
			t.Errorf("%d tries, %d undelivered", got.Tries, got.Undelivered)
		}
	})
}

// A run whose executor has no room waits until there is some, however long that takes. It uses
// up none of the tries that a call without an executor costs, keeps no attempts, and is asked for
// twice a minute in the end.
func TestFullWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{})
		var answer error = job.Errorf(job.Full, "job 5 has 1000 tasks that wait on this executor, the most it takes")
		w.change(func() {
			w.answer = func(string, job.Task) (time.Duration, error) { return 0, answer }
		})
		r := w.add(time.Now(), 15*time.Second)
		d.Take([]job.Run{r})
		pass(time.Hour)
		w.want(t, r.ID, job.Queued, "job 5 has 1000 tasks that wait on this executor, the most it takes (executor http://1)")
		sent := w.sent()
		if n := len(sent); n < 100 || n > 170 {
			t.Errorf("sent %d times in an hour", n)
		}
		for i := 1; i < len(sent); i++ {
			if gap := sent[i].at.Sub(sent[i-1].at); gap < 800*time.Millisecond || gap > 37*time.Second {
				t.Errorf("%s before try %d", gap, i+1)
			}
		}
		w.change(func() {
			answer = job.Errorf(job.Unreachable, "refused")
			if run := w.runs[r.ID]; run.Tries != 0 || run.Undelivered != 0 || len(w.attempts) != 0 {
				t.Errorf("%d tries, %d undelivered, %d attempts", run.Tries, run.Undelivered, len(w.attempts))
			}
		})
		pass(time.Minute)
		w.want(t, r.ID, job.Queued, "refused (executor http://1)")
		w.change(func() { answer = nil })
		pass(40 * time.Second)
		w.want(t, r.ID, job.Running, "")
	})
}

// A short wait is not rounded up to the next poll.
func TestUndeliveredIsSentAgainInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{Undelivered: retry.Policy{Tries: 1, Initial: 100 * time.Millisecond}})
		w.change(func() {
			w.answer = func(string, job.Task) (time.Duration, error) { return 0, job.Errorf(job.Unreachable, "refused") }
		})
		pass(100 * time.Millisecond) // away from the poll
		d.Take([]job.Run{w.add(time.Now(), 15*time.Second)})
		pass(99 * time.Millisecond)
		if n := len(w.sent()); n != 1 {
			t.Errorf("sent %d times before the wait was over", n)
		}
		pass(time.Millisecond)
		if n := len(w.sent()); n != 2 {
			t.Errorf("sent %d times when the wait was over, want 2", n)
		}
	})
}

// A pick does not outlive an error of the store: executors may have left.
func TestPickedAnewAfterAnError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{})
		w.change(func() {
			calls := 0
			w.fail = func() error {
				if calls++; calls > 1 { // the job is read, the mark is not written
					return job.Errorf(job.Unavailable, "away")
				}
				return nil
			}
		})
		d.Take([]job.Run{w.add(time.Now(), 15*time.Second)})
		pass(500 * time.Millisecond)
		if w.count(&w.marks) != 1 {
			t.Fatal("no mark was tried")
		}
		w.change(func() {
			w.fail = func() error { return nil }
			w.alive[theGroup] = []string{"http://2"}
		})
		pass(time.Second)
		if sent := w.sent(); len(sent) != 1 || sent[0].address != "http://2" {
			t.Errorf("sent %+v, want one task to http://2", sent)
		}
	})
}

func TestUndeliveredComesToTheNextExecutor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{})
		w.change(func() {
			w.alive[theGroup] = []string{"http://1", "http://2"}
			w.answer = func(address string, _ job.Task) (time.Duration, error) {
				if address == "http://1" {
					return 0, job.Errorf(job.Unreachable, "refused")
				}
				return 0, nil
			}
		})
		r := w.add(time.Now(), 15*time.Second)
		d.Take([]job.Run{r})
		pass(3 * time.Second)
		w.want(t, r.ID, job.Running, "")
	})
}

// A black hole takes nothing from the executors beside it, and gives back what
// it does not take.
func TestBlackHole(t *testing.T) {
	t.Parallel()
	c := Config{Held: 512, Batch: 64, PerAddress: 4}
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, c)
		w.change(func() {
			w.alive[2] = []string{"http://hole"}
			w.jobs[4] = job.Job{ID: 4, GroupID: 2, Group: "hole", Route: job.RouteFirst, Version: 1}
			w.answer = func(address string, _ job.Task) (time.Duration, error) {
				if address == "http://hole" {
					return 3 * time.Second, job.Errorf(job.Ambiguous, "timeout")
				}
				return time.Millisecond, nil
			}
		})
		for range 600 { // a minute of 20 runs a second for the hole and 10 for the others
			for range 2 {
				r := w.add(time.Now(), 15*time.Second)
				w.change(func() { w.runs[r.ID].JobID, w.runs[r.ID].GroupID = 4, 2 })
				if d.Free() > 0 {
					d.Take([]job.Run{w.run(r.ID)})
				}
			}
			r := w.add(time.Now(), 15*time.Second)
			if d.Free() == 0 {
				t.Fatal("the black hole has filled the memory")
			}
			d.Take([]job.Run{r})
			pass(100 * time.Millisecond)
			w.want(t, r.ID, job.Running, "")
			if t.Failed() {
				return
			}
		}
		w.change(func() {
			// A queued run gives its reason: the hole is slow.
			for _, r := range w.runs {
				if r.JobID == 4 && r.State == job.Queued && !strings.Contains(r.Reason, "http://hole") {
					t.Fatalf("run %d waits because %q", r.ID, r.Reason)
				}
			}
			if w.marks > 1500 || w.requeued > 4000 {
				t.Errorf("%d marks, %d rows put back", w.marks, w.requeued)
			}
		})
	})
}

// Runs that are bound to no executor go to the one that is quick.
func TestSlowLaneIsPassedOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{PerAddress: 1})
		w.change(func() {
			w.alive[theGroup] = []string{"http://hole", "http://quick"}
			w.answer = func(address string, _ job.Task) (time.Duration, error) {
				if address == "http://hole" {
					return time.Hour, nil
				}
				return 0, nil
			}
		})
		for range 4 { // two wait for the hole: one called, one behind it
			d.Take([]job.Run{w.add(time.Now(), 15*time.Second)})
		}
		pass(4 * time.Second)
		before := len(w.sent())
		for range 20 {
			r := w.add(time.Now(), 15*time.Second)
			d.Take([]job.Run{r})
			pass(50 * time.Millisecond)
			w.want(t, r.ID, job.Running, "")
		}
		if n := len(w.sent()) - before; n != 20 {
			t.Errorf("%d of 20 were sent at once", n)
		}
		w.change(func() { w.answer = func(string, job.Task) (time.Duration, error) { return 0, nil } })
		pass(2 * time.Hour)
	})
}

// What waited too long in its lane is not sent: upkeep may be at it by now.
func TestStaleMarksAreNotSent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{PerAddress: 1})
		w.change(func() {
			w.answer = func(string, job.Task) (time.Duration, error) { return 5 * time.Second, nil }
		})
		began := time.Now()
		for range 10 {
			d.Take([]job.Run{w.add(time.Now(), 15*time.Second)})
		}
		pass(5 * time.Minute)
		ids := make(map[int64]bool)
		for _, s := range w.sent() {
			if ids[s.run] {
				t.Errorf("run %d was sent twice", s.run)
			}
			ids[s.run] = true
			if wait := s.at.Sub(s.task.TriggeredAt); wait > 7500*time.Millisecond {
				t.Errorf("run %d was sent %s after its mark", s.run, wait)
			}
		}
		if len(ids) != 10 {
			t.Errorf("%d of 10 were sent", len(ids))
		}
		if took := w.sent()[9].at.Sub(began); took > 2*time.Minute {
			t.Errorf("the last one was sent after %s", took)
		}
	})
}

// A machine's clock that steps back gives a server no time: what waits in a lane for long is
// upkeep's soon, and is not sent any more.
func TestStepBackGivesNoTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{PerAddress: 1})
		w.change(func() {
			w.ahead = 7 * time.Second
			w.alive[theGroup] = []string{"http://slow"}
			w.answer = func(string, job.Task) (time.Duration, error) { return 9 * time.Second, nil }
		})
		for range 2 {
			d.Take([]job.Run{w.add(time.Now(), 15*time.Second)})
		}
		pass(time.Minute)
		for _, s := range w.sent() {
			if marked := w.attempts[s.task.AttemptID].TriggeredAt.Add(-w.ahead); s.at.Sub(marked) > 7500*time.Millisecond {
				t.Errorf("attempt %d was sent %s after its mark", s.task.AttemptID, s.at.Sub(marked))
			}
		}
		if n := len(w.sent()); n != 2 {
			t.Errorf("%d were sent", n)
		}
	})
}

// Servers agree by the database's time when an attempt is whose.
func TestMarksHaveTheDatabasesTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		behind := func() time.Time { return time.Now().Add(-time.Hour) }
		w, d, _ := start(t, Config{Now: behind})
		r := w.add(time.Now(), 15*time.Second)
		want := behind().Add(15 * time.Second)
		d.Take([]job.Run{r})
		pass(time.Second)
		w.change(func() {
			if at := w.runs[r.ID].ReadyAt; at.Sub(want).Abs() > time.Second {
				t.Errorf("others look at the attempt at %s, want %s", at, want)
			}
		})
	})
}

// After Check an attempt belongs to upkeep: a late answer changes nothing.
func TestLateAnswerIsLeftAlone(t *testing.T) {
	t.Parallel()
	for _, kind := range []job.Kind{job.Unreachable, job.Refused} {
		synctest.Test(t, func(t *testing.T) {
			w, d, _ := start(t, Config{})
			w.change(func() {
				w.answer = func(string, job.Task) (time.Duration, error) { return 16 * time.Second, job.Errorf(kind, "late") }
			})
			r := w.add(time.Now(), 15*time.Second)
			d.Take([]job.Run{r})
			pass(time.Minute)
			w.want(t, r.ID, job.Dispatched, "")
		})
	}
}

// While the store is away answers are kept, and written when it is back, as long
// as the attempt is this room's.
func TestAnswersWhileTheStoreIsAway(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		answer error
		away   time.Duration
		want   job.State // of the attempt
	}{
		{"undelivered, a while", job.Errorf(job.Unreachable, "refused"), 8 * time.Second, job.Failed},
		{"undelivered, too long", job.Errorf(job.Unreachable, "refused"), 20 * time.Second, job.Dispatched},
		{"refused, a while", job.Errorf(job.Refused, "no"), 8 * time.Second, job.Failed},
		{"accepted, for long", nil, time.Minute, job.Running},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, d, _ := start(t, Config{})
				w.change(func() {
					w.answer = func(string, job.Task) (time.Duration, error) {
						w.fail = func() error { return job.Errorf(job.Unavailable, "away") }
						return 0, test.answer
					}
				})
				r := w.add(time.Now(), 15*time.Second)
				d.Take([]job.Run{r})
				pass(test.away)
				w.change(func() {
					w.fail = func() error { return nil }
					w.answer = func(string, job.Task) (time.Duration, error) { return 0, job.Errorf(job.Ambiguous, "") }
				})
				pass(2 * time.Second)
				w.change(func() {
					if got := w.attempts[1]; got.RunID != r.ID || got.State != test.want {
						t.Errorf("attempt %+v, want it %s", got, test.want)
					}
				})
			})
		})
	}
}

// A store that refuses one answer does not hold up the others.
func TestHopelessAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{})
		w.change(func() {
			w.answer = func(string, job.Task) (time.Duration, error) {
				w.fail = func() error { return job.Errorf(job.Internal, "broken row") }
				return 0, job.Errorf(job.Refused, "no")
			}
		})
		d.Take([]job.Run{w.add(time.Now(), 15*time.Second)})
		pass(time.Second)
		if n := d.count.Load(); n != 0 {
			t.Errorf("%d runs are still in memory", n)
		}
	})
}

// No error of the store makes the loop busy.
func TestStoreErrorsAreSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{})
		w.change(func() { w.fail = func() error { return job.Errorf(job.Unavailable, "away") } })
		for range 100 {
			d.Take([]job.Run{w.add(time.Now(), 15*time.Second)})
			d.WakeAt(time.Now())
			d.Wake()
			pass(100 * time.Millisecond)
		}
		if tries := w.count(&w.claims) + w.count(&w.marks) + w.count(&w.reads); tries > 25 {
			t.Errorf("%d tries in 10 s", tries)
		}
		w.change(func() { w.fail = func() error { return nil } })
		pass(2 * time.Second)
		if n := len(w.sent()); n != 100 {
			t.Errorf("%d of 100 were sent when the store was back", n)
		}
	})
}
