package keeping

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

const (
	// tidyPage is how many packs are looked at together, and mergedBytes how much of
	// them goes into one.
	tidyPage    = 64
	mergedBytes = 4 << 20
	// wholeGet is the largest pack that is read as a whole.
	wholeGet = 1 << 20
	// combFirst and combEvery set when blobs without a row are looked for, and combRest how
	// old they are at least: the row comes after the blob.
	combFirst = 10 * time.Minute
	combEvery = 24 * time.Hour
	combRest  = time.Hour
	combPage  = 200
)

// tidy removes packs of which nothing is wanted and rewrites those of which little is,
// until none is to be looked at.
func (k *Keeper) tidy(ctx context.Context, now time.Time) error {
	for {
		worn, err := k.config.Cellar.WornPacks(ctx, now, tidyPage)
		if err != nil {
			return fmt.Errorf("look for packs of which little is wanted: %w", err)
		}
		if len(worn) == 0 {
			return nil
		}
		began := time.Now()
		if err := k.merge(ctx, worn, now); err != nil {
			return err
		}
		if !rest(ctx, max(2*time.Since(began), calmLeast)) {
			return ctx.Err()
		}
	}
}

// merge writes the chunks that are wanted of worn packs into a new one.
func (k *Keeper) merge(ctx context.Context, worn []logbook.Worn, now time.Time) error {
	var data []byte
	var moved []logbook.Moved
	old := make([]int64, len(worn))
	thin := 0
	for i := range worn {
		old[i] = worn[i].Pack.ID
		if worn[i].Thin() {
			thin++
		}
	}
	for i := range worn {
		w := &worn[i]
		if !w.Thin() || thin == 1 && !w.Poor() || len(data) >= mergedBytes {
			continue
		}
		with, err := k.parts(ctx, w)
		if job.Is(err, job.NotFound) {
			k.config.Logger.Error("a pack of logs is gone where it was stored; what it had cannot be read", "pack", w.Pack.Name, "error", err)
			continue
		}
		if err != nil {
			return fmt.Errorf("read pack %s: %w", w.Pack.Name, err)
		}
		for j := range w.Chunks {
			c := w.Chunks[j]
			c.Offset = int64(len(data))
			data = append(data, with[j]...)
			moved = append(moved, logbook.Moved{Chunk: c, From: w.Pack.ID})
		}
	}
	var pack logbook.Pack
	if len(data) > 0 {
		pack = logbook.Pack{Name: packName(now), Size: int64(len(data)), CreatedAt: now}
		if err := k.config.Blobs.Put(ctx, pack.Name, data); err != nil {
			return fmt.Errorf("store a pack of logs: %w", err)
		}
	}
	names, err := k.config.Cellar.ReplacePacks(ctx, pack, moved, old)
	if err != nil {
		return fmt.Errorf("note where %s of logs are now: %w", plural.Count(len(moved), "chunk"), err)
	}
	if len(names) == 0 {
		return nil
	}
	if err := k.config.Blobs.Delete(ctx, names); err != nil { // they are found again
		return fmt.Errorf("remove %s: %w", plural.Count(len(names), "pack"), err)
	}
	return nil
}

// parts returns the bytes of the chunks of a pack.
func (k *Keeper) parts(ctx context.Context, w *logbook.Worn) ([][]byte, error) {
	var whole []byte
	if w.Pack.Size <= wholeGet {
		var err error
		if whole, err = k.config.Blobs.Get(ctx, w.Pack.Name, 0, w.Pack.Size); err != nil {
			return nil, err
		}
	}
	parts := make([][]byte, len(w.Chunks))
	for i := range w.Chunks {
		c := &w.Chunks[i]
		if whole != nil {
			if c.Offset+c.Size > int64(len(whole)) {
				return nil, job.Errorf(job.NotFound, "pack %s has no %d bytes", w.Pack.Name, c.Offset+c.Size)
			}
			parts[i] = whole[c.Offset : c.Offset+c.Size]
			continue
		}
		var err error
		if parts[i], err = k.config.Blobs.Get(ctx, w.Pack.Name, c.Offset, c.Size); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// combing removes blobs that no row names until ctx ends: a crash came between the
// two.
func (k *Keeper) combing(ctx context.Context) {
	wait := combFirst
	for rest(ctx, wait) {
		wait = combEvery
		removed, err := k.comb(ctx, time.Now())
		switch {
		case err != nil && ctx.Err() == nil:
			k.config.Logger.Error("packs of logs without a row could not be removed; trying again", "error", err)
		case removed > 0:
			k.config.Logger.Info("removed packs of logs without a row", "removed", removed)
		}
	}
}

// comb removes blobs that no row names and that are old by now.
func (k *Keeper) comb(ctx context.Context, now time.Time) (removed int, err error) {
	var names []string
	flush := func() error {
		n, err := k.dropUnknown(ctx, names)
		removed += n
		names = names[:0]
		return err
	}
	var failed error
	err = k.config.Blobs.List(ctx, func(name string, _ int64, at time.Time) bool {
		if strings.HasSuffix(name, packSuffix) && now.Sub(at) >= combRest {
			if names = append(names, name); len(names) >= combPage {
				failed = flush()
			}
		}
		return failed == nil
	})
	if err == nil {
		err = failed
	}
	if err == nil {
		err = flush()
	}
	return removed, err
}

// dropUnknown removes those of the blobs that no row names.
func (k *Keeper) dropUnknown(ctx context.Context, names []string) (int, error) {
	if len(names) == 0 {
		return 0, nil
	}
	known, err := k.config.Names.KnownPacks(ctx, names)
	if err != nil {
		return 0, err
	}
	named := make(map[string]bool, len(known))
	for _, name := range known {
		named[name] = true
	}
	var unknown []string
	for _, name := range names {
		if !named[name] {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return 0, nil
	}
	return len(unknown), k.config.Blobs.Delete(ctx, unknown)
}
