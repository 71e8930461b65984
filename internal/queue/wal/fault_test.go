package wal

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/mem"
)

// TestNamesAreDurable: a commit in a file whose name a power cut takes away is lost, so a log is
// open only when the names of its files are durable, and set aside only when the new name is.
func TestNamesAreDurable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "queue.log")
	var synced []string
	var fail error
	d := osDisk{func(name string) error {
		if _, err := os.Lstat(name); err != nil {
			t.Errorf("the folder is synced before it has %s", name)
		}
		synced = append(synced, filepath.Base(name))
		return fail
	}}
	l, err := open(d, path, mem.New(), Config{})
	noError(t, err)
	noError(t, l.Close())
	if !slices.Equal(synced, []string{"queue.log", "queue.log2"}) {
		t.Errorf("synced: %v", synced)
	}
	noError(t, d.Rename(path, path+".aside"))
	if synced[len(synced)-1] != "queue.log.aside" {
		t.Errorf("synced: %v", synced)
	}
	fail = errBad
	if _, err := open(d, path, mem.New(), Config{}); !errors.Is(err, errBad) {
		t.Errorf("a name that is not durable: %v", err)
	}
	if err := d.Rename(path+".aside", path); !errors.Is(err, errBad) {
		t.Errorf("a new name that is not durable: %v", err)
	}
	noError(t, syncFolder(path))
}

// TestLogAfterAFailedDirectWrite: a transaction that goes straight to the back end inside and
// fails leaves no hole in the log: what follows is not taken for damage after a restart.
func TestLogAfterAFailedDirectWrite(t *testing.T) {
	t.Parallel()
	d := newFaultyDisk(1)
	inner := &faultyInner{Backend: mem.New(), disk: d}
	l, err := open(d, "queue.log", inner, tiny)
	noError(t, err)
	noError(t, set(l, "before", "1"))
	inner.bad = true
	if err := set(l, "large", strings.Repeat("x", 2*tiny.LogBytes)); !errors.Is(err, queue.ErrUndone) {
		t.Fatalf("got %v", err)
	}
	inner.bad = false
	noError(t, set(l, "after", "2"))
	d = d.reboot(1)
	again, err := open(d, "queue.log", inner.Reopen(), tiny)
	noError(t, err)
	if got := all(t, again); len(got) != 2 || got["abefore"] != "1" || got["aafter"] != "2" {
		t.Errorf("after a restart there is %v", got)
	}
	if loss := lossOf(t, again); loss != queue.LossNone || len(again.SetAside()) > 0 {
		t.Errorf("the loss is noted as %d, set aside %v", loss, again.SetAside())
	}
}
