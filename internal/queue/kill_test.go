package queue_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/orthd/orth/internal/queue"
)

// crashFolder names the folder of the process that is killed, see TestKill.
const crashFolder = "ORTH_TEST_CRASH_FOLDER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(crashFolder); dir != "" {
		fmt.Fprintln(os.Stderr, acceptForEver(dir))
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

func openStore(dir string, c queue.Config) (*queue.Store, error) {
	c.Segment, c.Age = 128<<10, 10*time.Millisecond
	return queue.Open(queue.Folder(dir), c)
}

// acceptForEver takes items from several callers through their whole life and
// prints the key of each after every commit.
func acceptForEver(dir string) error {
	s, err := openStore(dir, queue.Config{})
	if err != nil {
		return err
	}
	go func() { _ = s.Run(context.Background()) }()
	q := s.Queue("tasks", queue.QueueConfig{})
	var next atomic.Int64
	failed := make(chan error)
	for range 16 {
		go func() {
			for {
				key := next.Add(1)
				for what, do := range []func(tx *queue.Tx) error{
					func(tx *queue.Tx) error { return q.Push(tx, queue.Item{Key: key, Body: make([]byte, 300)}) },
					func(tx *queue.Tx) error { return q.Start(tx, key) },
					func(tx *queue.Tx) error { return q.Ack(tx, key, day) },
				} {
					if err := s.Update(context.Background(), do); err != nil {
						failed <- err
					}
					if _, err := fmt.Fprintln(os.Stdout, what, key); err != nil {
						failed <- err
					}
				}
			}
		}()
	}
	return <-failed
}

// TestKill kills a process in the middle of its work, at different moments of
// its cleaning: what it had been told is durable is
// there, and every item is in one place.
func TestKill(t *testing.T) {
	t.Parallel()
	for _, steps := range []int{500, 2000, 5000} {
		t.Run(fmt.Sprint(steps), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			reached := killed(t, dir, steps)
			s, err := openStore(dir, queue.Config{Hooks: queue.Hooks{
				Damaged: func(n int) { t.Errorf("%d damages", n) },
			}})
			if err != nil {
				t.Fatal(err)
			}
			q := s.Queue("tasks", queue.QueueConfig{})
			err = s.View(t.Context(), func(tx *queue.Tx) error {
				if n := q.Uncertain(tx); n != 0 {
					t.Errorf("%d items are uncertain", n)
				}
				for key, what := range reached {
					_, p, found, err := q.Find(tx, key)
					// A step that was not acknowledged may have been done all the same.
					at := map[queue.Place]int{queue.Scheduled: 0, queue.Processing: 1, queue.Remembered: 2}[p]
					if err != nil || !found || at < what {
						t.Errorf("item %d had reached step %d and is %s (%v)", key, what, p, err)
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// killed runs acceptForEver, kills it after so many steps, and returns the
// last step of each item that was acknowledged.
func killed(t *testing.T, dir string, steps int) map[int64]int {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), crashFolder+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	reached := make(map[int64]int)
	lines := bufio.NewScanner(out)
	for n := 0; lines.Scan(); n++ {
		var what int
		var key int64
		if _, err := fmt.Sscan(lines.Text(), &what, &key); err != nil {
			continue // the last line may be cut
		}
		reached[key] = what
		if n == steps {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("the process ended by itself")
	}
	if len(reached) < steps/4 {
		t.Fatalf("only %d items", len(reached))
	}
	return reached
}
