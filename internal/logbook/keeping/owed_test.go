package keeping

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/job"
)

// TestServerDiesBeforeTheCopy: what is owed is copied by the next one.
func TestServerDiesBeforeTheCopy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		a := b.begin(1, job.LogPolicy{})
		b.machine.write(1, numbered1(50)...)
		b.end(a) // and the server dies before it is notified
		b.crash()
		time.Sleep(20 * time.Second)
		b.stored(1, logbook.Whole, numbered1(50)...)
		b.idle()
	})
}

// TestIdleKeeper: what others have left is not taken over by a server that is drained, until
// it works again.
func TestIdleKeeper(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var idle atomic.Bool
		idle.Store(true)
		b := newBench(t, func(c *KeeperConfig) { c.Idle = idle.Load })
		a := b.begin(1, job.LogPolicy{})
		b.machine.write(1, numbered1(50)...)
		b.end(a) // and the server dies before it is notified
		b.crash()
		time.Sleep(time.Minute)
		if l := b.log(1); l.Lines > 0 {
			t.Errorf("it has taken over %+v", l)
		}
		idle.Store(false)
		time.Sleep(20 * time.Second)
		b.stored(1, logbook.Whole, numbered1(50)...)
	})
}

// TestServerStartsAnew: logs of attempts that run go on where they were.
func TestServerStartsAnew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		a := b.begin(1, job.LogPolicy{})
		b.machine.write(1, numbered1(20)...)
		time.Sleep(10 * time.Second)
		if b.log(1).Lines != 20 {
			t.Fatalf("stored is %+v", b.log(1))
		}
		b.crash()
		b.machine.write(1, numbered1(30)[20:]...)
		time.Sleep(10 * time.Second)
		if live, ok := b.keeper.Live(1); !ok && b.log(1).Lines != 30 {
			t.Errorf("after the start there is %+v, %t", live, ok)
		}
		b.end(a)
		b.keeper.Ended(1)
		time.Sleep(time.Second)
		b.stored(1, logbook.Whole, numbered1(30)...)
	})
}

// TestStopStores: an orderly stop stores what is in memory.
func TestStopStores(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.begin(1, job.LogPolicy{})
		b.machine.write(1, "one")
		time.Sleep(700 * time.Millisecond)
		b.stop()
		b.stored(1, logbook.Open, "one")
	})
}

func TestExecutorIsGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		kept, lost := b.begin(1, job.LogPolicy{}), b.begin(2, job.LogPolicy{})
		b.machine.write(1, "one", "two")
		time.Sleep(5 * time.Second)
		b.machine.mu.Lock()
		b.machine.away = job.Errorf(job.Unreachable, "no route to host")
		b.machine.mu.Unlock()
		b.machine.write(1, "three")
		b.end(kept)
		b.end(lost)
		b.keeper.Ended(1)
		b.keeper.Ended(2)
		time.Sleep(time.Hour)
		b.stored(1, logbook.Open, "one", "two")
		if note := b.log(1).Note; !strings.Contains(note, "no route to host") && !strings.Contains(note, "cannot be reached") {
			t.Errorf("the note is %q", note)
		}
		if n := b.machine.questions(1) + b.machine.questions(2); n > 60 {
			t.Errorf("an executor that is gone was asked %d times in an hour", n)
		}
		time.Sleep(25 * time.Hour)
		b.stored(1, logbook.Torn, "one", "two")
		b.stored(2, logbook.Torn)
		b.idle()
	})
}

// TestExecutorComesBack: what is owed is copied when the executor can be reached again.
func TestExecutorComesBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.machine.away = job.Errorf(job.Unreachable, "no route to host")
		a := b.begin(1, job.LogPolicy{})
		b.machine.write(1, "one")
		b.end(a)
		b.keeper.Ended(1)
		time.Sleep(10 * time.Minute)
		b.machine.mu.Lock()
		b.machine.away = nil
		b.machine.mu.Unlock()
		time.Sleep(15 * time.Minute)
		b.stored(1, logbook.Whole, "one")
		b.idle()
	})
}

func TestExecutorHasNoLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		none, wiped := b.begin(1, job.LogPolicy{}), b.begin(2, job.LogPolicy{})
		b.machine.write(2, "one")
		time.Sleep(time.Second)
		b.machine.mu.Lock()
		delete(b.machine.lines, 2)
		b.machine.mu.Unlock()
		b.end(none)
		b.end(wiped)
		b.keeper.Ended(1)
		b.keeper.Ended(2)
		time.Sleep(time.Second)
		b.stored(1, logbook.None)
		b.stored(2, logbook.Torn, "one")
		if note := b.log(2).Note; !strings.Contains(note, "line 1") {
			t.Errorf("the note is %q", note)
		}
	})
}

// TestExecutorTalksNonsense: an answer that is no log is asked for a few times.
func TestExecutorTalksNonsense(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.machine.away = job.Errorf(job.Refused, "what is a log?")
		a := b.begin(1, job.LogPolicy{})
		time.Sleep(time.Minute)
		b.end(a)
		b.keeper.Ended(1)
		time.Sleep(time.Minute)
		b.stored(1, logbook.Torn)
	})
}

// TestStoreIsAway: while nothing can be stored, memory has a bound and nothing is
// lost.
func TestStoreIsAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(c *KeeperConfig) { c.Memory = 64 << 10 })
		b.machine.page = 100
		b.blobs.fail = job.Errorf(job.Unavailable, "the bucket is away")
		long := strings.Repeat("x", 200)
		var attempts []job.Attempt
		for id := int64(1); id <= 20; id++ {
			attempts = append(attempts, b.begin(id, job.LogPolicy{}))
			for i := range 100 {
				b.machine.write(id, fmt.Sprintf("%d of %d %s", i, id, long))
			}
		}
		for _, a := range attempts {
			b.end(a)
			b.keeper.Ended(a.ID)
		}
		time.Sleep(3 * time.Minute)
		b.keeper.mu.Lock()
		if most := b.keeper.config.Memory + int64(b.keeper.config.AsksEach*100*220); b.keeper.bytes > most {
			t.Errorf("%d bytes are in memory", b.keeper.bytes)
		}
		b.keeper.mu.Unlock()
		b.blobs.mu.Lock()
		b.blobs.fail = nil
		b.blobs.mu.Unlock()
		time.Sleep(5 * time.Minute)
		for _, a := range attempts {
			b.stored(a.ID, logbook.Whole, b.machine.lines[a.ID]...)
		}
		b.idle()
	})
}

// TestTwoKeepers: two servers that copy the same log store each line once.
func TestTwoKeepers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		a := b.begin(1, job.LogPolicy{})
		other := &bench{T: t, shelves: b.shelves, blobs: b.blobs, machine: b.machine, config: b.config}
		other.start()
		t.Cleanup(func() { other.stop() })
		var all []string
		for i := range 120 {
			all = append(all, fmt.Sprintf("line %d", i))
			b.machine.write(1, all[i])
			time.Sleep(time.Second)
		}
		b.end(a)
		other.keeper.Ended(1)
		time.Sleep(time.Minute)
		b.stored(1, logbook.Whole, all...)
		b.idle()
		other.idle()
	})
}

