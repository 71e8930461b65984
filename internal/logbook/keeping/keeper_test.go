package keeping

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/job"
)

// machine is an executor with logs.
type machine struct {
	mu    sync.Mutex
	lines map[int64][]string
	away  error
	page  int // lines of a page; 0 is all
	asked map[int64]int
	under int // questions under way
	most  int
	slow  time.Duration
	hold  func() // called once, behind the next answer
}

func newMachine() *machine { return &machine{lines: map[int64][]string{}, asked: map[int64]int{}} }

func (m *machine) write(attempt int64, lines ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lines[attempt] = append(m.lines[attempt], lines...)
}

func (m *machine) ReadLog(ctx context.Context, _ string, attempt int64, _ time.Time, from int) (job.LogPage, error) {
	m.mu.Lock()
	m.asked[attempt]++
	m.under++
	m.most = max(m.most, m.under)
	m.mu.Unlock()
	if m.slow > 0 {
		select {
		case <-ctx.Done():
		case <-time.After(m.slow):
		}
	}
	m.mu.Lock()
	defer func() {
		hold := m.hold
		m.hold = nil
		m.mu.Unlock()
		if hold != nil {
			hold()
		}
	}()
	m.under--
	lines, known := m.lines[attempt]
	switch {
	case m.away != nil:
		return job.LogPage{}, m.away
	case !known:
		return job.LogPage{From: from, Text: "no log", End: true}, nil
	case from > len(lines):
		return job.LogPage{From: from, To: from - 1}, nil
	}
	lines = lines[from-1:]
	if m.page > 0 && len(lines) > m.page {
		lines = lines[:m.page]
	}
	return job.LogPage{From: from, To: from + len(lines) - 1, Text: strings.Join(lines, "\n") + "\n"}, nil
}

func (m *machine) questions(attempt int64) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked[attempt]
}

// bench is a keeper with all that it works with.
type bench struct {
	*testing.T
	shelves *shelves
	blobs   *blobs
	machine *machine
	keeper  *Keeper
	config  KeeperConfig
	stop    func()
}

const here = "http://10.0.0.1:9999"

// newBench starts a keeper; it is to be called within a bubble.
func newBench(t *testing.T, edit ...func(*KeeperConfig)) *bench {
	t.Helper()
	b := &bench{T: t, shelves: newShelves(), blobs: newBlobs(), machine: newMachine()}
	b.config = KeeperConfig{
		Index: b.shelves, Shelf: b.shelves, Debts: b.shelves, Past: b.shelves, Cellar: b.shelves, Names: b.shelves,
		Blobs: b.blobs, Origin: b.machine,
	}
	for _, fn := range edit {
		fn(&b.config)
	}
	b.start()
	t.Cleanup(func() { b.stop() })
	return b
}

func (b *bench) start() {
	b.keeper = NewKeeper(b.config)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- b.keeper.Run(ctx) }()
	b.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			b.Errorf("Run: %v", err)
		}
	})
}

// crash restarts with nothing in memory, and nothing stored on the way.
func (b *bench) crash() {
	b.shelves.mu.Lock()
	was := b.shelves.fail
	b.shelves.fail = job.Errorf(job.Unavailable, "the server is dead")
	b.shelves.mu.Unlock()
	b.stop()
	b.shelves.mu.Lock()
	b.shelves.fail = was
	b.shelves.mu.Unlock()
	b.start()
}

// begin has an attempt accepted.
func (b *bench) begin(id int64, p job.LogPolicy) job.Attempt {
	a := job.Attempt{ID: id, RunID: id * 10, JobID: 7, Address: here, State: job.Running, TriggeredAt: time.Now()}
	b.shelves.mu.Lock()
	if !p.Off {
		b.shelves.open[id] = logbook.Standing{Attempt: a, Group: 3, Policy: p}
	}
	b.shelves.mu.Unlock()
	b.keeper.Begin(a, 3, p)
	return a
}

// end has the end of an attempt recorded; the caller notifies the keeper.
func (b *bench) end(a job.Attempt) { b.shelves.end(a, 3, time.Now()) }

// text returns what is stored of a log.
func (b *bench) text(attempt int64) string {
	b.Helper()
	chunks, _ := b.shelves.Chunks(b.Context(), attempt, 1, 1000)
	var all strings.Builder
	next := 1
	for _, c := range chunks {
		if c.FirstLine != next {
			b.Fatalf("a chunk begins with line %d and not with %d", c.FirstLine, next)
		}
		next += c.Lines
		text, err := b.keeper.Text(b.Context(), c)
		if err != nil {
			b.Fatalf("read lines %d to %d: %v", c.FirstLine, c.Last(), err)
		}
		all.WriteString(text)
	}
	return all.String()
}

func (b *bench) log(attempt int64) logbook.Log {
	b.Helper()
	logs, _ := b.shelves.Logs(b.Context(), []int64{attempt})
	if len(logs) != 1 {
		b.Fatalf("there are %d logs of attempt %d", len(logs), attempt)
	}
	return logs[0]
}

