package bolt_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/bolt"
)

// crashFile names the file of the process that is killed, see TestKill.
const crashFile = "ORTH_TEST_CRASH_FILE"

func TestMain(m *testing.M) {
	if path := os.Getenv(crashFile); path != "" {
		fmt.Fprintln(os.Stderr, acceptForEver(path))
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

// acceptForEver takes items from several callers through their whole life and
// prints the key of each after every commit.
func acceptForEver(path string) error {
	b, err := bolt.Open(path, bolt.Config{})
	if err != nil {
		return err
	}
	s, err := queue.Open(b, queue.Config{})
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

// TestKill kills a process in the middle of its work: what it had been told is
// durable is there, and every item is in one place.
func TestKill(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "queue.db")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), crashFile+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	reached := make(map[int64]int) // by key: the last step that was acknowledged
	lines := bufio.NewScanner(out)
	for n := 0; lines.Scan(); n++ {
		var what int
		var key int64
		if _, err := fmt.Sscan(lines.Text(), &what, &key); err != nil {
			continue // the last line may be cut
		}
		reached[key] = what
		if n == 2000 {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("the process ended by itself")
	}
	if len(reached) < 500 {
		t.Fatalf("only %d items", len(reached))
	}
	b := open(t, path)
	if b.SetAside() != "" {
		t.Error("the file is damaged")
	}
	s, err := queue.Open(b, queue.Config{Hooks: queue.Hooks{
		Damaged: func(queue string, rows int) { t.Errorf("%d rows of %s are damaged", rows, queue) },
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	q := s.Queue("tasks", queue.QueueConfig{})
	err = s.View(t.Context(), func(tx *queue.Tx) error {
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
}
