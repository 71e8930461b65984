package keeping

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/orthd/orth/internal/logbook"
)

const (
	// pruneFirst and pruneEvery set when expired text is deleted.
	pruneFirst = time.Minute
	pruneEvery = 10 * time.Minute
	// pruneSlice is the most logs in a transaction.
	pruneSlice = 200
	// calmLeast is the least pause between two transactions.
	calmLeast = 5 * time.Millisecond
)

// pruning forgets text whose time is over, and what is too much, until ctx ends.
func (k *Keeper) pruning(ctx context.Context) {
	wait := pruneFirst
	for rest(ctx, wait+rand.N(wait/10)) {
		wait = pruneEvery
		if err := k.prune(ctx, time.Now()); err != nil && ctx.Err() == nil {
			k.config.Logger.Error("old logs could not be forgotten; trying again", "error", err)
		}
	}
}

// prune forgets what is old by now and tidies up behind it.
func (k *Keeper) prune(ctx context.Context, now time.Time) error {
	if err := k.forgetExpired(ctx, now); err != nil {
		return fmt.Errorf("delete logs of jobs with their own retention: %w", err)
	}
	old := func(o logbook.Old) logFate { return byAge(o, now.Add(-k.config.KeepFor)) }
	_, err := k.forgetOldest(ctx, k.config.Past.OldLogs, old)
	if err == nil {
		_, err = k.forgetOldest(ctx, k.config.Past.OldRunLogs, old)
	}
	if err != nil {
		return fmt.Errorf("forget old logs: %w", err)
	}
	if err := k.tidy(ctx, now); err != nil {
		return err
	}
	return k.shrink(ctx, now)
}

// logFate is what becomes of a log.
type logFate int

const (
	spare logFate = iota
	remove
	enough // this log and all behind it are spared
)

// byAge decides about a log when those that ended by an instant are forgotten. Ids
// grow with time: behind a young attempt all are young.
func byAge(o logbook.Old, before time.Time) logFate {
	switch {
	case o.TriggeredAt.After(before):
		return enough
	case o.None || o.Said || o.EndedAt.IsZero() || o.EndedAt.After(before):
		return spare
	}
	return remove
}

// forgetExpired deletes logs whose jobs set their own retention.
func (k *Keeper) forgetExpired(ctx context.Context, now time.Time) error {
	for {
		old, err := k.config.Past.ExpiredLogs(ctx, now, pruneSlice)
		if err != nil || len(old) == 0 {
			return err
		}
		if _, err := k.removeLogs(ctx, old); err != nil {
			return err
		}
	}
}

// forgetOldest deletes the logs of a list that decide selects, in order of their attempts.
func (k *Keeper) forgetOldest(
	ctx context.Context, list func(ctx context.Context, after int64, limit int) ([]logbook.Old, error), decide func(o logbook.Old) logFate,
) (freed int64, err error) {
	for after := int64(0); ; {
		page, err := list(ctx, after, pruneSlice)
		if err != nil {
			return freed, err
		}
		var old []int64
		over := len(page) < pruneSlice
		for _, o := range page {
			after = o.Attempt
			v := decide(o)
			if v == enough {
				over = true
				break
			}
			if v == remove {
				old = append(old, o.Attempt)
			}
		}
		if len(old) > 0 {
			n, err := k.removeLogs(ctx, old)
			freed += n
			if err != nil {
				return freed, err
			}
		}
		if over {
			return freed, nil
		}
	}
}

// shrink forgets the oldest logs until what is stored is not too much.
func (k *Keeper) shrink(ctx context.Context, now time.Time) error {
	total, err := k.config.Cellar.PackBytes(ctx)
	if err != nil {
		return fmt.Errorf("see how much is stored of logs: %w", err)
	}
	excess := total - k.config.MaxTotal
	if excess <= 0 {
		return nil
	}
	logs, chosen := 0, int64(0)
	freed, err := k.forgetOldest(ctx, k.config.Past.OldLogs, func(o logbook.Old) logFate {
		switch {
		case chosen >= excess:
			return enough
		case o.EndedAt.IsZero() || o.Stored == 0:
			return spare
		}
		logs++
		chosen += o.Stored
		return remove
	})
	if err != nil {
		return fmt.Errorf("forget the oldest logs: %w", err)
	}
	k.config.Logger.Warn("more is stored of logs than may be; the oldest were forgotten", "logs", logs, "freed_bytes", freed,
		"stored_bytes", total, "most_bytes", k.config.MaxTotal)
	return k.tidy(ctx, now)
}

// removeLogs forgets logs in one transaction and then rests twice as long as it took.
func (k *Keeper) removeLogs(ctx context.Context, attempts []int64) (int64, error) {
	began := time.Now()
	freed, err := k.config.Past.RemoveLogs(ctx, attempts)
	if err == nil && !rest(ctx, max(2*time.Since(began), calmLeast)) {
		err = ctx.Err()
	}
	return freed, err
}

// rest waits, and reports whether ctx has not ended.
func rest(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
