package cli

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/orthd/orth/job"
)

// A pipe without a writer is refused, and not waited for.
func TestKeypairOfAPipe(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := loadKeypair("--keypair", path); !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), "is no file") {
		t.Errorf("error %v", err)
	}
}
