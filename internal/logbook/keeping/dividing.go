package keeping

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

const (
	// divideFirst and divideEvery set when partitions are checked, and divideSoon when
	// again while others hold the table, or more is to be moved.
	divideFirst = time.Minute
	divideEvery = 30 * time.Minute
	divideSoon  = 5 * time.Minute
	// movedAtOnce is the most blobs that are moved in a turn.
	movedAtOnce = 1000
)

// DividerConfig sets what a divider works with.
type DividerConfig struct {
	Partitions logbook.Partitions
	Logger     *slog.Logger
}

// Divider begins partitions and drops those of which nothing, or little, is wanted. One
// server does it for all of a database.
type Divider struct {
	config DividerConfig
	// seen is by number of the partition. Used by the loop only.
	seen map[int64]seen
}

// NewDivider returns a divider that does nothing until Run.
func NewDivider(c DividerConfig) *Divider {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &Divider{config: c, seen: make(map[int64]seen)}
}

// Run maintains the partitions until ctx ends; at once when there are none. Errors are
// logged, and the next turn starts over.
func (d *Divider) Run(ctx context.Context) error {
	wait := divideFirst
	for rest(ctx, wait+rand.N(wait/10)) {
		divided, more, err := d.Turn(ctx, time.Now())
		wait = divideEvery
		switch {
		case err != nil && ctx.Err() != nil:
		case job.Is(err, job.Unavailable):
			d.config.Logger.Info("the table of packs of logs is held by others, a backup perhaps; trying again", "error", err)
			wait = divideSoon
		case err != nil:
			d.config.Logger.Error("the partitions of packs of logs could not be looked after; trying again", "error", err)
		case !divided:
			return nil
		case more:
			wait = divideSoon
		}
	}
	return nil
}

// Turn begins a partition, and drops and empties others that are due at an instant.
// divided: there are partitions; more: one is to be emptied further. Run calls it; callers
// without Run may call it directly. Kinds: Unavailable while others hold the table.
func (d *Divider) Turn(ctx context.Context, now time.Time) (divided, more bool, err error) {
	all, next, err := d.config.Partitions.LogPartitions(ctx)
	if err != nil {
		return true, false, fmt.Errorf("list the partitions: %w", err)
	}
	if len(all) == 0 {
		return false, false, nil
	}
	var failed error
	if number := nextPartition(all, next, now); number > 0 {
		if failed = d.config.Partitions.StartPartition(ctx, number); failed != nil {
			failed = fmt.Errorf("begin a partition: %w", failed)
		}
	}
	// Nothing is written any more into what the ids have passed. That a partition could not
	// be begun is no reason to keep old ones.
	closed := slices.DeleteFunc(all, func(p logbook.Partition) bool { return p.To > next })
	more, err = d.clear(ctx, closed, now)
	return true, more, errors.Join(failed, err)
}

// clear drops and empties partitions into which nothing is written any more.
func (d *Divider) clear(ctx context.Context, closed []logbook.Partition, now time.Time) (more bool, err error) {
	if len(closed) == 0 {
		return false, nil
	}
	wanted := make([]int64, len(closed))
	err = d.config.Partitions.PackedBlobs(ctx, func(_ string, first, size int64) bool {
		if i := partitionOf(closed, first); i >= 0 {
			wanted[i] += size
		}
		return true
	})
	if err != nil {
		return false, fmt.Errorf("see what is wanted of the partitions: %w", err)
	}
	known := make(map[int64]seen, len(closed))
	var empty *logbook.Partition
	for i, p := range closed {
		s := d.seen[p.Number()].note(wanted[i], now)
		known[p.Number()] = s
		switch fateOf(p, s, wanted[i], now) {
		case dropped:
			if err := d.drop(ctx, p); err != nil {
				return false, err
			}
		case emptied:
			if empty == nil { // one in a turn
				empty = &p
			}
		case stays:
		}
	}
	d.seen = known
	if empty == nil {
		return false, nil
	}
	return d.empty(ctx, *empty)
}

// partitionOf returns the index of the partition that has an id, -1 for none.
func partitionOf(all []logbook.Partition, id int64) int {
	i, _ := slices.BinarySearchFunc(all, id, func(p logbook.Partition, id int64) int {
		if p.To <= id {
			return -1
		}
		return 1
	})
	if i == len(all) || id < all[i].From {
		return -1
	}
	return i
}

// empty moves what is wanted of a partition, and drops it when that was all. Between two blobs it
// rests twice as long as a move took.
func (d *Divider) empty(ctx context.Context, p logbook.Partition) (more bool, err error) {
	var names []string
	err = d.config.Partitions.PackedBlobs(ctx, func(name string, first, _ int64) bool {
		if first >= p.From && first < p.To {
			if more = len(names) == movedAtOnce; more {
				return false
			}
			names = append(names, name)
		}
		return true
	})
	if err != nil {
		return false, fmt.Errorf("see what is wanted of partition %s: %w", p.Name, err)
	}
	for _, name := range names {
		began := time.Now()
		if err := d.config.Partitions.MoveBlob(ctx, name, p); err != nil {
			return false, fmt.Errorf("move a pack out of partition %s: %w", p.Name, err)
		}
		if !rest(ctx, max(2*time.Since(began), calmLeast)) {
			return false, ctx.Err()
		}
	}
	d.config.Logger.Info("moved what is wanted of an old partition of logs", "partition", p.Name, "moved", plural.Count(len(names), "pack"), "more", more)
	if more {
		return true, nil
	}
	return false, d.drop(ctx, p)
}

// drop drops a partition of which nothing is wanted.
func (d *Divider) drop(ctx context.Context, p logbook.Partition) error {
	if err := d.config.Partitions.DropPartition(ctx, p); err != nil {
		return fmt.Errorf("drop partition %s: %w", p.Name, err)
	}
	d.config.Logger.Info("dropped an old partition of logs", "partition", p.Name, "bytes", p.Bytes)
	return nil
}
