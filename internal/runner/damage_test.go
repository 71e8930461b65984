package runner

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/marks"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
)

// TestCrashInTheRecoveryAfterAReboot: a start that dies while it settles what a reboot has cut
// off leaves the next one as wise as it was: what had started does not run again.
func TestCrashInTheRecoveryAfterAReboot(t *testing.T) {
	t.Parallel()
	const tasks = 2*recoverPage + 1
	for commits := int64(1); commits <= 5; commits++ {
		t.Run(fmt.Sprint("after commit ", commits), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				former := left(t, func(h *house, tx *queue.Tx) error {
					for attempt := int64(1); attempt <= tasks; attempt++ {
						if err := h.tasks.PushStarted(tx, item(task(attempt, attempt, "it"))); err != nil {
							return err
						}
					}
					return nil
				})
				runs := 0
				former.code["it"] = do(func(context.Context) error { runs++; return nil })
				h := build(t, former, nil)
				h.r.boot = "another boot"
				h.disk.until.Store(commits)
				ctx, end := context.WithCancel(t.Context())
				storeCtx, endStore := context.WithCancel(context.WithoutCancel(t.Context()))
				var both sync.WaitGroup
				both.Go(func() { _ = h.store.Run(storeCtx) })
				both.Go(func() { _ = h.r.Run(ctx) }) // with an error, unless it came through
				time.Sleep(time.Minute)
				end()
				time.Sleep(time.Minute)
				endStore()
				both.Wait()

				h = build(t, h, nil)
				h.r.boot = "another boot"
				h.start()
				defer h.stop()
				synctest.Wait()
				if runs != 0 {
					t.Errorf("%d tasks ran again", runs)
				}
				if n := len(h.outcomes()); n != tasks {
					t.Errorf("%d outcomes of %d", n, tasks)
				}
			})
		})
	}
}

// device is the queue, the marks and the runner of an executor in a folder.
type device struct {
	found  []Recovery
	dir    string
	store  *queue.Store
	starts *marks.File
	outbox *box
	r      *Runner
	stop   func()
}

func switchOn(t *testing.T, dir string, code handlers, change ...func(c *Config)) *device {
	t.Helper()
	return switchOnWith(t, queue.Config{Segment: 64 << 10}, dir, code, change...)
}

func switchOnWith(t *testing.T, c queue.Config, dir string, code handlers, change ...func(c *Config)) *device {
	t.Helper()
	m := &device{dir: dir}
	var err error
	if m.store, err = queue.Open(queue.Folder(filepath.Join(dir, "queue")), c); err == nil {
		m.starts, err = marks.Open(filepath.Join(dir, "started"))
	}
	if err != nil {
		t.Fatal(err)
	}
	m.outbox = &box{queue: m.store.Queue("outbox", queue.QueueConfig{})}
	rc := Config{
		Store: m.store, Tasks: m.store.Queue("tasks", queue.QueueConfig{}), Outbox: m.outbox, Handlers: code,
		Logs: &shelf{logs: map[int64]*scroll{}}, Starts: m.starts,
		Hooks: Hooks{Recovered: func(r Recovery) { m.found = append(m.found, r) }},
	}
	for _, change := range change {
		change(&rc)
	}
	m.r, err = New(rc)
	if err != nil {
		t.Fatal(err)
	}
	m.r.boot = "this boot"
	ctx, end := context.WithCancel(t.Context())
	storeCtx, endStore := context.WithCancel(context.WithoutCancel(t.Context()))
	var run, writer sync.WaitGroup
	run.Go(func() { _ = m.r.Run(ctx) })
	writer.Go(func() { _ = m.store.Run(storeCtx) })
	m.stop = func() {
		end()
		run.Wait()
		endStore()
		writer.Wait()
		_ = m.store.Close()
		_ = m.starts.Close()
	}
	return m
}

// Files of the queue.
var (
	queueManifest = filepath.Join("queue", "manifest")
	queueSegment  = filepath.Join("queue", "000000000001.journal")
)

