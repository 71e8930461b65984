package keeping

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/job"
)

// partNow is in the hour partHour.
var partNow = time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC)

const partHour = 492324

// hourly is the partition of a number.
func hourly(number int64) logbook.Partition {
	return logbook.Partition{Name: fmt.Sprint(number), From: number * logbook.PartitionIDs, To: (number + 1) * logbook.PartitionIDs}
}

func TestNextPartition(t *testing.T) {
	t.Parallel()
	if got := partNow.Unix() / 3600; got != partHour {
		t.Fatalf("the hour is %d", got)
	}
	const full = fullPartition / partBytes
	for name, c := range map[string]struct {
		n      int   // partitions
		newest int64 // number
		used   int64 // ids of it
		want   int64
	}{
		"empty at first":           {1, 0, 0, 0},
		"the first one is used":    {1, 0, 1, partHour},
		"young":                    {2, partHour - 23, 1000, 0},
		"a day old":                {2, partHour - 24, 1000, partHour},
		"a day old and empty":      {2, partHour - 24, 0, 0},
		"made, and not used yet":   {2, partHour, -5, partHour},
		"full":                     {2, partHour - 3, full, partHour},
		"full within the hour":     {2, partHour, full, partHour + 1},
		"many, a day old":          {200, partHour - 24, full, 0},
		"many, a week old":         {200, partHour - 7*24, 1, partHour},
		"very many, a week old":    {300, partHour - 7*24, 1, 0},
		"very many, 30 days old":   {399, partHour - 30*24, 1, partHour},
		"as many as may be":        {400, partHour - 3000, full, 0},
		"the clock was ahead":      {2, partHour + 1000, 1000, 0},
		"it was ahead, and full":   {2, partHour + 1000, full, partHour + 1001},
		"older than can be told":   {2, 7, 1000, partHour},
		"as many, made and unused": {400, partHour, -5, partHour},
	} {
		all := make([]logbook.Partition, c.n)
		all[c.n-1] = hourly(c.newest)
		if got := nextPartition(all, all[c.n-1].Start()+c.used, partNow); got != c.want {
			t.Errorf("%s: partition %d is begun, want %d", name, got, c.want)
		}
	}
}

func TestFateOfPartition(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		wanted  int64
		settled time.Duration
		want    fate
	}{
		"nothing":                {0, 0, dropped},
		"a tenth":                {100, 0, emptied},
		"more than a tenth":      {101, 23 * time.Hour, stays},
		"half, for a day":        {500, 24 * time.Hour, emptied},
		"half, for less":         {500, 23 * time.Hour, stays},
		"more than half":         {501, 1000 * time.Hour, stays},
		"more than was told":     {2000, 1000 * time.Hour, stays},
		"a tenth of what is old": {99, 1000 * time.Hour, emptied},
	} {
		p := hourly(1)
		p.Bytes = 1000
		if got := fateOf(p, seen{c.wanted, partNow.Add(-c.settled)}, c.wanted, partNow); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	s := seen{}.note(1000, partNow)
	for i, c := range []struct {
		wanted int64
		since  int // the hour
	}{{960, 0}, {950, 0}, {949, 2}, {940, 2}, {500, 4}} {
		if s = s.note(c.wanted, partNow.Add(time.Duration(i)*time.Hour)); !s.since.Equal(partNow.Add(time.Duration(c.since) * time.Hour)) {
			t.Errorf("%d are wanted since %s", c.wanted, s.since)
		}
	}
}

func TestPartitionOf(t *testing.T) {
	t.Parallel()
	all := []logbook.Partition{{From: 0, To: 10}, {From: 10, To: 20}, {From: 30, To: 40}}
	for id, want := range map[int64]int{0: 0, 9: 0, 10: 1, 19: 1, 20: -1, 29: -1, 30: 2, 39: 2, 40: -1} {
		if got := partitionOf(all, id); got != want {
			t.Errorf("the id %d is in partition %d, want %d", id, got, want)
		}
	}
}

// partBlob is a blob of a fakePartitions.
type partBlob struct{ first, size int64 }

// fakePartitions is a database in memory.
type fakePartitions struct {
	mu           sync.Mutex // guards all that follows
	all          []logbook.Partition
	next         int64
	blobs        map[string]partBlob
	started      []int64
	moved, turns int
	held         bool
}

func (f *fakePartitions) LogPartitions(context.Context) ([]logbook.Partition, int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.turns++
	return slices.Clone(f.all), f.next, nil
}

func (f *fakePartitions) busy() error {
	if f.held {
		return job.Errorf(job.Unavailable, "held")
	}
	return nil
}

func (f *fakePartitions) StartPartition(_ context.Context, number int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.held {
		return f.busy()
	}
	f.started = append(f.started, number)
	p := hourly(number)
	f.all, f.next = append(f.all, p), p.Start()
	return nil
}

func (f *fakePartitions) PackedBlobs(_ context.Context, visit func(string, int64, int64) bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(f.blobs)) {
		if !visit(name, f.blobs[name].first, f.blobs[name].size) {
			return nil
		}
	}
	return nil
}

func (f *fakePartitions) MoveBlob(_ context.Context, name string, _ logbook.Partition) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.moved++
	f.blobs[name] = partBlob{f.next, f.blobs[name].size}
	f.next++
	return nil
}

func (f *fakePartitions) DropPartition(_ context.Context, p logbook.Partition) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, b := range f.blobs {
		if b.first >= p.From && b.first < p.To {
			return job.Errorf(job.Internal, "blobs were dropped")
		}
	}
	f.all = slices.DeleteFunc(f.all, func(one logbook.Partition) bool { return one == p })
	return f.busy()
}

// A partition of which little is wanted is emptied in some turns, and what holds the table
// is asked again.
func TestDivider(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		old := logbook.Partition{Name: "0", To: logbook.PartitionIDs, Bytes: 1 << 30}
		f := &fakePartitions{all: []logbook.Partition{old}, next: 5000, blobs: map[string]partBlob{}, held: true}
		for i := range int64(movedAtOnce + 3) {
			f.blobs[fmt.Sprint(i)] = partBlob{1 + i, 100}
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- NewDivider(DividerConfig{Partitions: f}).Run(ctx) }()
		time.Sleep(divideFirst + 2*divideSoon)
		synctest.Wait()
		f.mu.Lock()
		if len(f.started) > 0 || f.moved > 0 || f.turns < 2 {
			t.Errorf("%d partitions were begun, %d blobs moved in %d turns", len(f.started), f.moved, f.turns)
		}
		f.held = false
		f.mu.Unlock()
		time.Sleep(divideEvery + 3*divideSoon)
		synctest.Wait()
		f.mu.Lock()
		if f.moved != movedAtOnce+3 || len(f.started) != 1 || len(f.all) != 1 || f.all[0].Number() != f.started[0] {
			t.Errorf("%d blobs were moved, %v were begun, %v are there", f.moved, f.started, f.all)
		}
		f.mu.Unlock()
		time.Sleep(25 * time.Hour)
		synctest.Wait()
		f.mu.Lock()
		if len(f.started) != 2 {
			t.Errorf("after a day %v were begun", f.started)
		}
		f.mu.Unlock()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	// Without partitions there is nothing to do.
	synctest.Test(t, func(t *testing.T) {
		if err := NewDivider(DividerConfig{Partitions: &fakePartitions{}}).Run(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
