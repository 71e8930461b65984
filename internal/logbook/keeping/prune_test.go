package keeping

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/job"
)

// over copies a log of an attempt that has ended.
func (b *bench) over(id int64, p job.LogPolicy, lines ...string) {
	b.Helper()
	b.machine.write(id, lines...)
	b.end(b.begin(id, p))
	b.keeper.Ended(id)
	time.Sleep(time.Second)
	b.stored(id, logbook.Whole, lines...)
}

// kept returns which of the logs are there.
func (b *bench) kept(ids ...int64) (kept []int64) {
	for _, id := range ids {
		if logs, _ := b.shelves.Logs(b.Context(), []int64{id}); len(logs) > 0 {
			kept = append(kept, id)
		}
	}
	return kept
}

func (b *bench) names() int {
	b.blobs.mu.Lock()
	defer b.blobs.mu.Unlock()
	return len(b.blobs.data)
}

func TestOldLogsAreForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(c *KeeperConfig) { c.KeepFor = 24 * time.Hour })
		b.over(1, job.LogPolicy{}, "by default")
		b.over(2, job.LogPolicy{KeepFor: time.Hour}, "for an hour")
		b.over(3, job.LogPolicy{KeepFor: 100 * time.Hour}, "for long")
		open := b.begin(4, job.LogPolicy{})
		b.machine.write(4, "open")
		time.Sleep(2 * time.Hour)
		if kept := b.kept(1, 2, 3, 4); len(kept) != 3 || kept[1] != 3 {
			t.Errorf("after 2 h there are %v", kept)
		}
		time.Sleep(24 * time.Hour)
		b.over(5, job.LogPolicy{}, "young")
		if kept := b.kept(1, 2, 3, 4, 5); len(kept) != 3 || kept[0] != 3 {
			t.Errorf("after a day there are %v", kept)
		}
		if got := b.text(3); got != "for long\n" {
			t.Errorf("what is kept is %q", got)
		}
		b.end(open)
		b.keeper.Ended(4)
		time.Sleep(100 * time.Hour)
		if kept, blobs := b.kept(1, 2, 3, 4, 5), b.names(); len(kept) != 0 || blobs != 0 {
			t.Errorf("at last there are %v in %d blobs", kept, blobs)
		}
	})
}

func TestOldLogsOfRunsAreForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(c *KeeperConfig) { c.KeepFor = 24 * time.Hour })
		old := time.Now().Add(-25 * time.Hour)
		var runs []logbook.Old
		for id := int64(1); id <= pruneSlice; id++ { // a page of runs without a log
			runs = append(runs, logbook.Old{Attempt: id, TriggeredAt: old, EndedAt: old, None: true})
		}
		young := time.Now().Add(-22 * time.Hour)
		b.shelves.hold(append(runs,
			logbook.Old{Attempt: 5001, TriggeredAt: old, EndedAt: old},
			logbook.Old{Attempt: 5002, TriggeredAt: old, EndedAt: old, Said: true},
			logbook.Old{Attempt: 5003, TriggeredAt: old},
			logbook.Old{Attempt: 5004, TriggeredAt: young, EndedAt: young}))
		time.Sleep(90 * time.Minute)
		if diff := cmp.Diff([]int64{5001}, b.shelves.gone()); diff != "" {
			t.Errorf("forgotten (-want +got):\n%s", diff)
		}
		time.Sleep(2 * time.Hour)
		if diff := cmp.Diff([]int64{5001, 5004}, b.shelves.gone()); diff != "" {
			t.Errorf("forgotten later (-want +got):\n%s", diff)
		}
	})
}

func TestOldestGoWhenThereIsTooMuch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(c *KeeperConfig) { c.MaxTotal = 1000 })
		for id := int64(1); id <= 10; id++ {
			lines := make([]string, 40)
			for i := range lines {
				lines[i] = string(rune('a'+(int(id)*7+i*i)%26)) + strings.Repeat("z", i)
			}
			b.over(id, job.LogPolicy{}, lines...)
		}
		time.Sleep(20 * time.Minute)
		total, _ := b.shelves.PackBytes(b.Context())
		if kept := b.kept(1, 2, 3, 4, 5, 6, 7, 8, 9, 10); total > 1000 || len(kept) == 0 || kept[len(kept)-1] != 10 || kept[0] == 1 {
			t.Errorf("there are %d bytes of %v", total, kept)
		}
		for _, id := range b.kept(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) {
			b.text(id)
		}
	})
}

