package sqlite

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/job"
)

// childFile names the database of a child process that writes until it is
// killed.
const childFile = "ORTH_TEST_CHILD_FILE"

// TestChild is the child process of TestKill; alone it does nothing.
func TestChild(t *testing.T) {
	path := os.Getenv(childFile)
	if path == "" {
		t.SkipNow()
	}
	s := mustOpen(t, path, Config{})
	start(t, s)
	j, err := s.CreateJob(t.Context(), job.Job{Namespace: job.DefaultNamespace, Key: "a", Group: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for {
				id, err := s.NextRunID(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				err = s.AddRun(t.Context(), job.Run{
					ID: id, JobID: j.ID, PlannedAt: time.UnixMilli(id), Cause: job.CauseManual, CauseID: id,
					State: job.Planned, ReadyAt: time.UnixMilli(id), CreatedAt: time.UnixMilli(id),
				})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				_, err = fmt.Fprintln(os.Stdout, "acknowledged", id)
				mu.Unlock()
				if err != nil {
					return // the parent is gone
				}
			}
		})
	}
	all.Wait()
}

// A process that is killed in the middle of its writes loses nothing that it
// acknowledged, holds the folder while it lives, and leaves it when it is dead.
func TestKill(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts processes")
	}
	path := file(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	child := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestChild$")
	child.Env = append(os.Environ(), childFile+"="+path)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var acknowledged []int64
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		id, err := strconv.ParseInt(strings.TrimPrefix(lines.Text(), "acknowledged "), 10, 64)
		if err != nil {
			continue // cut by the kill, or a line of the test itself
		}
		acknowledged = append(acknowledged, id)
		if len(acknowledged) == 300 {
			_, err := Open(path, Config{})
			refused(t, err, job.Conflict, fmt.Sprintf("another orth server (pid %d)", child.Process.Pid))
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = child.Wait() // it was killed
	if len(acknowledged) < 300 {
		t.Fatalf("the child ended by itself after %d writes", len(acknowledged))
	}

	s := mustOpen(t, path, Config{})
	start(t, s)
	for _, id := range acknowledged {
		if _, err := s.RunByID(t.Context(), id); err != nil {
			t.Errorf("run %d was acknowledged: %v", id, err)
		}
	}
	id, err := s.NextRunID(t.Context())
	if err != nil || id <= acknowledged[len(acknowledged)-1] {
		t.Errorf("the next id is %d after %d (%v)", id, acknowledged[len(acknowledged)-1], err)
	}
}
