package sqlstore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
)

const (
	addEnds = ` SET succeeded = succeeded + ?, failed = failed + ?, timed_out = timed_out + ?,
		cancelled = cancelled + ?, lost = lost + ?, skipped = skipped + ?, attempts = attempts + ?, timed = timed + ?,
		run_ms = run_ms + ?, run_ms_max = CASE WHEN run_ms_max < ? THEN ? ELSE run_ms_max END,
		late_ms = late_ms + ?, late_ms_max = CASE WHEN late_ms_max < ? THEN ? ELSE late_ms_max END,
		t0 = t0 + ?, t1 = t1 + ?, t2 = t2 + ?, t3 = t3 + ?, t4 = t4 + ?, t5 = t5 + ?, t6 = t6 + ?,
		t7 = t7 + ?, t8 = t8 + ?, t9 = t9 + ?, t10 = t10 + ?, t11 = t11 + ?, t12 = t12 + ?, t13 = t13 + ?,
		t14 = t14 + ?, t15 = t15 + ?, t16 = t16 + ?, t17 = t17 + ?, t18 = t18 + ?, t19 = t19 + ?, t20 = t20 + ?,
		t21 = t21 + ?, t22 = t22 + ?, t23 = t23 + ?, t24 = t24 + ?, t25 = t25 + ?, t26 = t26 + ?, t27 = t27 + ?`
	ofSpread = ` WHERE width = ? AND begins_at = ? AND namespace = ? AND group_key = ?`
	// By the primary key of spreads.
	addSpread = `UPDATE spreads` + addEnds + ofSpread
	// By the primary key of spreads. Only minutes have the dispatch delays.
	addMinute = `UPDATE spreads` + addEnds + `,
		l0 = l0 + ?, l1 = l1 + ?, l2 = l2 + ?, l3 = l3 + ?, l4 = l4 + ?, l5 = l5 + ?, l6 = l6 + ?,
		l7 = l7 + ?, l8 = l8 + ?, l9 = l9 + ?, l10 = l10 + ?, l11 = l11 + ?, l12 = l12 + ?, l13 = l13 + ?,
		l14 = l14 + ?, l15 = l15 + ?, l16 = l16 + ?, l17 = l17 + ?, l18 = l18 + ?, l19 = l19 + ?, l20 = l20 + ?,
		l21 = l21 + ?, l22 = l22 + ?, l23 = l23 + ?, l24 = l24 + ?, l25 = l25 + ?, l26 = l26 + ?, l27 = l27 + ?` + ofSpread
	insertSpread = `INSERT INTO spreads (width, begins_at, namespace, group_key) VALUES (?, ?, ?, ?)`

	spreadSums = `SUM(s.succeeded), SUM(s.failed), SUM(s.timed_out), SUM(s.cancelled), SUM(s.lost), SUM(s.skipped),
		SUM(s.attempts), SUM(s.timed), SUM(s.run_ms), MAX(s.run_ms_max), SUM(s.late_ms), MAX(s.late_ms_max),
		SUM(s.t0), SUM(s.t1), SUM(s.t2), SUM(s.t3), SUM(s.t4), SUM(s.t5), SUM(s.t6), SUM(s.t7), SUM(s.t8),
		SUM(s.t9), SUM(s.t10), SUM(s.t11), SUM(s.t12), SUM(s.t13), SUM(s.t14), SUM(s.t15), SUM(s.t16), SUM(s.t17),
		SUM(s.t18), SUM(s.t19), SUM(s.t20), SUM(s.t21), SUM(s.t22), SUM(s.t23), SUM(s.t24), SUM(s.t25), SUM(s.t26),
		SUM(s.t27)`
	// By the primary key of spreads, in its order: all rows of the time.
	listSpreads = `SELECT s.begins_at, ` + spreadSums + ` FROM spreads s WHERE s.width = ? AND s.begins_at >= ? AND s.begins_at < ?
		AND (? = '' OR s.namespace = ?) AND (? = '' OR s.group_key = ?) AND TRUE IN (%s) GROUP BY s.begins_at`
	// By the primary key of spreads: all rows of the time.
	sumLate = `SELECT COALESCE(MAX(s.late_ms_max), 0), SUM(s.l0), SUM(s.l1), SUM(s.l2), SUM(s.l3), SUM(s.l4), SUM(s.l5), SUM(s.l6), SUM(s.l7), SUM(s.l8),
		SUM(s.l9), SUM(s.l10), SUM(s.l11), SUM(s.l12), SUM(s.l13), SUM(s.l14), SUM(s.l15), SUM(s.l16), SUM(s.l17),
		SUM(s.l18), SUM(s.l19), SUM(s.l20), SUM(s.l21), SUM(s.l22), SUM(s.l23), SUM(s.l24), SUM(s.l25), SUM(s.l26),
		SUM(s.l27)
		FROM spreads s WHERE s.width = ? AND s.begins_at >= ? AND s.begins_at < ?
		AND (? = '' OR s.namespace = ?) AND (? = '' OR s.group_key = ?) AND TRUE IN (%s)`

	// By the first entries of each width in the primary key of spreads.
	listOldSpreads = `SELECT width, begins_at, namespace, group_key FROM spreads WHERE width = ? AND begins_at < ? ORDER BY begins_at LIMIT ?`
	// By the primary key of spreads.
	removeSpread = `DELETE FROM spreads WHERE width = ? AND begins_at = ? AND namespace = ? AND group_key = ?`
)