// stored checks what is stored of a log, and its state.
func (b *bench) stored(attempt int64, state logbook.State, lines ...string) {
	b.Helper()
	want := ""
	if len(lines) > 0 {
		want = strings.Join(lines, "\n") + "\n"
	}
	if got := b.text(attempt); got != want {
		b.Errorf("stored of attempt %d:\n%.300q, want\n%.300q", attempt, got, want)
	}
	if l := b.log(attempt); l.State != state || l.Lines != len(lines) || l.Bytes != int64(len(want)) {
		b.Errorf("the log of attempt %d is %+v, want it %s with %d lines", attempt, l, state, len(lines))
	}
}

// idle checks that nothing is left in memory.
func (b *bench) idle() {
	b.Helper()
	b.keeper.mu.Lock()
	defer b.keeper.mu.Unlock()
	k := b.keeper
	if len(k.held)+len(k.dirty)+len(k.due)+len(k.queue)+len(k.asked)+k.asks != 0 || k.bytes != 0 {
		b.Errorf("left in memory: %d logs, %d dirty, %d due, %d queues, %d asked, %d asks, %d bytes",
			len(k.held), len(k.dirty), len(k.due), len(k.queue), len(k.asked), k.asks, k.bytes)
	}
}

func numbered1(n int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d", i+1)
	}
	return lines
}

func TestShortLogIsStoredWithItsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		a := b.begin(1, job.LogPolicy{})
		b.machine.write(1, "one", "two")
		b.end(a)
		b.keeper.Ended(1)
		time.Sleep(time.Second)
		b.stored(1, logbook.Whole, "one", "two")
		if n := b.machine.questions(1); n != 1 {
			t.Errorf("the executor was asked %d times for a short log", n)
		}
		b.idle()
	})
}

// TestEndBeforeBegin: an attempt may be over before it is noted that it was accepted.
func TestEndBeforeBegin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.machine.write(1, "one")
		b.keeper.Ended(1)
		a := b.begin(1, job.LogPolicy{})
		b.end(a)
		time.Sleep(time.Second)
		b.stored(1, logbook.Whole, "one")
		b.idle()
	})
}

func TestManyLogsShareAPack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		for id := int64(1); id <= 200; id++ {
			b.machine.write(id, fmt.Sprintf("of attempt %d", id))
			b.end(b.begin(id, job.LogPolicy{}))
			b.keeper.Ended(id)
		}
		time.Sleep(2 * time.Second)
		for id := int64(1); id <= 200; id++ {
			b.stored(id, logbook.Whole, fmt.Sprintf("of attempt %d", id))
		}
		if n := len(b.shelves.packs); n > 2 {
			t.Errorf("200 short logs are in %d packs", n)
		}
		if b.machine.most > 4 {
			t.Errorf("one executor had %d questions at a time", b.machine.most)
		}
		b.idle()
	})
}

// TestLongLogIsStoredWhileItGrows: of an attempt that runs, all but the newest lines
// outlive both sides.
func TestLongLogIsStoredWhileItGrows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		a := b.begin(1, job.LogPolicy{})
		var all []string
		for i := range 600 {
			all = append(all, fmt.Sprintf("second %d", i))
			b.machine.write(1, all[i])
			time.Sleep(time.Second)
		}
		if got := b.log(1).Lines; got < 520 {
			t.Errorf("after 600 s only %d lines are stored", got)
		}
		if n := len(b.shelves.chunks[1]); n > 60 {
			t.Errorf("600 lines are in %d chunks", n)
		}
		b.end(a)
		b.keeper.Ended(1)
		time.Sleep(time.Second)
		b.stored(1, logbook.Whole, all...)
		b.idle()
	})
}

func TestSilentLogIsAskedForSeldom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		a := b.begin(1, job.LogPolicy{})
		b.machine.write(1)
		time.Sleep(time.Minute)
		if n := b.machine.questions(1); n < 10 || n > 20 {
			t.Errorf("a silent log was asked for %d times in a minute", n)
		}
		release := b.keeper.Watch(a, 3)
		before := b.machine.questions(1)
		time.Sleep(10 * time.Second)
		if n := b.machine.questions(1) - before; n < 45 || n > 55 {
			t.Errorf("a watched log was asked for %d times in 10 s", n)
		}
		release()
	})
}

