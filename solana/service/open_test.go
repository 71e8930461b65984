package service

import (
	"bytes"
	"testing"
	"time"

	"github.com/orthd/orth/internal/queue/mem"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/ledger"
)

// A copy that is made while the service works is a ledger of its own.
func TestBackup(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	folder := t.TempDir()
	book, err := OpenLedger(folder, ledger.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenLedger(folder, ledger.Config{}); !job.Is(err, job.Conflict) {
		t.Errorf("opened twice: %v", err)
	}
	h := w.enterWith(t, book, func(c *Config) { c.Watch = time.Millisecond })
	defer h.stop()
	const threads = 50
	for n := range threads {
		h.offer(t, w.put(t, n, now-10))
	}
	waits := h.offer(t, w.put(t, threads, now+1000))
	for range threads {
		<-h.settled
	}
	var copied bytes.Buffer
	if err := book.Backup(&copied); err != nil {
		t.Fatal(err)
	}
	disk, err := mem.Untar(&copied)
	if err != nil {
		t.Fatal(err)
	}
	restored, err := ledger.Open(disk, ledger.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := restored.Close(); err != nil {
			t.Error(err)
		}
	}()
	st, err := restored.Stats(t.Context())
	if err != nil || st.Remembered != threads || st.Scheduled != 1 || st.Accounts != threads {
		t.Errorf("%+v, %v", st, err)
	}
	if got, err := restored.Task(t.Context(), waits); err != nil || got.Place != ledger.Scheduled {
		t.Errorf("%+v, %v", got, err)
	}
}
