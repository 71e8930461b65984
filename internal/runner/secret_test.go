package runner

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
)

// TestSecretsLeaveWithTheirTask looks into every byte of the folder: what a task was given is there
// while it waits or runs, and is gone soon after it is over, also when it was written again several
// times, and after a restart.
func TestSecretsLeaveWithTheirTask(t *testing.T) {
	t.Parallel()
	soon := queue.Config{Segment: 64 << 10, Age: 5 * time.Millisecond}
	release := make(chan struct{})
	m := switchOnWith(t, soon, t.TempDir(), handlers{
		"quick": do(func(context.Context) error { return nil }),
		"slow":  do(func(context.Context) error { <-release; return nil }),
	})
	accept := func(attempt int64, name, secret string) {
		t.Helper()
		in := task(attempt, 5, name)
		if attempt == 1 {
			in.JobID = 6
		}
		in.Labels = map[string]string{"token": secret}
		if err := m.r.Accept(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	until := func(running int) {
		t.Helper()
		for len(m.r.Running()) != running {
			time.Sleep(time.Millisecond)
		}
	}
	files := func(secret string) (in []string) {
		t.Helper()
		for {
			in = nil
			err := fs.WalkDir(os.DirFS(m.dir), ".", func(name string, e fs.DirEntry, err error) error {
				if err != nil || e.IsDir() {
					return err
				}
				data, err := os.ReadFile(filepath.Join(m.dir, name))
				if bytes.Contains(data, []byte(secret)) {
					in = append(in, name)
				}
				return err
			})
			switch {
			case err == nil:
				return in
			case !errors.Is(err, fs.ErrNotExist): // a file was removed on the way
				t.Fatal(err)
			}
		}
	}
	leaves := func(secret string) {
		t.Helper()
		for until := time.Now().Add(20 * time.Second); len(files(secret)) > 0; time.Sleep(time.Millisecond) {
			if time.Now().After(until) {
				t.Fatalf("a task is over, and its secret %q is in %v", secret, files(secret))
			}
		}
	}
	accept(1, "slow", "of-one-that-runs-for-long")
	accept(2, "quick", "of-one-that-is-short")
	until(1)
	if len(files("of-one-that-is-short")) == 0 {
		t.Error("the search finds nothing")
	}
	for attempt := int64(3); attempt < 6; attempt++ {
		leaves("of-one-that-is-short")
		accept(attempt, "quick", "of-another-one")
		until(1)
		leaves("of-another-one")
		if len(files("of-one-that-runs-for-long")) == 0 {
			t.Error("the secret of a task that runs is gone")
		}
		if err := m.r.Accept(t.Context(), task(attempt, 5, "quick")); !job.Is(err, job.Duplicate) {
			t.Errorf("it is forgotten: %v", err)
		}
	}
	accept(6, "quick", "of-one-before-the-stop")
	until(1)
	close(release)
	until(0)
	m.stop()
	again := switchOnWith(t, soon, m.dir, handlers{})
	defer again.stop()
	for _, secret := range []string{"of-one-that-is-short", "of-one-that-runs-for-long", "of-another-one", "of-one-before-the-stop"} {
		leaves(secret)
	}
}
