package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/internal/outbox"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/mem"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

func TestNewWantsItsParts(t *testing.T) {
	t.Parallel()
	store, err := queue.Open(mem.New(), queue.Config{})
	if err != nil {
		t.Fatal(err)
	}
	q := store.Queue("outbox", queue.QueueConfig{})
	for field, c := range map[string]outbox.Config{
		"store": {Queue: q, Send: &server{}},
		"queue": {Store: store, Send: &server{}},
		"send":  {Store: store, Queue: q},
	} {
		_, err := outbox.New(c)
		var e *job.Error
		if !errors.As(err, &e) || e.Kind != job.Invalid || e.Field != field {
			t.Errorf("without %s: %v", field, err)
		}
	}
}

func TestSendsAtOnceAndWhole(t *testing.T) {
	inBubble(t, outbox.Config{}, func(r *rig) {
		t := r.t
		r.run()
		synctest.Wait()
		began := time.Now()
		r.put(7)
		synctest.Wait()
		equal(t, "batches", r.server.seen(), [][]int64{{7}})
		equal(t, "wait", time.Since(began), time.Duration(0))
		equal(t, "outcome", r.server.last, []job.Outcome{outcome(7)})
		equal(t, "outbox", r.stats(), queue.Stats{Remembered: 1})

		lost := job.Outcome{AttemptID: 8, State: job.Lost}
		if err := r.store.Update(t.Context(), func(tx *queue.Tx) error { return r.outbox.Put(tx, lost) }); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		equal(t, "an outcome without times", r.server.last, []job.Outcome{lost})
	})
}

// TestInterval: an outcome is sent at once after a while without any, and those that come soon
// after a batch share the next one.
func TestInterval(t *testing.T) {
	inBubble(t, outbox.Config{Interval: 5 * time.Millisecond, Batch: 4}, func(r *rig) {
		t := r.t
		r.run()
		for base := int64(0); base < 300; base += 100 {
			time.Sleep(time.Second)
			synctest.Wait()
			began := time.Now()
			r.put(base + 7)
			synctest.Wait()
			equal(t, "the first", r.server.seen(), [][]int64{{base + 7}})
			equal(t, "wait", time.Since(began), time.Duration(0))
			r.put(base + 8)
			time.Sleep(4 * time.Millisecond)
			synctest.Wait()
			r.put(base + 9)
			equal(t, "batches before the wait is over", len(r.server.seen()), 0)
			time.Sleep(time.Millisecond)
			synctest.Wait()
			equal(t, "the next", r.server.seen(), [][]int64{{base + 8, base + 9}})
			r.put(series(base+11, base+20)...)
			time.Sleep(5 * time.Millisecond)
			synctest.Wait()
			equal(t, "full ones do not wait", r.server.seen(),
				[][]int64{series(base+11, base+14), series(base+15, base+18), series(base+19, base+20)})
		}
	})
}

// TestEnoughLeaveSooner: many that come soon after a batch leave after a fifth of the time, and
// what was counted for one batch does not hasten the next.
func TestEnoughLeaveSooner(t *testing.T) {
	inBubble(t, outbox.Config{Interval: 5 * time.Second, Enough: 3}, func(r *rig) {
		t := r.t
		r.run()
		r.put(1)
		synctest.Wait()
		equal(t, "the first", r.server.seen(), [][]int64{{1}})
		for base := int64(10); base < 40; base += 10 {
			r.put(base)
			r.put(base + 1)
			time.Sleep(2 * time.Second)
			synctest.Wait()
			equal(t, "batches of too few", len(r.server.seen()), 0)
			began := time.Now()
			r.put(base + 2)
			synctest.Wait()
			equal(t, "enough", r.server.seen(), [][]int64{series(base, base+2)})
			equal(t, "wait", time.Since(began), time.Duration(0))
			r.put(series(base+3, base+5)...)
			time.Sleep(999 * time.Millisecond)
			synctest.Wait()
			equal(t, "batches right after one", len(r.server.seen()), 0)
			time.Sleep(time.Millisecond)
			synctest.Wait()
			equal(t, "enough a fifth later", r.server.seen(), [][]int64{series(base+3, base+5)})
		}
	})
}

