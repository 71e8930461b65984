package folder

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/orthd/orth/job"
)

// limited is set in the environment of the process that has no room.
const limited = "ORTH_TEST_FOLDER_LIMITED"

// A disk without room refuses the blob as full and keeps nothing of it. A limit of
// the size of files, which is of the whole process, stands for the disk.
func TestFull(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv(limited); dir != "" {
		fillUp(t, dir)
		return
	}
	dir := t.TempDir()
	again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFull$", "-test.v")
	again.Env = append(os.Environ(), limited+"="+dir)
	if out, err := again.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("PASS: TestFull")) {
		t.Fatalf("%v: %s", err, out)
	}
	same(t, "the folder", files(t, dir), []string{".new", "small"})
}

func fillUp(t *testing.T, dir string) {
	t.Helper()
	s := opened(t, dir)
	most := syscall.Rlimit{Cur: 64 << 10, Max: 64 << 10}
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &most))
	must(t, s.Put(t.Context(), "small", make([]byte, 1000)))
	if err := s.Put(t.Context(), "day/large", make([]byte, 1<<20)); !job.Is(err, job.Full) {
		t.Errorf("a blob that is larger than the disk: %v, want it full", err)
	}
}

func TestKinds(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]job.Kind{
		syscall.ENOSPC: job.Full,
		syscall.EDQUOT: job.Full,
		syscall.EIO:    job.Unavailable,
		syscall.EROFS:  job.Unavailable,
	} {
		got := failed("write", "a/b", fmt.Errorf("write: %w", err))
		if !job.Is(got, want) || !errors.Is(got, err) {
			t.Errorf("%v: %v of kind %s, want %s", err, got, job.KindOf(got), want)
		}
	}
}
