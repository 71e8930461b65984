package upkeep

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/job"
)

// Each way in which an attempt without an answer can end.
func TestUnanswered(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		executor *executor
		want     job.State
		sent     bool
	}{
		{"it has the task", &executor{holds: map[int64]bool{7: true}}, job.Running, false},
		{"it never got it and takes it now", &executor{}, job.Running, true},
		{"it got it meanwhile", &executor{take: job.Errorf(job.Duplicate, "known")}, job.Running, true},
		{"it discards it", &executor{take: job.Errorf(job.Refused, "%w", job.ErrDiscarded)}, job.Skipped, true},
		{"it refuses it", &executor{take: job.Errorf(job.Refused, "no such handler")}, job.Failed, true},
		{"it refuses the sender", &executor{take: job.Errorf(job.Unauthorized, "wrong token")}, job.Failed, true},
		{"it is full", &executor{take: job.Errorf(job.Full, "full")}, job.Dispatched, true},
		{"it does not answer the task", &executor{take: job.Errorf(job.Ambiguous, "timeout")}, job.Dispatched, true},
		{"it does not know", &executor{ask: job.Errorf(job.Unavailable, "ask later")}, job.Dispatched, false},
		{"it is away", nil, job.Dispatched, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := start(t, Config{})
				w.change(func() {
					w.leases["http://1"] = true
					if test.executor != nil {
						w.executors["http://1"] = test.executor
					}
				})
				w.open(7, "http://1", job.Dispatched)
				pass(6 * time.Second)
				if got := w.state(7); got != test.want {
					t.Errorf("attempt is %s, want %s", got, test.want)
				}
				w.change(func() {
					if (len(w.sent) > 0) != test.sent {
						t.Errorf("sent %d times", len(w.sent))
					}
					for _, task := range w.sent {
						if task.AttemptID != 7 || task.Param != "p" {
							t.Errorf("sent as %+v, want the same attempt", task)
						}
					}
					if test.want == job.Failed && !strings.Contains(w.outcomes[0].Message, "(executor http://1)") {
						t.Errorf("message %q does not name the executor", w.outcomes[0].Message)
					}
				})
			})
		})
	}
}

// An executor that answers tasks with nonsense, and questions well, is not sent the
// same task for ever. One that cannot be asked is another matter.
func TestNonsenseIsGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := start(t, Config{GiveUp: time.Minute})
		nonsense := job.Errorf(job.Ambiguous, "HTTP status 500 with a page")
		w.change(func() {
			w.leases["http://1"], w.leases["http://2"] = true, true
			w.executors["http://1"] = &executor{take: nonsense}
			w.executors["http://2"] = &executor{take: nonsense, ask: job.Errorf(job.Unavailable, "ask later")}
		})
		w.open(7, "http://1", job.Dispatched)
		w.open(8, "http://2", job.Dispatched)
		pass(50 * time.Second)
		if got := w.state(7); got != job.Dispatched {
			t.Errorf("the attempt is %s before its time", got)
		}
		pass(30 * time.Second)
		if got := w.state(7); got != job.Failed {
			t.Errorf("the attempt is %s, want failed", got)
		}
		if got := w.state(8); got != job.Dispatched {
			t.Errorf("the attempt that nobody knows of is %s, want dispatched", got)
		}
		w.change(func() {
			if n := len(w.sent); n < 4 || n > 9 {
				t.Errorf("sent %d times in a minute", n)
			}
			if text := w.outcomes[0].Message; !strings.Contains(text, "nothing that can be understood") || !strings.Contains(text, "(executor http://1)") {
				t.Errorf("message %q", text)
			}
		})
	})
}

// An executor that takes an attempt at most once is asked by sending it again:
// what it holds it calls a duplicate, and a busy job holds nothing up.
func TestOnceIsAskedBySending(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := start(t, Config{Once: func(_, address string) bool { return address == "http://ours" }})
		never := job.Errorf(job.Unavailable, "busy with the job")
		w.change(func() {
			w.leases["http://ours"], w.leases["http://other"] = true, true
			w.executors["http://ours"] = &executor{ask: never}
			w.executors["http://other"] = &executor{ask: never}
		})
		w.open(7, "http://ours", job.Dispatched)
		w.open(8, "http://other", job.Dispatched)
		pass(6 * time.Second)
		if got := w.state(7); got != job.Running {
			t.Errorf("the attempt of an executor that takes it once is %s, want running", got)
		}
		if got := w.state(8); got != job.Dispatched {
			t.Errorf("the attempt of another one is %s, want dispatched: nobody knows", got)
		}
	})
}

func TestUnknownIsAskedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := start(t, Config{})
		w.change(func() { w.leases["http://1"] = true })
		w.open(7, "http://1", job.Dispatched)
		pass(61 * time.Second)
		w.change(func() {
			if n := w.asked["http://1"]; n < 4 || n > 7 {
				t.Errorf("asked %d times in a minute, want one each 10 s", n)
			}
			w.executors["http://1"] = &executor{holds: map[int64]bool{7: true}}
		})
		pass(16 * time.Second)
		if got := w.state(7); got != job.Running {
			t.Errorf("attempt is %s after the executor came back", got)
		}
	})
}