// TestFlushDoesNotWait: at the end of an executor all that is there goes out at once.
func TestFlushDoesNotWait(t *testing.T) {
	inBubble(t, outbox.Config{Interval: time.Minute}, func(r *rig) {
		t := r.t
		for id := range int64(3) {
			r.put(id + 1)
			began := time.Now()
			if err := r.outbox.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			equal(t, "wait", time.Since(began), time.Duration(0))
			equal(t, "batches", r.server.seen(), [][]int64{{id + 1}})
		}
	})
}

func TestSendsWhatGathersInOrder(t *testing.T) {
	inBubble(t, outbox.Config{Batch: 50}, func(r *rig) {
		t := r.t
		slow := make(chan struct{})
		r.server.set(func([]job.Outcome) error { <-slow; return nil })
		r.run()
		r.put(999)
		synctest.Wait()
		r.put(series(1, 70)...)
		r.put(series(71, 120)...)
		close(slow)
		synctest.Wait()
		equal(t, "batches", r.server.seen(),
			[][]int64{{999}, series(1, 50), series(51, 100), series(101, 120)})
		equal(t, "outbox", r.stats(), queue.Stats{Remembered: 121})
	})
}

func TestLongMessagesAreCutAndMakeSmallBatches(t *testing.T) {
	inBubble(t, outbox.Config{}, func(r *rig) {
		t := r.t
		err := r.store.Update(t.Context(), func(tx *queue.Tx) error {
			for id := range int64(30) {
				out := outcome(id + 1)
				out.Message = strings.Repeat("é", 60_000)
				if err := r.outbox.Put(tx, out); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		r.run()
		synctest.Wait()
		equal(t, "batches of about 100 kB each", r.server.seen(), [][]int64{series(1, 10), series(11, 20), series(21, 30)})
		message := r.server.last[0].Message
		equal(t, "characters", len([]rune(message)), outbox.MaxMessage)
		equal(t, "mark", strings.HasSuffix(message, job.CutMark), true)
	})
}

func TestBacksOffAndDropsNothing(t *testing.T) {
	var waits []time.Duration
	c := outbox.Config{Hooks: outbox.Hooks{Failed: func(_ error, wait time.Duration) { waits = append(waits, wait) }}}
	inBubble(t, c, func(r *rig) {
		t := r.t
		r.server.set(func([]job.Outcome) error { return errAway })
		r.run()
		r.put(1)
		synctest.Wait()
		r.put(2) // does not cut the wait short
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		for i, seconds := range []int{1, 2, 4, 8, 16, 30, 30, 30} {
			got, want := r.server.at[i+1].Sub(r.server.at[i]), time.Duration(seconds)*time.Second
			if got != waits[i] || got < want*8/10 || got > want*12/10 {
				t.Errorf("wait %d was %v, told as %v, want about %v", i, got, waits[i], want)
			}
		}
		equal(t, "outbox", r.stats(), queue.Stats{Scheduled: 2})
		r.server.seen()
		r.server.set(nil)
		time.Sleep(time.Minute)
		equal(t, "batches after the server is back", r.server.seen(), [][]int64{{1, 2}})
		r.put(3)
		synctest.Wait()
		equal(t, "no wait left over", r.server.seen(), [][]int64{{3}})
	})
}

// TestAnswers: what waits goes out as soon as a server is known to be back, and an answer
// of before the failure changes nothing.
func TestAnswers(t *testing.T) {
	inBubble(t, outbox.Config{}, func(r *rig) {
		t := r.t
		r.outbox.Answers()
		r.server.set(func([]job.Outcome) error { return errAway })
		r.run()
		r.put(1)
		time.Sleep(40 * time.Second) // 1, 2, 4, 8 and 16 s have passed, and half a minute begins
		synctest.Wait()
		equal(t, "tries", len(r.server.seen()), 6)
		r.outbox.Answers()
		synctest.Wait()
		equal(t, "batches to a server that answers other things only", r.server.seen(), [][]int64{{1}})
		time.Sleep(10 * time.Second)
		r.server.set(nil)
		r.outbox.Answers()
		synctest.Wait()
		equal(t, "batches at once", r.server.seen(), [][]int64{{1}})
		r.put(2)
		synctest.Wait()
		equal(t, "no wait left over", r.server.seen(), [][]int64{{2}})
	})
}

func TestOwnBackoffNeverGivesUp(t *testing.T) {
	c := outbox.Config{Backoff: retry.Policy{Tries: 2, Initial: time.Second, Multiplier: 3}}
	inBubble(t, c, func(r *rig) {
		t := r.t
		r.server.set(func([]job.Outcome) error { return errAway })
		r.run()
		r.put(1)
		time.Sleep(20 * time.Second)
		synctest.Wait()
		var waits []time.Duration
		for i := range r.server.at[1:] {
			waits = append(waits, r.server.at[i+1].Sub(r.server.at[i]))
		}
		equal(t, "waits", waits, []time.Duration{1e9, 3e9, 3e9, 3e9, 3e9, 3e9, 3e9})
	})
}

func TestRefusedOutcomeIsBuriedAlone(t *testing.T) {
	t.Parallel()
	for _, kind := range []job.Kind{job.Refused, job.Invalid} {
		t.Run(string(kind), func(t *testing.T) {
			var refused []int64
			c := outbox.Config{Hooks: outbox.Hooks{Refused: func(id int64, _ error) { refused = append(refused, id) }}}
			inBubble(t, c, func(r *rig) {
				t := r.t
				r.server.set(func(batch []job.Outcome) error {
					for _, out := range batch {
						if out.AttemptID == 3 {
							return job.Errorf(kind, "no attempt 3")
						}
					}
					return nil
				})
				r.put(series(1, 7)...)
				r.run()
				synctest.Wait()
				equal(t, "batches", r.server.seen(), [][]int64{series(1, 7), {1, 2, 3}, {1}, {2, 3}, {2}, {3}, series(4, 7)})
				equal(t, "outbox", r.stats(), queue.Stats{Dead: 1, Remembered: 6})
				equal(t, "told", refused, []int64{3})
				err := r.store.View(t.Context(), func(tx *queue.Tx) error {
					it, _, _, err := r.queue.Find(tx, 3)
					equal(t, "reason", it.Note, "no attempt 3")
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				r.put(3)
				synctest.Wait()
				equal(t, "not sent again", r.server.seen(), [][]int64(nil))
			})
		})
	}
}

// TestServerGoesWhileARefusedBatchIsDivided: only what a server has refused is a dead letter, and
// all the rest arrives when it is back, with the usual waits until then.
func TestServerGoesWhileARefusedBatchIsDivided(t *testing.T) {
	t.Parallel()
	for _, away := range []int{1, 2, 3, 4, 5} { // the request at which it goes
		t.Run(fmt.Sprint("at request ", away), func(t *testing.T) {
			inBubble(t, outbox.Config{}, func(r *rig) {
				t := r.t
				requests := 0
				var back time.Time
				delivered := make(map[int64]int)
				r.server.set(func(batch []job.Outcome) error {
					requests++
					switch {
					case requests > 100:
						return nil // it is asked all the time
					case requests == away+1:
						back = time.Now().Add(time.Minute)
					}
					if time.Now().Before(back) {
						return errAway
					}
					for _, out := range batch {
						if out.AttemptID == 3 {
							return job.Errorf(job.Refused, "no attempt 3")
						}
					}
					for _, out := range batch {
						delivered[out.AttemptID]++
					}
					return nil
				})
				r.put(series(1, 8)...)
				r.run()
				time.Sleep(10 * time.Minute)
				equal(t, "outbox", r.stats(), queue.Stats{Dead: 1, Remembered: 7})
				for _, attempt := range []int64{1, 2, 4, 5, 6, 7, 8} {
					if delivered[attempt] == 0 {
						t.Errorf("the outcome of attempt %d was never delivered", attempt)
					}
				}
				if requests > 30 {
					t.Errorf("%d requests", requests)
				}
			})
		})
	}
}

// TestRedrivenOutcome: a dead letter that an operator drives again is sent, also
// while newer outcomes are on their way.
func TestRedrivenOutcome(t *testing.T) {
	inBubble(t, outbox.Config{Batch: 2}, func(r *rig) {
		t := r.t
		r.server.set(func([]job.Outcome) error { return job.Errorf(job.Refused, "no such attempt") })
		r.put(1)
		r.run()
		synctest.Wait()
		equal(t, "outbox", r.stats(), queue.Stats{Dead: 1})
		redriven := false
		r.server.set(func([]job.Outcome) error {
			if redriven {
				return nil
			}
			redriven = true
			defer r.outbox.Wake()
			return r.store.Update(t.Context(), func(tx *queue.Tx) error { return r.queue.Redrive(tx, 1, day) })
		})
		r.server.seen()
		r.put(series(2, 6)...)
		synctest.Wait()
		equal(t, "batches", r.server.seen(), [][]int64{{2, 3}, {4, 5}, {6}, {1}})
		equal(t, "outbox at the end", r.stats(), queue.Stats{Remembered: 6})
	})
}

func TestWrongCredentialBuriesNothing(t *testing.T) {
	inBubble(t, outbox.Config{}, func(r *rig) {
		t := r.t
		r.server.set(func([]job.Outcome) error { return job.Errorf(job.Unauthorized, "wrong token") })
		r.put(1, 2)
		r.run()
		time.Sleep(time.Hour)
		equal(t, "outbox", r.stats(), queue.Stats{Scheduled: 2})
	})
}

// TestForbiddenOutcomesHoldUpNoOthers: outcomes that a server takes from another sender only are kept
// and sent again, and the others leave at once, those that come later too.
func TestForbiddenOutcomesHoldUpNoOthers(t *testing.T) {
	inBubble(t, outbox.Config{Batch: 10}, func(r *rig) {
		t := r.t
		calls, taken := 0, map[int64]bool{}
		forbids := func(bad func(attempt int64) bool) {
			r.server.set(func(batch []job.Outcome) error {
				calls++
				for _, out := range batch {
					if bad(out.AttemptID) {
						return job.Errorf(job.Forbidden, "the group takes only tokens of its own")
					}
				}
				for _, out := range batch {
					taken[out.AttemptID] = true
				}
				return nil
			})
		}
		forbids(func(attempt int64) bool { return attempt == 3 || attempt == 6 || attempt > 1000 })
		r.put(series(1, 40)...)
		r.run()
		time.Sleep(10 * time.Millisecond)
		equal(t, "outbox", r.stats(), queue.Stats{Scheduled: 2, Remembered: 38})
		r.put(series(1001, 1300)...)
		time.Sleep(time.Hour)
		look := func(at func()) {
			r.server.mu.Lock()
			defer r.server.mu.Unlock()
			at()
		}
		look(func() { calls = 0 })
		r.put(41)
		time.Sleep(10 * time.Millisecond)
		look(func() {
			if !taken[41] {
				t.Error("an outcome waits behind those that no server takes")
			}
		})
		time.Sleep(time.Hour)
		equal(t, "outbox an hour later", r.stats(), queue.Stats{Scheduled: 302, Remembered: 39})
		look(func() {
			if calls < 100 || calls > 120*100 {
				t.Errorf("%d calls in an hour", calls)
			}
		})
		forbids(func(int64) bool { return false })
		time.Sleep(time.Minute)
		equal(t, "outbox in the end", r.stats(), queue.Stats{Remembered: 341})
	})
}

func TestFirstOutcomeWins(t *testing.T) {
	inBubble(t, outbox.Config{}, func(r *rig) {
		t := r.t
		r.put(1)
		second := outcome(1)
		second.State = job.Failed
		again := func(tx *queue.Tx) error { return r.outbox.Put(tx, second) }
		if err := r.store.Update(t.Context(), again); err != nil {
			t.Fatal(err)
		}
		r.run()
		synctest.Wait()
		equal(t, "sent", r.server.last, []job.Outcome{outcome(1)})
		if err := r.store.Update(t.Context(), again); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		equal(t, "batches", r.server.seen(), [][]int64{{1}})
	})
}

func TestPutIsPartOfTheTransaction(t *testing.T) {
	inBubble(t, outbox.Config{}, func(r *rig) {
		t := r.t
		r.run()
		err := r.store.Update(t.Context(), func(tx *queue.Tx) error {
			if err := r.outbox.Put(tx, outcome(1)); err != nil {
				return err
			}
			return errUndo
		})
		equal(t, "error", errors.Is(err, errUndo), true)
		synctest.Wait()
		equal(t, "batches", r.server.seen(), [][]int64(nil))
		equal(t, "outbox", r.stats(), queue.Stats{})
	})
}

func TestPutRefuses(t *testing.T) {
	inBubble(t, outbox.Config{}, func(r *rig) {
		t := r.t
		put := func(out job.Outcome) error {
			return r.store.Update(t.Context(), func(tx *queue.Tx) error { return r.outbox.Put(tx, out) })
		}
		equal(t, "not final", job.KindOf(put(job.Outcome{AttemptID: 1, State: job.Running})), job.Invalid)
		equal(t, "no attempt", job.KindOf(put(job.Outcome{State: job.Failed})), job.Invalid)
		r.put(series(1, 1000)...)
		equal(t, "full", job.KindOf(put(outcome(1001))), job.Full)
	})
}

// TestRoom: there is room for what was promised a place, and no more.
func TestRoom(t *testing.T) {
	inBubble(t, outbox.Config{Capacity: 10}, func(r *rig) {
		t := r.t
		room := func(n int) (err error) {
			viewErr := r.store.View(t.Context(), func(tx *queue.Tx) error { err = r.outbox.Room(tx, n); return nil })
			return errors.Join(viewErr, err)
		}
		equal(t, "all of it", room(10), nil)
		equal(t, "more", job.KindOf(room(11)), job.Full)
		r.put(series(1, 7)...)
		equal(t, "the rest", room(3), nil)
		equal(t, "more than the rest", job.KindOf(room(4)), job.Full)
		r.run()
		synctest.Wait()
		equal(t, "all of it again", room(10), nil)
	})
}

// TestClassIsKept: what a failure means for the next try arrives.
func TestClassIsKept(t *testing.T) {
	inBubble(t, outbox.Config{}, func(r *rig) {
		t := r.t
		r.run()
		out := outcome(1)
		out.State, out.Class, out.RetryAfter = job.Failed, retry.ClassNotReady, 1500*time.Millisecond
		err := r.store.Update(t.Context(), func(tx *queue.Tx) error { return r.outbox.Put(tx, out) })
		equal(t, "error", err, nil)
		synctest.Wait()
		equal(t, "outcome", r.server.last, []job.Outcome{out})
	})
}

func TestUnreadableOutcomeBlocksNothing(t *testing.T) {
	inBubble(t, outbox.Config{}, func(r *rig) {
		t := r.t
		err := r.store.Update(t.Context(), func(tx *queue.Tx) error {
			return r.queue.Push(tx, queue.Item{Key: 1, Body: []byte("not an outcome")})
		})
		if err != nil {
			t.Fatal(err)
		}
		r.put(2)
		r.run()
		synctest.Wait()
		equal(t, "batches", r.server.seen(), [][]int64{{2}})
		equal(t, "outbox", r.stats(), queue.Stats{Dead: 1, Remembered: 1})
	})
}

func TestFlush(t *testing.T) {
	inBubble(t, outbox.Config{Batch: 50}, func(r *rig) {
		t := r.t
		equal(t, "flush of nothing", r.outbox.Flush(t.Context()), nil)
		r.put(series(1, 60)...)
		equal(t, "flush", r.outbox.Flush(t.Context()), nil)
		equal(t, "batches", r.server.seen(), [][]int64{series(1, 50), series(51, 60)})

		r.server.set(func([]job.Outcome) error { return errAway })
		r.put(61, 62)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		err := r.outbox.Flush(ctx)
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "2 outcomes left") {
			t.Fatalf("got %v", err)
		}
	})
}

func TestFlushAndRunTakeTurns(t *testing.T) {
	inBubble(t, outbox.Config{}, func(r *rig) {
		t := r.t
		var busy, both atomic.Int32
		r.server.set(func([]job.Outcome) error {
			if busy.Add(1) > 1 {
				both.Add(1)
			}
			time.Sleep(time.Second)
			busy.Add(-1)
			return nil
		})
		r.run()
		r.put(series(1, 200)...)
		if err := r.outbox.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		equal(t, "sent at the same time", both.Load(), int32(0))
		equal(t, "outbox", r.stats(), queue.Stats{Remembered: 200})
	})
}

func TestEndOfRunInTheMiddleLosesNothing(t *testing.T) {
	inBubble(t, outbox.Config{}, func(r *rig) {
		t := r.t
		sending := make(chan struct{})
		r.server.set(func([]job.Outcome) error {
			close(sending)
			time.Sleep(time.Second)
			return nil // accepted, although Run was told to end meanwhile
		})
		r.put(1)
		r.run()
		<-sending
		r.cancel()
		equal(t, "outbox", r.stats(), queue.Stats{Remembered: 1})
	})
}

// TestEndOfRunCutsOffNoCall: a server that takes a second to answer is waited for, since what
// it was sent would be sent again; one that does not answer is not.
func TestEndOfRunCutsOffNoCall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		takes, wait time.Duration
		left        queue.Stats
	}{
		{time.Second, time.Second, queue.Stats{Remembered: 1}},
		{time.Minute, 5 * time.Second, queue.Stats{Scheduled: 1}},
	} {
		t.Run(c.takes.String(), func(t *testing.T) {
			inBubble(t, outbox.Config{}, func(r *rig) {
				r.server.takes = c.takes
				r.put(1)
				r.run()
				synctest.Wait()
				began := time.Now()
				r.cancel()
				equal(r.t, "the wait", time.Since(began), c.wait)
				equal(r.t, "outbox", r.stats(), c.left)
			})
		})
	}
}

func TestSentButNotRecordedIsSentAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		disk := mem.New()
		r := open(t, disk, outbox.Config{})
		defer r.stop()
		r.put(1, 2)
		disk.Fail(errors.New("no space left on device"))
		r.run()
		time.Sleep(5 * time.Second)
		disk.Fail(nil)
		time.Sleep(time.Minute)
		equal(t, "outbox", r.stats(), queue.Stats{Remembered: 2})
		batches := r.server.seen()
		if len(batches) < 3 || len(batches) > 5 {
			t.Errorf("sent %d times: once, and after each wait of about 1, 2 and 4 s while the disk was full", len(batches))
		}
	})
}

func TestOutcomesSurviveARestart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "queue")
	r := open(t, queue.Folder(path), outbox.Config{})
	tasks := r.store.Queue("tasks", queue.QueueConfig{})
	err := r.store.Update(t.Context(), func(tx *queue.Tx) error {
		if err := tasks.PushStarted(tx, queue.Item{Key: 1}); err != nil {
			return err
		}
		if err := tasks.Ack(tx, 1, day); err != nil {
			return err
		}
		return r.outbox.Put(tx, outcome(1))
	})
	if err != nil {
		t.Fatal(err)
	}
	r.put(2)
	r.stop()

	r = open(t, queue.Folder(path), outbox.Config{})
	if err := r.outbox.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	equal(t, "batches", r.server.seen(), [][]int64{{1, 2}})
	r.put(1)
	if err := r.outbox.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	equal(t, "remembered", r.server.seen(), [][]int64(nil))
}