// The pieces of time that are counted, and how long they are kept.
const (
	shortSpread, longSpread = time.Minute, queries.SlotLength
	keepShort, keepLong     = 3 * time.Hour, 63 * 24 * time.Hour // the month before this one is shown
)

// slotKey is an interval in a place.
type slotKey struct {
	width            time.Duration
	begins           int64 // milliseconds
	namespace, group string
}

// slot is what ended within a piece of time.
type slot struct {
	job.Stats
	took, late job.Spread
}

// minuteOf returns the beginning of a minute in milliseconds.
func minuteOf(t time.Time) int64 { return beginOf(t.UnixMilli(), shortSpread) }

func beginOf(ms int64, width time.Duration) int64 { return ms - ms%width.Milliseconds() }

// addSlots adds to the rows of spreads, in the order of their key.
func (t *tx) addSlots(slots map[slotKey]*slot) error {
	keys := slices.SortedFunc(maps.Keys(slots), func(a, b slotKey) int {
		return cmp.Or(cmp.Compare(a.width, b.width), cmp.Compare(a.begins, b.begins), cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.group, b.group))
	})
	for _, key := range keys {
		row := []any{key.width.Milliseconds(), key.begins, key.namespace, key.group}
		if err := t.addSpread(slots[key], row, key.width == shortSpread); err != nil {
			return err
		}
	}
	return nil
}

// addSpread adds to one row, which is made when it is not there.
func (t *tx) addSpread(s *slot, row []any, late bool) error {
	tookMax, lateMax := s.TookMax.Milliseconds(), s.LateMax.Milliseconds()
	add, args := addSpread, make([]any, 0, 14+2*job.SpreadBins+len(row))
	args = append(args, s.Succeeded, s.Failed, s.TimedOut, s.Cancelled, s.Lost, s.Skipped, s.Attempts, s.Timed,
		s.Took.Milliseconds(), tookMax, tookMax, s.Late.Milliseconds(), lateMax, lateMax)
	args = appendBins(args, &s.took)
	if late && s.Attempts > 0 {
		add, args = addMinute, appendBins(args, &s.late)
	}
	args = append(args, row...)
	there, err := t.one(add, args...)
	if err == nil && !there {
		if err = t.do(t.dialect.KeepFirst(insertSpread, spreadKey()...), row...); err == nil {
			err = t.do(add, args...)
		}
	}
	return err
}

func appendBins(args []any, s *job.Spread) []any {
	for _, n := range s {
		args = append(args, n)
	}
	return args
}

// spreadKey is the columns that make two rows of spreads the same.
func spreadKey() []string { return []string{"width", "begins_at", "namespace", "group_key"} }

// Slots returns what ended in the pieces of a time, in order; those without any end are
// left out. It reads a row for each piece and place.
func (s *Store) Slots(ctx context.Context, f *queries.SlotFilter) ([]queries.Slot, error) {
	width := longSpread
	if f.Short {
		width = shortSpread
	}
	query, args, ok, err := spreadsWithin(listSpreads, f, width)
	if err != nil || !ok {
		return nil, err
	}
	var all []queries.Slot
	err = s.reader.snapshot(ctx, func(r *reader) (err error) {
		if all, err = list(ctx, r, slotFields, query, args...); err != nil {
			return err
		}
		slots, err := unfoldedSlots(ctx, r, f, width)
		all = mergeSlots(all, slots)
		return err
	})
	return all, err
}

func slotFields(s *queries.Slot) []any {
	own := []any{
		(*instant)(&s.From), (*integer)(&s.Succeeded), (*integer)(&s.Failed), (*integer)(&s.TimedOut), (*integer)(&s.Cancelled),
		(*integer)(&s.Lost), (*integer)(&s.Skipped), (*integer)(&s.Attempts), (*integer)(&s.Timed),
		(*period)(&s.Took), (*period)(&s.TookMax), (*period)(&s.Late), (*period)(&s.LateMax),
	}
	return append(own, binFields(&s.Spread)...)
}