// TestLiveLines: a viewer sees each line within a moment, and is notified.
func TestLiveLines(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]job.LogPolicy{"kept": {}, "not kept": {Off: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				a := b.begin(1, p)
				b.machine.write(1, "first")
				release := b.keeper.Watch(a, 3)
				time.Sleep(300 * time.Millisecond)
				live, ok := b.keeper.Live(1)
				if !ok || live.First != 1 || live.Text != "first\n" || live.Over || live.Changed == nil {
					t.Fatalf("there is %+v, %t", live, ok)
				}
				b.machine.write(1, "second")
				began := time.Now()
				<-live.Changed
				if took := time.Since(began); took > 200*time.Millisecond {
					t.Errorf("a line took %s", took)
				}
				live, _ = b.keeper.Live(1)
				if live.Text != "first\nsecond\n" {
					t.Errorf("there is %q", live.Text)
				}
				b.end(a)
				b.keeper.Ended(1)
				<-live.Changed
				if live, ok = b.keeper.Live(1); !ok || !live.Over {
					t.Errorf("after the end there is %+v, %t", live, ok)
				}
				release()
				release()
				time.Sleep(time.Second)
				if _, ok := b.keeper.Live(1); ok {
					t.Error("the log is still in memory")
				}
				if p.Off && len(b.shelves.chunks) > 0 {
					t.Error("a log was stored that is off")
				}
				b.idle()
			})
		})
	}
}

// TestWindowOfLog: of a log that is not kept the newest lines are in memory.
func TestWindowOfLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		a := b.begin(1, job.LogPolicy{Off: true})
		release := b.keeper.Watch(a, 3)
		line := strings.Repeat("x", 999)
		for range 50 {
			for range 100 {
				b.machine.write(1, line)
			}
			time.Sleep(time.Second)
		}
		live, _ := b.keeper.Live(1)
		if last := live.First + strings.Count(live.Text, "\n") - 1; last != 5000 || len(live.Text) > windowMost || len(live.Text) < windowAfter-1000 {
			t.Errorf("lines %d to %d are in memory, %d bytes", live.First, last, len(live.Text))
		}
		release()
		time.Sleep(2 * lingerFor)
		b.idle()
	})
}

func TestLogIsCut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(c *KeeperConfig) { c.MaxBytes = 1000 })
		big, small := b.begin(1, job.LogPolicy{}), b.begin(2, job.LogPolicy{MaxBytes: 10_000})
		lines := make([]string, 100)
		for i := range lines {
			lines[i] = strings.Repeat("x", 99)
		}
		b.machine.write(1, lines...)
		b.machine.write(2, lines...)
		time.Sleep(2 * time.Second)
		b.stored(1, logbook.Cut, append(lines[:10:10], "… [cut: 1000 bytes are kept of this log]")...)
		asked := b.machine.questions(1)
		b.end(big)
		b.end(small)
		b.keeper.Ended(1)
		b.keeper.Ended(2)
		time.Sleep(2 * time.Second)
		if b.machine.questions(1) != asked {
			t.Error("a log that was cut was asked for")
		}
		b.stored(2, logbook.Whole, lines...)
		b.idle()
	})
}

func TestOddLines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(c *KeeperConfig) {
			c.Mask = func(s string) string { return strings.ReplaceAll(s, "geheim", "***") }
		})
		a := b.begin(1, job.LogPolicy{})
		b.machine.write(1, "bad \xff byte", "nul \x00 byte", strings.Repeat("ö", maxLine), "", "the word is geheim", "last")
		b.end(a)
		b.keeper.Ended(1)
		time.Sleep(time.Second)
		b.stored(1, logbook.Whole, "bad \uFFFD byte", "nul \x00 byte",
			fmt.Sprintf("%s… [cut: this line has %d bytes more]", strings.Repeat("ö", maxLine/2), maxLine), "", "the word is ***", "last")
	})
}

// TestLoad: what a keeper has to do is seen while it does it.
func TestLoad(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		if load := b.keeper.Load(); load != (Load{}) {
			t.Errorf("at first there is %+v", load)
		}
		b.keeper.Begin(job.Attempt{ID: 1, RunID: 1, JobID: 1, Address: here, TriggeredAt: time.Now()}, 1, job.LogPolicy{})
		if load := b.keeper.Load(); load.Held != 1 {
			t.Errorf("with a log there is %+v", load)
		}
	})
}

// TestManyOpenLogsAreAskedForLater: where attempts come faster than their ends, a question
// for each would cost as much as the attempt. Those whose log comes with the end get none.
func TestManyOpenLogsAreAskedForLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const many = 2000
		b := newBench(t)
		began := time.Now()
		for id := int64(1); id <= many; id++ {
			b.begin(id, job.LogPolicy{})
		}
		asked := func(first, last int64, want int) {
			t.Helper()
			for id := first; id <= last; id++ {
				if n := b.machine.questions(id); n != want {
					t.Fatalf("%s after attempts began there were %d questions for attempt %d, want %d", time.Since(began), n, id, want)
				}
			}
		}
		time.Sleep(firstLook + 100*openDelay)
		asked(1, 99, 1)
		asked(102, many, 0)
		for id := int64(1000); id < many; id++ {
			b.keeper.Stored(id)
		}
		time.Sleep(many * openDelay)
		asked(1000, many-1, 0)
		asked(many, many, 1)
	})
}
