package queue_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/mem"
	"github.com/orthd/orth/job"
)

// placed is where a key is, and whether that is certain.
type placed struct {
	where     queue.Place
	uncertain bool
}

func places(t *testing.T, s *queue.Store) map[string]placed {
	t.Helper()
	all := make(map[string]placed)
	err := s.View(t.Context(), func(tx *queue.Tx) error {
		for _, name := range []string{"tasks", "outbox"} {
			q := s.Queue(name, limits(name))
			for key := range int64(keys) {
				it, where, _, err := q.Find(tx, key)
				if err != nil {
					return err
				}
				if where != 0 {
					all[fmt.Sprint(name, " ", key)] = placed{where, it.Uncertain}
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// history is the files of a store after random transactions.
func history(t *testing.T, seed uint64, n int) *mem.Disk {
	t.Helper()
	d := mem.Seeded(seed)
	random := rand.New(rand.NewPCG(seed, 3))
	s := open(t, d, tiny)
	stop := run(t, s)
	for range n {
		_ = s.Update(t.Context(), step(s, random))
	}
	stop()
	wantNil(t, s.Close())
	return d
}

// harm is a store whose files were damaged.
type harm struct {
	t     *testing.T
	where string
	whole world
	was   map[string]placed
}

// check opens damaged files and holds what is found against what was there. It returns how many items
// that were scheduled or in processing are gone.
func (h *harm) check(d *mem.Disk) (lost int) {
	t := h.t
	t.Helper()
	told := 0
	c := tiny
	c.Hooks.Damaged = func(n int) { told += n }
	s, err := queue.Open(d, c)
	if err != nil {
		t.Fatalf("%s: %v", h.where, err)
	}
	got, is := look(t, s), places(t, s)
	if diff := cmp.Diff(h.whole, got); diff != "" && told == 0 {
		t.Fatalf("%s: damage was not found (-want +got)\n%s", h.where, diff)
	}
	for key, was := range h.was {
		now := is[key]
		live := now.where == queue.Scheduled || now.where == queue.Processing
		switch {
		case strings.HasPrefix(key, "tasks") && live && !now.uncertain && (was.where == queue.Remembered ||
			was.where == queue.Processing && now.where == queue.Scheduled):
			t.Fatalf("%s: %s was %s, and is %s for certain", h.where, key, was.where, now.where)
		case now.where == 0 && (was.where == queue.Scheduled || was.where == queue.Processing):
			lost++
		}
	}
	for key, now := range is {
		if _, known := h.was[key]; !known && strings.HasPrefix(key, "tasks") && now.where != queue.Remembered && now.where != queue.Dead && !now.uncertain {
			t.Fatalf("%s: %s had been forgotten, and is %s for certain", h.where, key, now.where)
		}
	}
	wantNil(t, s.Close())
	c.Hooks.Damaged = func(int) { t.Fatalf("%s: the next start finds damage again", h.where) }
	again := open(t, d.Reopen(), c)
	if diff := cmp.Diff(got, look(t, again)); diff != "" {
		t.Fatalf("%s: the next start (-want +got)\n%s", h.where, diff)
	}
	if diff := cmp.Diff(is, places(t, again), cmp.AllowUnexported(placed{})); diff != "" {
		t.Fatalf("%s: the next start (-want +got)\n%s", h.where, diff)
	}
	wantNil(t, again.Close())
	return lost
}

func harmed(t *testing.T, d *mem.Disk) *harm {
	t.Helper()
	s := open(t, d.Reopen(), tiny)
	h := &harm{t: t, whole: look(t, s), was: places(t, s)}
	wantNil(t, s.Close())
	return h
}

func segments(t *testing.T, d *mem.Disk) (names []string) {
	t.Helper()
	all, err := d.Names()
	wantNil(t, err)
	for _, name := range all {
		if strings.HasSuffix(name, ".journal") {
			names = append(names, name)
		}
	}
	return names
}

// TestFlippedByte flips bytes in all files, one at a time: one record is lost at most, what had ended
// or begun does not begin again, and nothing goes unnoticed.
func TestFlippedByte(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		d := history(t, seed, 120)
		h := harmed(t, d)
		if len(segments(t, d)) < 3 {
			t.Fatalf("only %d segments", len(segments(t, d)))
		}
		for _, name := range append(segments(t, d), "manifest") {
			used := len(bytes.TrimRight(d.Read(name), "\x00"))
			for at := 0; at < used; at += flipEvery {
				if at > 100 && at < 4096 && at%2048 > 100 {
					continue // nothing is there
				}
				next := d.Reopen()
				next.Change(name, func(content []byte) { content[at] ^= 1 << (at % 8) })
				h.where = fmt.Sprintf("seed %d, byte %d of %s", seed, at, name)
				if lost := h.check(next); lost > 1 {
					t.Errorf("%s: %d items are gone", h.where, lost)
				}
			}
		}
	}
}

// TestCutFile cuts the last file at bytes, one at a time.
func TestCutFile(t *testing.T) {
	t.Parallel()
	d := history(t, 5, 100)
	h := harmed(t, d)
	names := segments(t, d)
	name := names[len(names)-1]
	content := d.Read(name)
	for at := 0; at < len(content); at += flipEvery {
		next := d.Reopen()
		next.Write(name, slices.Clone(content[:at]))
		h.where = fmt.Sprintf("%s, cut at byte %d", name, at)
		h.check(next)
	}
}

// TestMissingFile removes each file.
func TestMissingFile(t *testing.T) {
	t.Parallel()
	d := history(t, 6, 150)
	h := harmed(t, d)
	for _, name := range append(segments(t, d), "manifest") {
		next := d.Reopen()
		wantNil(t, next.Remove(name))
		h.where = name + " is missing"
		h.check(next)
	}
}

// TestManyDamages flips many bytes at once: whatever is left opens.
func TestManyDamages(t *testing.T) {
	t.Parallel()
	d := history(t, 7, 150)
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 4))
		next := d.Reopen()
		for _, name := range append(segments(t, d), "manifest") {
			next.Change(name, func(content []byte) {
				for range 1 + random.IntN(50) {
					content[random.IntN(len(content))] ^= byte(1 + random.IntN(255))
				}
			})
		}
		s := open(t, next, tiny)
		stop := run(t, s)
		look(t, s)
		wantNil(t, push(s, s.Queue("tasks", limits("tasks")), 1000))
		stop()
		wantNil(t, s.Close())
	}
}

// TestDamageIsKept: damaged bytes are reported and kept, up to a bound.
func TestDamageIsKept(t *testing.T) {
	t.Parallel()
	d := mem.New()
	s := open(t, d, queue.Config{})
	stop := run(t, s)
	q := s.Queue("tasks", queue.QueueConfig{})
	for key, body := range []string{"body of the first", "body of the second"} {
		wantNil(t, s.Update(t.Context(), func(tx *queue.Tx) error {
			return q.Push(tx, queue.Item{Key: int64(key), Body: []byte(body)})
		}))
	}
	stop()
	wantNil(t, s.Close())
	d = d.Reopen()
	d.Change(segments(t, d)[0], func(content []byte) { content[bytes.Index(content, []byte("first"))] = 'F' })
	var log bytes.Buffer
	s = open(t, d, queue.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	defer func() { wantNil(t, s.Close()) }()
	if !bytes.Contains(d.Read("damaged"), []byte("body of the First")) || !strings.Contains(log.String(), "queue_damage_set_aside") {
		t.Errorf("kept are %q, the log says\n%s", d.Read("damaged"), &log)
	}
	wantNil(t, s.View(t.Context(), func(tx *queue.Tx) error {
		st, err := q.Stats(tx)
		if st.Scheduled != 1 || st.Damaged != 1 {
			t.Errorf("%+v", st)
		}
		return err
	}))
}

// TestDamagedBodyIsSetAside damages a body that is in the file only, of a store that is in use.
func TestDamagedBodyIsSetAside(t *testing.T) {
	t.Parallel()
	for _, do := range []string{"find", "list", "claim"} {
		d := mem.New()
		told := 0
		s := open(t, d, queue.Config{Hooks: queue.Hooks{Damaged: func(n int) { told += n }}})
		stop := run(t, s)
		q := s.Queue("tasks", queue.QueueConfig{})
		large := bytes.Repeat([]byte("large"), 3000)
		wantNil(t, s.Update(t.Context(), func(tx *queue.Tx) error {
			return q.Push(tx, queue.Item{Key: 4, Body: large})
		}))
		wantNil(t, push(s, q, 5))
		d.Change(segments(t, d)[0], func(content []byte) { content[bytes.Index(content, large)] ^= 1 })
		switch do {
		case "find":
			wantKind(t, s.View(t.Context(), func(tx *queue.Tx) error {
				_, _, _, err := q.Find(tx, 4)
				return err
			}), job.Unavailable)
		case "list":
			wantNil(t, s.View(t.Context(), func(tx *queue.Tx) error {
				items, err := q.List(tx, queue.Scheduled, 0, 9)
				if len(items) != 1 || items[0].Key != 5 {
					t.Errorf("listed %v", items)
				}
				return err
			}))
		case "claim":
			wantNil(t, s.Update(t.Context(), func(tx *queue.Tx) error {
				items, err := q.Claim(tx, day, 9)
				if len(items) != 1 || items[0].Key != 5 {
					t.Errorf("claimed %v", items)
				}
				return err
			}))
		}
		wantNil(t, s.Update(t.Context(), func(*queue.Tx) error { return nil }))
		wantKind(t, s.Update(t.Context(), func(tx *queue.Tx) error { return q.Remove(tx, 4) }), job.NotFound)
		wantNil(t, push(s, q, 4))
		stop()
		if told != 1 {
			t.Errorf("%s: told %d times", do, told)
		}
		wantNil(t, s.Close())
	}
}

// TestZeroedFrames: a piece of a frame that is all zeros is damage, and no power cut, when a later
// frame shows that it was forced.
func TestZeroedFrames(t *testing.T) {
	t.Parallel()
	for name, from := range map[string]int{"a part of the body": 500, "the head": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := mem.New()
			s := open(t, d, queue.Config{})
			stop := run(t, s)
			q := s.Queue("tasks", queue.QueueConfig{})
			marks := map[int64][]byte{}
			for key := int64(1); key <= 3; key++ {
				marks[key] = bytes.Repeat([]byte{byte('A' + key)}, 2000)
				wantNil(t, s.Update(t.Context(), func(tx *queue.Tx) error {
					return q.Push(tx, queue.Item{Key: key, Body: marks[key]})
				}))
			}
			stop()
			wantNil(t, s.Close())
			d.Change("000000000001.journal", func(content []byte) {
				at := bytes.Index(content, marks[2]) + from
				if from == 0 { // frames begin at multiples of 32
					at = (bytes.Index(content, marks[1]) + len(marks[1]) + 8 + 31) / 32 * 32
				}
				clear(content[at : at+1024])
			})
			damages := 0
			s = open(t, d.Reopen(), queue.Config{Hooks: queue.Hooks{Damaged: func(int) { damages++ }}})
			defer func() { wantNil(t, s.Close()) }()
			wantNil(t, s.View(t.Context(), func(tx *queue.Tx) error {
				for key, want := range map[int64]queue.Place{1: queue.Scheduled, 2: 0, 3: queue.Scheduled} {
					if where, _ := q.Where(tx, key); where != want {
						t.Errorf("item %d is %s, want %s", key, where, want)
					}
				}
				return nil
			}))
			if damages == 0 {
				t.Error("it was taken for a power cut")
			}
		})
	}
}