// unfoldedSlots adds up the deltas of a filter, by the beginning of their intervals of a
// width, in milliseconds.
func unfoldedSlots(ctx context.Context, r *reader, f *queries.SlotFilter, width time.Duration) (map[int64]*slot, error) {
	from, to := job.Millis(f.From), job.Millis(f.To)
	slots := make(map[int64]*slot)
	err := eachUnfolded(ctx, r, func(d *delta) {
		begins := beginOf(d.at, width)
		counts := d.namespace != "" && (!d.long || width == longSpread) && begins >= from && begins < to &&
			(f.Namespace == "" || f.Namespace == d.namespace) && (f.Group == "" || f.Group == d.group) &&
			f.Sight.Sees(access.Object{Namespace: d.namespace, Group: d.group})
		if counts {
			d.addToSlot(at(slots, begins))
		}
	})
	return slots, err
}

// mergeSlots adds to intervals, and returns them in order.
func mergeSlots(all []queries.Slot, slots map[int64]*slot) []queries.Slot {
	places := make(map[int64]int, len(all))
	for i := range all {
		places[job.Millis(all[i].From)] = i
	}
	for begins, one := range slots {
		place, there := places[begins]
		if !there {
			place = len(all)
			all = append(all, queries.Slot{From: job.FromMillis(begins)})
		}
		all[place].Stats.Add(one.Stats)
		all[place].Spread.Add(&one.took)
	}
	slices.SortFunc(all, func(a, b queries.Slot) int { return a.From.Compare(b.From) })
	return all
}

// Late returns how late attempts were sent that ended within a time of a few hours at
// most, and the latest one.
func (s *Store) Late(ctx context.Context, f *queries.SlotFilter) (job.Spread, time.Duration, error) {
	type row struct {
		most   time.Duration
		spread job.Spread
	}
	query, args, ok, err := spreadsWithin(sumLate, f, shortSpread)
	if err != nil || !ok {
		return job.Spread{}, 0, err
	}
	fields := func(r *row) []any { return append([]any{(*period)(&r.most)}, binFields(&r.spread)...) }
	var found row
	err = s.reader.snapshot(ctx, func(r *reader) (err error) {
		if found, _, err = first(ctx, r, fields, query, args...); err != nil {
			return err
		}
		slots, err := unfoldedSlots(ctx, r, f, shortSpread)
		for _, one := range slots {
			found.most = max(found.most, one.LateMax)
			found.spread.Add(&one.late)
		}
		return err
	})
	return found.spread, found.most, err
}

// spreadsWithin returns a query of rows of a width with its arguments.
func spreadsWithin(query string, f *queries.SlotFilter, width time.Duration) (text string, args []any, ok bool, err error) {
	sight := narrowed(f.Sight, f.Namespace, f.Group)
	text, places, ok, err := within(query, &sight, "s.namespace", "s.group_key")
	args = []any{
		width.Milliseconds(), job.Millis(f.From), job.Millis(f.To), f.Namespace, f.Namespace, f.Group, f.Group,
	}
	return text, append(args, places...), ok, err
}

func binFields(s *job.Spread) []any {
	fields := make([]any, 0, job.SpreadBins)
	for i := range s {
		fields = append(fields, (*integer)(&s[i]))
	}
	return fields
}

// RemoveSpreads removes up to limit rows that are kept no longer at an instant, the
// oldest first, in one transaction, and returns how many.
func (s *Store) RemoveSpreads(ctx context.Context, now time.Time, limit int) (int, error) {
	type row struct {
		width, begins    int64
		namespace, group string
	}
	fields := func(r *row) []any {
		return []any{(*integer)(&r.width), (*integer)(&r.begins), (*text)(&r.namespace), (*text)(&r.group)}
	}
	var old []row
	for width, keep := range map[time.Duration]time.Duration{shortSpread: keepShort, longSpread: keepLong} {
		found, err := list(ctx, s.reader, fields, listOldSpreads, width.Milliseconds(), job.Millis(now.Add(-keep)), max(limit-len(old), 0))
		if err != nil {
			return 0, err
		}
		old = append(old, found...)
	}
	if len(old) == 0 {
		return 0, nil
	}
	removed := 0
	err := s.writer.update(ctx, func(t *tx) error {
		removed = 0
		for _, r := range old {
			n, err := t.exec(removeSpread, r.width, r.begins, r.namespace, r.group)
			if err != nil {
				return err
			}
			removed += int(n)
		}
		return nil
	})
	return removed, err
}
