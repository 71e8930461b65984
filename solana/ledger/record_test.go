package ledger

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/solana/failure"
	"github.com/orthd/orth/solana/thread"
)

var update = flag.Bool("update", false, "write the golden files")

// What an earlier version has written is read as it was meant: a changed form of a record
// needs another version.
func TestGolden(t *testing.T) {
	t.Parallel()
	task := wanted(1, 41)
	task.State = &thread.Thread{
		Version: 1, Bump: 2, Authority: key(3), ID: []byte("id"), Name: "name", CreatedAt: 4,
		Trigger:  thread.Trigger{Kind: thread.OnCron, Address: key(5), Offset: 6, Size: 7, At: 8, Every: 9, Cron: "@daily", Skippable: true, Jitter: 10, Number: 11},
		Schedule: thread.Schedule{Kind: thread.Timed, Hash: 12, Prev: 13, Next: 14}, Fibers: []uint8{15, 16}, Cursor: 16,
		Signal: thread.Signal{Kind: thread.NextFiber, Index: 17}, Paused: true, ExecCount: 41, LastExecutor: key(18), Nonce: key(19), Closing: []byte{20},
	}
	r, err := newRecord(&task)
	must(t, err)
	f := flight(7)
	r.Flight, r.Tries, r.Units = newFlight(&f), 3, 30_000
	r.Failed = Failure{Class: failure.Unclear, Reason: "why", At: day, Logs: []string{"Program log: no"}}
	body, err := r.encode()
	must(t, err)
	path := filepath.Join("testdata", "task.v1")
	if *update {
		must(t, os.WriteFile(path, body, 0o600))
	}
	golden, err := os.ReadFile(path)
	must(t, err)
	if diff := cmp.Diff(string(golden), string(body)); diff != "" {
		t.Errorf("it is written otherwise: (-want +got)\n%s", diff)
	}
	got := taskOf(queue.Item{Key: 1, Body: golden}, queue.Processing)
	want := task
	want.ID, want.Place, want.Flight, want.Tries, want.Units, want.Failed = 1, Processing, &f, 3, 30_000, r.Failed
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("it is read otherwise: (-want +got)\n%s", diff)
	}
}

// Bytes that are no record are unknown, whatever they are.
func FuzzRecord(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{recordVersion})
	f.Add([]byte("\x01{}"))
	f.Add([]byte(`{"thread":"x"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		got := taskOf(queue.Item{Key: 5, Seq: 6, Body: body}, queue.Dead)
		if got.ID != 5 || got.Seq != 6 || got.Place != Dead || !got.Unknown && got.State == nil {
			t.Errorf("%+v", got)
		}
		if a, err := decodeAccount(body); err == nil && !bytes.Equal(a.encode(), body) {
			t.Errorf("account %+v of %v", a, body)
		}
	})
}
