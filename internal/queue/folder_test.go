package queue_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/queuetest"
	"github.com/orthd/orth/job"
)

// TestFolderSuite is the suite on the operating system's files.
func TestFolderSuite(t *testing.T) {
	t.Parallel()
	queuetest.Run(t, func(tb testing.TB) queue.Disk {
		tb.Helper()
		return queue.Folder(filepath.Join(tb.TempDir(), "queue"))
	}, queuetest.Caps{Reopen: func(_ testing.TB, closed queue.Disk) queue.Disk { return closed }})
}

func TestFolderHasOneUser(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "queue")
	s := open(t, queue.Folder(path), queue.Config{})
	_, err := queue.Open(queue.Folder(path), queue.Config{})
	wantKind(t, err, job.Conflict)
	wantNil(t, s.Close())
	s = open(t, queue.Folder(path), queue.Config{})
	wantNil(t, s.Close())
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("the folder has the mode %v, %v", info.Mode(), err)
	}
}

// TestOldFolderIsRefused: the error says what it is and what to do, and nothing is touched.
func TestOldFolderIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "queue")
	wantNil(t, os.WriteFile(path+".db", []byte("bolt"), 0o600))
	_, err := queue.Open(queue.Folder(path), queue.Config{})
	wantKind(t, err, job.Conflict)
	if !strings.Contains(err.Error(), "queue.db") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the folder was made: %v", err)
	}
}

// TestNewerFormatIsRefused: files of a newer version are left as they are.
func TestNewerFormatIsRefused(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	s := open(t, queue.Folder(path), queue.Config{})
	wantNil(t, s.Close())
	name := filepath.Join(path, "manifest")
	content, err := os.ReadFile(name)
	wantNil(t, err)
	for at := 0; at < len(content); at += 4096 {
		if slot := content[at : at+40]; bytes.HasPrefix(slot, []byte("ORTH")) {
			slot[8] = 2
			binary.LittleEndian.PutUint32(slot[36:], crc32.Checksum(slot[:36], crc32.MakeTable(crc32.Castagnoli)))
		}
	}
	wantNil(t, os.WriteFile(name, content, 0o600))
	_, err = queue.Open(queue.Folder(path), queue.Config{})
	wantKind(t, err, job.Conflict)
	after, err := os.ReadFile(name)
	if err != nil || !bytes.Equal(content, after) {
		t.Errorf("a refused file was changed (%v)", err)
	}
}