// image is the files of a machine whose process is killed now.
func (m *device) image(t *testing.T) map[string][]byte {
	t.Helper()
	files := make(map[string][]byte)
	for _, name := range []string{queueManifest, queueSegment, "started"} {
		data, err := os.ReadFile(filepath.Join(m.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = data
	}
	return files
}

// restore writes the files of an image into a new folder.
func restore(t *testing.T, files map[string][]byte) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "queue"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// slowStarts holds whoever begins a task up before the mark.
type slowStarts struct {
	Starts
	begins, goOn chan struct{}
}

func (s slowStarts) Mark(attempt int64) (int, error) {
	close(s.begins)
	<-s.goOn
	return s.Starts.Mark(attempt)
}

// TestMarksOfAFormerProcessEndWithIt: a task that died with its executor once, and had not begun again
// when that was killed for the second time, has died once: the marks of the first time count no more.
func TestMarksOfAFormerProcessEndWithIt(t *testing.T) {
	t.Parallel()
	begun, release := make(chan struct{}), make(chan struct{})
	first := switchOn(t, t.TempDir(), handlers{"it": do(func(context.Context) error { close(begun); <-release; return nil })})
	in := task(1, 5, "it")
	in.OnCrash = job.CrashRerun
	if err := first.r.Accept(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	<-begun
	files := first.image(t)
	close(release)
	first.stop()

	quick := handlers{"it": do(func(context.Context) error { return nil })}
	slow := slowStarts{begins: make(chan struct{}), goOn: make(chan struct{})}
	second := switchOn(t, restore(t, files), quick, func(c *Config) { slow.Starts = c.Starts; c.Starts = slow })
	<-slow.begins
	files = second.image(t)
	close(slow.goOn)
	second.stop()

	third := switchOn(t, restore(t, files), quick)
	<-third.r.ready
	third.stop()
	if second.found[0].Rerun != 1 || third.found[0].Rerun != 0 || third.found[0].Waiting != 1 {
		t.Errorf("found %+v after the first kill and %+v after the second", second.found, third.found)
	}
}

// TestDamagedFilesRunNothingAgain kills an executor of which some tasks have ended, one runs and
// some wait, flips a byte of one of its files, and starts it again on the same boot: nothing that
// had begun runs again, what waits runs at most once, and no more than what the damaged commit had
// is without an outcome.
func TestDamagedFilesRunNothingAgain(t *testing.T) {
	t.Parallel()
	const ended, running, waiting = 8, 100, 3
	release := make(chan struct{})
	m := switchOn(t, t.TempDir(), handlers{
		"quick": do(func(context.Context) error { return nil }),
		"slow":  do(func(context.Context) error { <-release; return nil }),
	})
	accept := func(attempt, jobID int64, name string) {
		t.Helper()
		if err := m.r.Accept(t.Context(), task(attempt, jobID, name)); err != nil {
			t.Fatal(err)
		}
	}
	accept(running, 5, "slow")
	for attempt := int64(1); attempt <= ended; attempt++ {
		accept(attempt, 100+attempt, "quick")
		if attempt == ended/2 {
			for i := range int64(waiting) {
				accept(running+1+i, 5, "slow")
			}
		}
		for len(m.r.Running()) > 1 && attempt < ended/2 || len(m.r.Running()) > 1+waiting {
			time.Sleep(time.Millisecond)
		}
	}
	files := m.image(t)
	close(release)
	m.stop()

	used := func(name string) int { return len(bytes.TrimRight(files[name], "\x00")) }
	for name, step := range map[string]int{queueSegment: 97, queueManifest: 7} {
		again := 0
		for at := 0; at < used(name); at += step {
			if name == queueSegment && at > 44 && at < 4096 {
				continue // the rest of the header's block is empty
			}
			lost := flipped(t, files, name, at, func(attempt int64) {
				if attempt <= running {
					again++
					t.Errorf("byte %d of %s: attempt %d ran again", at, name, attempt)
				}
			})
			if lost > waiting {
				t.Errorf("byte %d of %s: %d tasks are gone", at, name, lost)
			}
		}
	}
}

// flipped starts a machine on files of which one byte is flipped, calls ran for each attempt
// that runs, and returns how many of those that had not ended come to no outcome.
func flipped(t *testing.T, files map[string][]byte, name string, at int, ran func(attempt int64)) (lost int) {
	t.Helper()
	files = maps.Clone(files)
	files[name] = slices.Clone(files[name])
	files[name][at] ^= 0x10
	dir := restore(t, files)
	var mu sync.Mutex
	runs := make(map[int64]int)
	code := handler.Func(func(_ context.Context, h *handler.Task) error {
		mu.Lock()
		defer mu.Unlock()
		runs[h.AttemptID]++
		return nil
	})
	m := switchOn(t, dir, handlers{"quick": code, "slow": code})
	<-m.r.ready
	if err := m.r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	outcomes := make(map[int64]bool)
	err := m.store.View(t.Context(), func(tx *queue.Tx) error {
		items, err := m.outbox.queue.List(tx, queue.Scheduled, 0, 1000)
		for _, it := range items {
			outcomes[it.Key] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	m.stop()
	for attempt, n := range runs {
		ran(attempt)
		if n > 1 {
			t.Errorf("byte %d of %s: attempt %d ran %d times", at, name, attempt, n)
		}
	}
	for attempt := int64(100); attempt <= 103; attempt++ {
		if !outcomes[attempt] {
			lost++
		}
	}
	return lost
}
