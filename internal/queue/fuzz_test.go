package queue_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/journal"
	"github.com/orthd/orth/internal/queue/mem"
	"github.com/orthd/orth/job"
)

// FuzzFolder opens a folder of any bytes: it is refused, or what can be read of it is there, the store
// works, and the next start finds the same and no damage.
func FuzzFolder(f *testing.F) {
	d := mem.New()
	s, err := queue.Open(d, tiny)
	if err != nil {
		f.Fatal(err)
	}
	if err := s.Close(); err != nil {
		f.Fatal(err)
	}
	const segment = "000000000001.journal"
	whole := d.Read(segment)
	f.Add(d.Read("manifest"), whole[:5000])
	f.Add([]byte("manifest"), whole)
	f.Add(d.Read("manifest"), []byte{})
	f.Fuzz(func(t *testing.T, manifest, content []byte) {
		d := mem.New()
		d.Write("manifest", manifest)
		d.Write(segment, content)
		stable(t, d)
	})
}

// FuzzOperation opens a journal with two operations of any bytes.
func FuzzOperation(f *testing.F) {
	for _, op := range []string{
		"\x01\x05tasks\x01\x00\x02\x03\x04\x05\x00\x00body", "\x02\x05tasks\x02\x02\x04\x00\x00", "\x03\x05tasks\x02\x05\x08", "\x04\x05tasks\x02",
		"\x05\x05tasks\x09", "\x06\x05tasks\x04\x02\x04\x06\x08", "\x07\x00\x01\x01mvalue", "\x07\x00\x00\x01m", "\x08\x05tasks\x02", "\x09\x00\x07\x02",
		"\x06\x05tasks\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x02\x02",
	} {
		f.Add([]byte(op), []byte("\x06\x05tasks\x04\x02\x04\x06\x08"))
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		d := mem.New()
		j, err := journal.Open(d, journal.Config{Segment: tiny.Segment}, nothing{})
		if err != nil {
			t.Fatal(err)
		}
		var b journal.Batch
		for _, op := range [][]byte{first, second} {
			b.End(append(b.Begin(), op...))
		}
		if _, _, err := j.Append(&b, true); err != nil {
			t.Fatal(err)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		stable(t, d)
	})
}

type nothing struct{}

func (nothing) Operation(*journal.Segment, int64, int, []byte) error { return nil }

func (nothing) Lost() {}

// stable opens a folder twice, with work in between.
func stable(t *testing.T, d *mem.Disk) {
	t.Helper()
	s, err := queue.Open(d, tiny)
	if err != nil {
		if !job.Is(err, job.Conflict) {
			t.Fatal(err)
		}
		return
	}
	stop := run(t, s)
	q := s.Queue("tasks", limits("tasks"))
	for key := int64(1000); key < 1003; key++ {
		if err := push(s, q, key); err != nil && !job.Is(err, job.Duplicate) {
			t.Fatal(err)
		}
	}
	stop()
	got, where := stats(t, s), places(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	c := tiny
	c.Hooks.Damaged = func(int) { t.Fatal("the next start finds damage") }
	again, err := queue.Open(d.Reopen(), c)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, stats(t, again)); diff != "" {
		t.Fatalf("the next start (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(where, places(t, again), cmp.AllowUnexported(placed{})); diff != "" {
		t.Fatalf("the next start (-want +got)\n%s", diff)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}

func stats(t *testing.T, s *queue.Store) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := s.View(t.Context(), func(tx *queue.Tx) error {
		for _, name := range []string{"tasks", "outbox"} {
			st, err := s.Queue(name, limits(name)).Stats(tx)
			if err != nil {
				return err
			}
			all[name] = fmt.Sprintf("%+v", st)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
