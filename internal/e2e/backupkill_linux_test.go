package e2e

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// folderToCopy returns a data folder as a server has left it, with a large file of logs
// that cannot be packed any smaller.
func folderToCopy(t *testing.T, size int) string {
	t.Helper()
	s := newSite(t)
	s.startServer()
	s.orth("group", "create", s.group)
	s.now.kill()
	logs := filepath.Join(s.data(), "logs")
	if err := os.MkdirAll(logs, 0o700); err != nil {
		t.Fatal(err)
	}
	noise := make([]byte, size)
	if _, err := rand.Read(noise); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, filepath.Join(logs, "large"), string(noise))
	return s.data()
}

// under returns the files below a folder, with their sizes.
func under(t *testing.T, dir string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil //nolint:nilerr // It goes while it is looked at.
		}
		if info, err := entry.Info(); err == nil {
			found = append(found, fmt.Sprintf("%s %d", strings.TrimPrefix(path, dir), info.Size()))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// interrupt begins something, waits until a file that begins like this has something in it and is not
// whole, and sends a signal. What was over before that is begun again: this test may have slept meanwhile.
func interrupt(t *testing.T, signal syscall.Signal, dir, begins, ends string, begin func() *process) *process {
	t.Helper()
	for range 20 {
		p := begin()
		if !midway(t, p, dir, begins, ends) {
			continue
		}
		if err := p.cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		p.wait()
		if p.cmd.ProcessState.ExitCode() != 0 {
			return p
		}
	}
	t.Fatal("it was always over before it could be ended")
	return nil
}

// midway waits until there is such a file, and reports whether there was one before it was over.
func midway(t *testing.T, p *process, dir, begins, ends string) bool {
	t.Helper()
	look := time.NewTicker(2 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-p.done:
			if code := p.cmd.ProcessState.ExitCode(); code != 0 {
				t.Fatalf("it ended by itself with %d: %s", code, p.out)
			}
			return false
		case <-look.C:
		}
		for _, file := range under(t, dir) {
			if name, size, _ := strings.Cut(file, " "); strings.HasPrefix(name, begins) && strings.HasSuffix(name, ends) && len(size) > 6 { // 1 MB and more
				return true
			}
		}
	}
}

// A copy that is interrupted leaves nothing under the name of the archive; one that is
// told to end takes away what it has begun, too. The next one is whole.
func TestBackupInterrupted(t *testing.T) {
	t.Parallel()
	data := folderToCopy(t, 96<<20)
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			archives := scratch(t)
			archive := filepath.Join(archives, "orth.tar.zst")
			p := interrupt(t, signal, archives, "/.orth-backup-", "/archive", func() *process {
				if err := os.RemoveAll(archive); err != nil {
					t.Fatal(err)
				}
				return start(t, "backup", nil, "backup", archive, "--data", data, "--with-logs")
			})
			if _, err := os.Stat(archive); !os.IsNotExist(err) {
				t.Errorf("there is an archive: %v", err)
			}
			left := under(t, archives)
			if signal != syscall.SIGKILL && (len(left) > 0 || p.cmd.ProcessState.ExitCode() != 130) {
				t.Errorf("it ended with %d and left %v: %s", p.cmd.ProcessState.ExitCode(), left, p.out)
			}
			for _, file := range left {
				name, _, _ := strings.Cut(file, " ")
				if _, stderr, code := run(t, nil, "backup", "verify", filepath.Join(archives, name)); code == 0 {
					t.Errorf("%s looks whole: %s", name, stderr)
				}
			}
			if _, stderr, code := run(t, nil, "backup", archive, "--data", data); code != 0 {
				t.Errorf("the next one: %d, %s", code, stderr)
			}
		})
	}
}

// A restore that is interrupted leaves the folder as it was, or no folder.
func TestRestoreInterrupted(t *testing.T) {
	t.Parallel()
	data := folderToCopy(t, 96<<20)
	archive := filepath.Join(scratch(t), "orth.tar.zst")
	if _, stderr, code := run(t, nil, "backup", archive, "--data", data, "--with-logs"); code != 0 {
		t.Fatalf("%d, %s", code, stderr)
	}
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		for _, there := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s %t", signal, there), func(t *testing.T) {
				t.Parallel()
				parent := scratch(t)
				to := filepath.Join(parent, "data")
				var was []string
				interrupt(t, signal, parent, "/.orth-restore-", "/large", func() *process {
					if err := os.RemoveAll(to); err != nil {
						t.Fatal(err)
					}
					if there {
						if _, stderr, code := run(t, nil, "restore", archive, "--data", to, "--yes"); code != 0 {
							t.Fatalf("%d, %s", code, stderr)
						}
						mustWrite(t, filepath.Join(to, "mark"), "as it was")
						was = under(t, to)
					}
					return start(t, "restore", nil, "restore", archive, "--data", to, "--yes", "--replace")
				})
				if _, err := os.Stat(to); there == os.IsNotExist(err) {
					t.Errorf("the folder: %v", err)
				}
				if there {
					is := under(t, to)
					if lock := "/orth.db.lock 0"; len(is) == len(was)+1 { // of whoever looked whether it is in use
						t.Logf("%s beside %v", lock, is)
					} else if strings.Join(is, "\n") != strings.Join(was, "\n") {
						t.Errorf("there is\n%v, there was\n%v", is, was)
					}
				}
				if left := under(t, parent); signal != syscall.SIGKILL && !there && len(left) > 0 {
					t.Errorf("it left %v", left)
				}
				if _, stderr, code := run(t, nil, "restore", archive, "--data", to, "--yes", "--replace"); code != 0 {
					t.Errorf("the next one: %d, %s", code, stderr)
				}
			})
		}
	}
}

// On a full disk neither leaves anything, and both say why.
func TestBackupDiskFull(t *testing.T) {
	t.Parallel()
	data := folderToCopy(t, 24<<20)
	disk := smallDisk(t, "16m")
	small := filepath.Join(disk, "orth.tar.zst")
	_, stderr, code := run(t, nil, "backup", small, "--data", data, "--with-logs")
	if code != 1 && code != 6 || !strings.Contains(stderr, "no space left") {
		t.Errorf("a copy: %d, %s", code, stderr)
	}
	noStack(t, "the copy", stderr)
	if left := under(t, disk); len(left) > 0 {
		t.Errorf("it left %v", left)
	}
	archive := filepath.Join(scratch(t), "orth.tar.zst")
	if _, stderr, code := run(t, nil, "backup", archive, "--data", data, "--with-logs"); code != 0 {
		t.Fatalf("%d, %s", code, stderr)
	}
	_, stderr, code = run(t, nil, "restore", archive, "--data", filepath.Join(disk, "data"), "--yes")
	if code != 6 || !strings.Contains(stderr, "there is no room for the entry") {
		t.Errorf("a restore: %d, %s", code, stderr)
	}
	noStack(t, "the restore", stderr)
	if left := under(t, disk); len(left) > 0 {
		t.Errorf("it left %v", left)
	}
	for _, database := range []string{"4m", "1m"} { // not even room for the database
		tiny := smallDisk(t, database)
		fill(t, filepath.Join(tiny, "ballast"))
		if _, stderr, code := run(t, nil, "backup", filepath.Join(tiny, "a"), "--data", data); code == 0 || !strings.Contains(stderr, "no space") && !strings.Contains(stderr, "full") {
			t.Errorf("%d, %s", code, stderr)
		}
		if left := under(t, tiny); len(left) != 1 {
			t.Errorf("it left %v", left)
		}
	}
}