// TestNothingIsLost: whatever order lines are written, brought, asked for and stored
// in, and whenever the server dies, what is stored in the end is what the executor
// had.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		failed := false
		synctest.Test(t, func(t *testing.T) {
			pushes := rapid.Bool().Draw(rt, "pushes")
			b := newBench(t, func(c *KeeperConfig) {
				c.Pushes = func(string) bool { return pushes }
				c.Memory = rapid.SampledFrom([]int64{300, 32 << 20}).Draw(rt, "memory")
			})
			b.machine.page = rapid.SampledFrom([]int{0, smallLines, 33}).Draw(rt, "page")
			attempts := map[int64]*job.Attempt{1: nil, 2: nil, 3: nil}
			pushed, ended := map[int64]int{}, map[int64]bool{}
			for range rapid.IntRange(1, 40).Draw(rt, "steps") {
				id := rapid.Int64Range(1, 3).Draw(rt, "attempt")
				a := attempts[id]
				step := rapid.SampledFrom([]string{"write", "write", "push", "push", "wait", "wait", "watch", "crash", "fail", "heal", "end"}).Draw(rt, "step")
				if a == nil {
					if step != "crash" {
						made := b.begin(id, job.LogPolicy{})
						attempts[id] = &made
					}
					continue
				}
				switch step {
				case "write":
					if !ended[id] {
						for range rapid.IntRange(1, 50).Draw(rt, "lines") {
							b.machine.write(id, fmt.Sprintf("line %d of attempt %d", len(b.machine.lines[id]), id))
						}
					}
				case "push":
					if pushes {
						from := rapid.IntRange(max(pushed[id]-3, 0), len(b.machine.lines[id])).Draw(rt, "from")
						page := job.LogPage{From: from + 1, Text: strings.Join(append(b.machine.lines[id][from:len(b.machine.lines[id]):len(b.machine.lines[id])], ""), "\n"), End: ended[id]}
						b.keeper.Put(job.Caller{}, here, id, page)
						pushed[id] = len(b.machine.lines[id])
					}
				case "wait":
					time.Sleep(time.Duration(rapid.IntRange(1, 5000).Draw(rt, "ms")) * time.Millisecond)
				case "watch":
					release := b.keeper.Watch(*a, 3)
					time.Sleep(time.Second)
					release()
				case "crash":
					b.crash()
				case "fail", "heal":
					b.blobs.mu.Lock()
					if b.blobs.fail = nil; step == "fail" {
						b.blobs.fail = job.Errorf(job.Unavailable, "away")
					}
					b.blobs.mu.Unlock()
				case "end":
					if !ended[id] {
						ended[id] = true
						b.end(*a)
						if rapid.Bool().Draw(rt, "told") {
							b.keeper.Ended(id)
						}
					}
				}
			}
			b.blobs.mu.Lock()
			b.blobs.fail = nil
			b.blobs.mu.Unlock()
			for id, a := range attempts {
				if a != nil && !ended[id] {
					b.end(*a)
					b.keeper.Ended(id)
				}
			}
			time.Sleep(10 * time.Minute)
			for id, a := range attempts {
				switch {
				case a == nil:
				case len(b.machine.lines[id]) == 0: // or Whole, when the executor has brought its end
					b.stored(id, b.log(id).State)
				default:
					b.stored(id, logbook.Whole, b.machine.lines[id]...)
				}
			}
			b.idle()
			failed = t.Failed()
			b.stop()
		})
		if failed {
			rt.Fatal("see above")
		}
	})
}

// TestBegunAfterItsEnd: a log that a viewer followed to its end before it was kept is
// copied from its first line.
func TestBegunAfterItsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		a := job.Attempt{ID: 1, RunID: 10, JobID: 7, Address: here, State: job.Running, TriggeredAt: time.Now()}
		b.machine.write(1, numbered1(20)...)
		release := b.keeper.Watch(a, 3)
		b.keeper.Ended(1)
		time.Sleep(500 * time.Millisecond)
		if live, ok := b.keeper.Live(1); !ok || !live.Over {
			t.Fatalf("what is looked at is %+v, %t", live, ok)
		}
		b.end(a)
		b.keeper.Begin(a, 3, job.LogPolicy{})
		time.Sleep(5 * time.Second)
		release()
		b.stored(1, logbook.Whole, numbered1(20)...)
		b.idle()
	})
}

// TestAnswerFromBeforeTheEnd: an executor's answer that there are no more lines is
// not the last word when it was asked before the attempt was over.
func TestAnswerFromBeforeTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		a := b.begin(1, job.LogPolicy{})
		asked, said := make(chan struct{}), make(chan struct{})
		b.machine.write(1, "one")
		time.Sleep(2 * time.Second)
		b.machine.mu.Lock()
		b.machine.hold = func() { close(asked); <-said }
		b.machine.mu.Unlock()
		<-asked // the executor has answered; the answer is on its way
		b.machine.write(1, "two")
		b.end(a)
		b.keeper.Ended(1)
		synctest.Wait()
		close(said)
		time.Sleep(2 * time.Second)
		b.stored(1, logbook.Whole, "one", "two")
		b.idle()
	})
}
