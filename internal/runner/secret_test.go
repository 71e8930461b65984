package runner

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/orthd/orth/job"
)

// TestSecretsLeaveWithTheirTask looks into every byte of the folder: what a task was given is there
// while it waits or runs, and is gone after the next rotation when it is over, also when it was there
// for several of them.
func TestSecretsLeaveWithTheirTask(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	m := switchOn(t, t.TempDir(), handlers{
		"quick": do(func(context.Context) error { return nil }),
		"slow":  do(func(context.Context) error { <-release; return nil }),
	})
	defer m.stop()
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
	rotate := func() {
		t.Helper()
		if err := m.backend.Rotate(); err != nil {
			t.Fatal(err)
		}
	}
	files := func(secret string) (in []string) {
		entries, err := os.ReadDir(m.dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			data, err := os.ReadFile(filepath.Join(m.dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(data, []byte(secret)) {
				in = append(in, e.Name())
			}
		}
		return in
	}
	accept(1, "slow", "of-one-that-runs-for-long")
	accept(2, "quick", "of-one-that-is-short")
	until(1)
	if len(files("of-one-that-is-short")) == 0 {
		t.Error("the search finds nothing")
	}
	for attempt := int64(3); attempt < 6; attempt++ {
		rotate()
		accept(attempt, "quick", "of-another-one")
		until(1)
		if in := files("of-one-that-is-short"); len(in) > 0 {
			t.Errorf("a task is over, and its secret is in %v", in)
		}
		if len(files("of-one-that-runs-for-long")) != 1 {
			t.Errorf("the secret of a task that runs is in %v", files("of-one-that-runs-for-long"))
		}
		if err := m.r.Accept(t.Context(), task(attempt, 5, "quick")); !job.Is(err, job.Duplicate) {
			t.Errorf("it is forgotten: %v", err)
		}
	}
	close(release)
	until(0)
	rotate()
	for _, secret := range []string{"of-one-that-is-short", "of-one-that-runs-for-long", "of-another-one"} {
		if in := files(secret); len(in) > 0 {
			t.Errorf("all tasks are over, and the secret %q is in %v", secret, in)
		}
	}
}