// A hundred attempts on an executor that is away are one question, and they
// keep nobody else waiting.
func TestSilentExecutorIsAskedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := start(t, Config{})
		w.change(func() {
			w.leases["http://dead"], w.leases["http://live"] = true, true
			w.executors["http://dead"] = &executor{ask: job.Errorf(job.Ambiguous, "timeout"), slow: 3 * time.Second}
			w.executors["http://live"] = &executor{}
		})
		for id := range int64(100) {
			w.open(id+1, "http://dead", job.Dispatched)
		}
		w.open(500, "http://live", job.Dispatched)
		pass(5100 * time.Millisecond) // the look at 5 s is under way
		if got := w.state(500); got != job.Running {
			t.Errorf("the attempt beside is %s", got)
		}
		pass(4 * time.Second)
		w.change(func() {
			if n := w.asked["http://dead"]; n != 1 {
				t.Errorf("the silent executor was asked %d times in one look", n)
			}
		})
	})
}

// An answer that gets lost is not silence: the attempts behind it do not wait for the
// next look, and none of an executor without a lease is lost because of it.
func TestLostAnswersAreNotSilence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := start(t, Config{Once: func(_, address string) bool { return address == "http://lossy" }})
		w.change(func() {
			w.leases["http://lossy"] = true
			w.executors["http://lossy"] = &executor{lossy: 3}
			w.executors["http://broken"] = &executor{lossy: 1000}
			w.executors["http://gone"] = &executor{lossy: 2, holds: map[int64]bool{1000: true, 1001: true}}
			w.leases["http://broken"] = true
		})
		for id := range int64(150) {
			w.open(id+1, "http://lossy", job.Dispatched)
		}
		for id := range int64(20) {
			w.open(id+501, "http://broken", job.Dispatched)
		}
		pass(5100 * time.Millisecond)
		for id := range int64(150) {
			if got := w.state(id + 1); got != job.Running {
				t.Fatalf("attempt %d is %s after one look", id+1, got)
			}
		}
		w.change(func() {
			if n := w.asked["http://broken"]; n != tries*tries {
				t.Errorf("the executor whose answers all break off was asked %d times in one look", n)
			}
		})
		w.open(1000, "http://gone", job.Running)
		w.open(1001, "http://gone", job.Running)
		pass(3 * time.Minute)
		for _, id := range []int64{1000, 1001} {
			if got := w.state(id); got != job.Running {
				t.Errorf("attempt %d is %s although its executor has it", id, got)
			}
		}
	})
}

func TestQuestionsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := start(t, Config{})
		for id := range int64(60) {
			address := fmt.Sprintf("http://%d", id)
			w.change(func() {
				w.leases[address] = true
				w.executors[address] = &executor{slow: time.Second}
			})
			w.open(id+1, address, job.Dispatched)
		}
		pass(20 * time.Second)
		w.change(func() {
			if w.busiest != atOnce {
				t.Errorf("%d questions at once, want %d", w.busiest, atOnce)
			}
			for _, a := range w.attempts {
				if a.State != job.Running {
					t.Errorf("attempt %d is %s", a.ID, a.State)
				}
			}
		})
	})
}

// A slow executor with many attempts does not hold up the looks for ever.
func TestSlowExecutorHasATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := start(t, Config{})
		w.change(func() {
			w.leases["http://slow"] = true
			w.executors["http://slow"] = &executor{slow: time.Second, holds: map[int64]bool{}}
			for id := range int64(100) {
				w.executors["http://slow"].holds[id+1] = true
			}
		})
		for id := range int64(100) {
			w.open(id+1, "http://slow", job.Dispatched)
		}
		pass(12 * time.Second)
		w.change(func() {
			if n := w.asked["http://slow"]; n > 6 {
				t.Errorf("asked %d times in one look", n)
			}
		})
		pass(10 * time.Minute)
		if got := w.state(100); got != job.Running {
			t.Errorf("the last attempt is %s", got)
		}
	})
}

func TestManyUnansweredInOneLook(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := start(t, Config{Batch: 10})
		w.change(func() {
			w.leases["http://1"] = true
			w.executors["http://1"] = &executor{}
		})
		for id := range int64(95) {
			w.open(id+1, "http://1", job.Dispatched)
		}
		pass(6 * time.Second)
		if got := w.state(95); got != job.Running {
			t.Errorf("the last attempt is %s after one look", got)
		}
	})
}

func TestRecorderAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := start(t, Config{})
		w.change(func() {
			w.leases["http://1"] = true
			w.executors["http://1"] = &executor{holds: map[int64]bool{7: true}}
			w.failing = job.Errorf(job.Unavailable, "away")
		})
		w.open(7, "http://1", job.Dispatched)
		pass(30 * time.Second)
		w.change(func() {
			if n := w.asked["http://1"]; n > 4 {
				t.Errorf("asked %d times in 30 s", n)
			}
			w.failing = nil
		})
		pass(16 * time.Second)
		if got := w.state(7); got != job.Running {
			t.Errorf("attempt is %s after the store came back", got)
		}
	})
}

func TestLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := start(t, Config{})
		w.change(func() {
			w.executors["http://drains"] = &executor{holds: map[int64]bool{3: true}}
			w.executors["http://other"] = &executor{}
			w.executors["http://mute"] = &executor{ask: job.Errorf(job.Unauthorized, "wrong token")}
			w.leases["http://live"] = true
		})
		w.open(1, "http://gone", job.Running)
		w.open(2, "http://gone", job.Dispatched)
		w.open(3, "http://drains", job.Running)
		w.open(4, "http://other", job.Running)
		w.open(5, "http://live", job.Running)
		w.open(6, "http://mute", job.Running)
		pass(89 * time.Second)
		for id := range int64(6) {
			if w.state(id + 1).Final() {
				t.Errorf("attempt %d ended in the grace after the start", id+1)
			}
		}
		pass(10 * time.Second)
		for id, want := range map[int64]job.State{
			1: job.Lost, 2: job.Lost, 3: job.Running, 4: job.Lost, 5: job.Running, 6: job.Running,
		} {
			if got := w.state(id); got != want {
				t.Errorf("attempt %d is %s, want %s", id, got, want)
			}
		}
		pass(59 * time.Minute)
		if w.state(3).Final() || w.state(6).Final() {
			t.Error("an executor that answers was given up within the hour")
		}
		pass(2 * time.Minute)
		if w.state(3) != job.Lost || w.state(6) != job.Lost {
			t.Error("an executor without a lease may keep a run open for ever")
		}
		w.change(func() {
			for _, o := range w.outcomes {
				if !strings.HasPrefix(o.Message, "executor http://") {
					t.Errorf("message %q does not name the executor", o.Message)
				}
			}
		})
	})
}

// Attempts that linger do not hide those behind them from a small batch.
func TestLingeringHidesNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := start(t, Config{Batch: 3, Grace: time.Second})
		held := make(map[int64]bool)
		for id := range int64(20) {
			held[id+1] = true
			w.open(id+1, "http://drains", job.Running)
		}
		w.change(func() { w.executors["http://drains"] = &executor{holds: held} })
		w.open(100, "http://gone", job.Running)
		pass(time.Minute)
		if got := w.state(100); got != job.Lost {
			t.Errorf("the attempt behind them is %s", got)
		}
		if got := w.state(20); got != job.Running {
			t.Errorf("a lingering attempt is %s", got)
		}
	})
}

// While the store is away no executor can beat: afterwards all have their grace.
func TestNothingIsLostAfterAnOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := start(t, Config{})
		w.open(1, "http://1", job.Running)
		w.change(func() { w.leases["http://1"] = true })
		pass(100 * time.Second)
		w.change(func() { w.fail = job.Errorf(job.Unavailable, "away"); w.leases["http://1"] = false })
		pass(5 * time.Minute)
		w.change(func() { w.fail = nil })
		pass(80 * time.Second)
		if got := w.state(1); got != job.Running {
			t.Fatalf("attempt is %s before its executor could beat", got)
		}
		pass(20 * time.Second)
		if got := w.state(1); got != job.Lost {
			t.Errorf("attempt is %s, want lost after the grace", got)
		}
	})
}

// TestUnansweredOfAnother leaves alone what another server takes over first.
func TestUnansweredOfAnother(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := start(t, Config{})
		w.change(func() {
			w.leases["http://1"], w.executors["http://1"], w.stolen[7] = true, &executor{}, true
		})
		w.open(7, "http://1", job.Dispatched)
		w.open(8, "http://1", job.Dispatched)
		pass(6 * time.Second)
		if seven, eight := w.state(7), w.state(8); seven != job.Dispatched || eight != job.Running || len(w.sent) != 1 {
			t.Errorf("attempts are %s and %s, %d sent", seven, eight, len(w.sent))
		}
	})
}

// An executor that beats again while it is asked loses nothing.
func TestLeaseComesBackWhileAsking(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := start(t, Config{})
		w.change(func() { w.executors["http://back"] = &executor{slow: 2 * time.Second} })
		w.open(1, "http://back", job.Running)
		for asked := 0; asked == 0; pass(500 * time.Millisecond) {
			w.change(func() { asked = w.asked["http://back"] })
		}
		w.change(func() { w.leases["http://back"] = true })
		pass(20 * time.Second)
		if got := w.state(1); got != job.Running {
			t.Errorf("the attempt is %s", got)
		}
		w.change(func() { delete(w.leases, "http://back") })
		pass(20 * time.Second)
		if got := w.state(1); got != job.Lost {
			t.Errorf("without a lease the attempt is %s", got)
		}
	})
}