// TestThinPacksAreMerged: what is wanted of packs that have lost the most is moved
// together, and can be read all the while.
func TestThinPacksAreMerged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		for id := int64(1); id <= 20; id++ {
			b.over(id, job.LogPolicy{}, numbered1(int(id))...)
		}
		stale, _ := b.shelves.Chunks(t.Context(), 20, 1, 1)
		before := b.names()
		var gone []int64
		for id := int64(1); id <= 18; id++ {
			gone = append(gone, id)
		}
		if _, err := b.shelves.RemoveLogs(t.Context(), gone); err != nil {
			t.Fatal(err)
		}
		b.shelves.mu.Lock()
		for id := range b.shelves.packs {
			b.shelves.worn[id] = true
		}
		b.shelves.mu.Unlock()
		if err := b.keeper.tidy(t.Context(), time.Now()); err != nil {
			t.Fatal(err)
		}
		if after := b.names(); before != 20 || after != 1 {
			t.Errorf("%d blobs became %d", before, after)
		}
		b.stored(19, logbook.Whole, numbered1(19)...)
		if text, err := b.keeper.Text(t.Context(), stale[0]); err != nil || strings.Count(text, "\n") != 20 {
			t.Errorf("a reader that knew the old place got %q, %v", text, err)
		}
	})
}

func TestBlobsWithoutARowAreRemoved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.over(1, job.LogPolicy{}, "one")
		for _, name := range []string{"2026/01/01/00/lost.pack", "2026/01/01/00/notes.txt"} {
			if err := b.blobs.Put(t.Context(), name, []byte("x")); err != nil {
				t.Fatal(err)
			}
		}
		if n, err := b.keeper.comb(t.Context(), time.Now()); n != 0 || err != nil {
			t.Errorf("%d young blobs were removed, %v", n, err)
		}
		time.Sleep(25 * time.Hour)
		if n := b.names(); n != 2 {
			t.Errorf("there are %d blobs", n)
		}
		b.stored(1, logbook.Whole, "one")
	})
}

func TestTextIsReadOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.over(1, job.LogPolicy{}, numbered1(100)...)
		b.keeper.texts = newTexts()
		chunks, _ := b.shelves.Chunks(t.Context(), 1, 1, 1)
		before := b.blobs.gets
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if text, err := b.keeper.Text(t.Context(), chunks[0]); err != nil || strings.Count(text, "\n") != 100 {
					t.Errorf("got %q, %v", text, err)
				}
			})
		}
		wg.Wait()
		if n := b.blobs.gets - before; n != 1 {
			t.Errorf("20 readers read the chunk %d times", n)
		}
	})
}

func TestTextsAreBounded(t *testing.T) {
	t.Parallel()
	texts := newTexts()
	for i := range 100 {
		text, err := texts.get(t.Context(), chunkID{attempt: int64(i)}, func() (string, error) { return strings.Repeat("x", 200<<10), nil })
		if err != nil || len(text) != 200<<10 {
			t.Fatal(err)
		}
	}
	if texts.bytes > textsBytes || len(texts.known) != texts.order.Len() || texts.bytes != 200<<10*texts.order.Len() {
		t.Errorf("%d bytes of %d texts, %d in order", texts.bytes, len(texts.known), texts.order.Len())
	}
	failed := 0
	for range 2 {
		if _, err := texts.get(t.Context(), chunkID{attempt: -1}, func() (string, error) {
			failed++
			return "", job.Errorf(job.Unavailable, "away")
		}); !job.Is(err, job.Unavailable) {
			t.Error(err)
		}
	}
	if failed != 2 {
		t.Errorf("a text that could not be read was read %d times", failed)
	}
}

// TestDamageIsTold: each kind of damage names the lines and the log that it hit.
func TestDamageIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.over(1, job.LogPolicy{}, numbered1(100)...)
		chunks, _ := b.shelves.Chunks(t.Context(), 1, 1, 1)
		packs, _ := b.shelves.Packs(t.Context(), []int64{chunks[0].Pack})
		whole := b.blobs.data[packs[0].Name]
		for name, damage := range map[string]func(){
			"a flipped bit": func() {
				flipped := []byte(string(whole))
				flipped[len(flipped)-3] ^= 4
				b.blobs.data[packs[0].Name] = flipped
			},
			"a blob that is gone": func() { delete(b.blobs.data, packs[0].Name) },
			"a blob that is cut":  func() { b.blobs.data[packs[0].Name] = whole[:len(whole)-1] },
		} {
			damage()
			b.keeper.texts = newTexts()
			_, err := b.keeper.Text(t.Context(), chunks[0])
			if !job.Is(err, job.Unavailable) || !strings.Contains(err.Error(), "lines 1 to 100 of the log of attempt 1") {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}
