package control

import (
	"context"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/mem"
	"github.com/orthd/orth/job"
)

// dirs are a folder with a short path and one with a path too long for a
// socket.
func dirs(t *testing.T) map[string]string {
	t.Helper()
	long := filepath.Join(shortDir(t), strings.Repeat("long", 25))
	must(t, os.Mkdir(long, 0o700))
	return map[string]string{"short": shortDir(t), "long": long}
}

func TestSocketIsForItsOwnerOnly(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("files have no modes here: the folder's rights count")
	}
	for name, dir := range dirs(t) {
		must(t, os.Chmod(dir, 0o777))
		l, err := Listen(dir)
		must(t, err)
		path, err := locate(dir)
		must(t, err)
		info, err := os.Lstat(path)
		must(t, err)
		if info.Mode() != fs.ModeSocket|0o600 {
			t.Errorf("%s: the socket has the mode %s", name, info.Mode())
		}
		if name == "long" {
			info, err := os.Stat(filepath.Dir(path))
			must(t, err)
			if info.Mode() != fs.ModeDir|0o700 {
				t.Errorf("the folder of the socket has the mode %s", info.Mode())
			}
		}
		must(t, l.Close())
	}
}

func TestCloseRemovesAll(t *testing.T) {
	t.Parallel()
	for name, dir := range dirs(t) {
		l, err := Listen(dir)
		must(t, err)
		path, err := locate(dir)
		must(t, err)
		must(t, l.Close())
		left, err := os.ReadDir(dir)
		must(t, err)
		if len(left) > 0 {
			t.Errorf("%s: %v is left", name, left)
		}
		if name == "long" {
			if _, err := os.Stat(filepath.Dir(path)); !os.IsNotExist(err) {
				t.Errorf("%s is left: %v", filepath.Dir(path), err)
			}
		}
		if l.Close() == nil {
			t.Error("a second Close gives no error")
		}
	}
}

func TestTwoServers(t *testing.T) {
	t.Parallel()
	for name, dir := range dirs(t) {
		r := newRig(t, mem.New(), Config{})
		r.push("tasks", queue.Dead, 1)
		client := serve(t, dir, r.direct)
		_, err := Listen(dir)
		wantKind(t, err, job.Conflict)
		if !strings.Contains(err.Error(), "another executor answers") {
			t.Errorf("%s: %v", name, err)
		}
		if got := keys(t, client, "tasks", queue.Dead); len(got) != 1 {
			t.Errorf("%s: the first server gives %v", name, got)
		}
	}
}

// TestStaleSocket: a process that was killed leaves a socket without anybody
// behind it.
func TestStaleSocket(t *testing.T) {
	t.Parallel()
	for name, dir := range dirs(t) {
		first, err := Listen(dir)
		must(t, err)
		stale, err := locate(dir)
		must(t, err)
		must(t, first.(*listener).Listener.Close())
		_, err = Dial(t.Context(), dir)
		wantKind(t, err, job.NotFound)
		r := newRig(t, mem.New(), Config{})
		client := serve(t, dir, r.direct)
		if _, err := client.Stats(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if name == "long" {
			if _, err := os.Stat(filepath.Dir(stale)); !os.IsNotExist(err) {
				t.Errorf("%s is left: %v", filepath.Dir(stale), err)
			}
		}
	}
}

func TestListenLeavesStrangeFilesAlone(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		socketFile: "precious", pathFile: "/etc/passwd\n",
	} {
		dir := shortDir(t)
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := Listen(dir)
		wantKind(t, err, job.Conflict)
		got, err := os.ReadFile(path)
		must(t, err)
		if string(got) != text {
			t.Errorf("%s is now %q", name, got)
		}
	}
	dir := shortDir(t)
	must(t, os.WriteFile(filepath.Join(dir, pathFile), []byte("x"), 0o600))
	_, err := Dial(t.Context(), dir)
	wantKind(t, err, job.Conflict)
}

// TestStalePointer: after a long time the folder elsewhere may have gone, or
// have become somebody's.
func TestStalePointer(t *testing.T) {
	t.Parallel()
	taken, err := os.MkdirTemp("", elsewhere) //nolint:usetesting // It stands where Listen makes such folders.
	must(t, err)
	defer func() { must(t, os.RemoveAll(taken)) }()
	must(t, os.WriteFile(filepath.Join(taken, "precious"), []byte("x"), 0o600))
	for name, short := range map[string]string{"gone": taken + "-gone", "taken": taken} {
		dir := shortDir(t)
		must(t, os.WriteFile(filepath.Join(dir, pathFile), []byte(filepath.Join(short, "s")+"\n"), 0o600))
		l, err := Listen(dir)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := os.Stat(filepath.Join(dir, pathFile)); !os.IsNotExist(err) {
			t.Errorf("%s: the pointer is left: %v", name, err)
		}
		must(t, l.Close())
	}
	if _, err := os.Stat(filepath.Join(taken, "precious")); err != nil {
		t.Error(err)
	}
}

func TestDialWithoutAnExecutor(t *testing.T) {
	t.Parallel()
	_, err := Dial(t.Context(), shortDir(t))
	wantKind(t, err, job.NotFound)
	_, err = Dial(t.Context(), filepath.Join(shortDir(t), "missing"))
	wantKind(t, err, job.NotFound)
	_, err = Listen(filepath.Join(shortDir(t), "missing"))
	if err == nil {
		t.Error("Listen has made the folder")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	dir := shortDir(t)
	l, err := Listen(dir)
	must(t, err)
	defer l.Close()
	if _, err := Dial(ended, dir); err == nil || job.Is(err, job.NotFound) {
		t.Errorf("got %v, want the end of the context", err)
	}
}

// hangUp accepts connections, reads a little and closes them.
func hangUp(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		_, _ = c.Read(make([]byte, 1))
		c.Close()
	}
}

func TestClientOfASilentExecutor(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	l, err := Listen(dir)
	must(t, err)
	ended := make(chan struct{})
	go func() { defer close(ended); hangUp(l) }()
	defer func() { l.Close(); <-ended }()
	c, err := Dial(t.Context(), dir)
	must(t, err)
	defer c.Close()
	_, err = c.Stats(t.Context())
	wantKind(t, err, job.Unavailable)
	_, err = c.Purge(t.Context(), "tasks", Selection{All: true})
	wantKind(t, err, job.Ambiguous)
}
