package cutover

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/xxlimport"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// unfired returns the firings of a job, from its next one there up to an instant, that
// are missing in the log of the old server.
func (m *cutover) unfired(ctx context.Context, one *moving, until time.Time) ([]time.Time, error) {
	after := m.baseline
	judge := xxlimport.NewJudge(one.next)
	judge.Tolerance, judge.Late = aheadFor, aheadFor
	judge.Follow(one.sched, 0)
	for {
		rows, err := m.log.After(ctx, after, logPage)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			row, ok := xxlimport.SentOf(r, m.Zone)
			if !ok {
				continue
			}
			if after = row.ID; row.JobID == one.plan.ID {
				judge.Sent(row)
			}
		}
		if len(rows) < logPage {
			break
		}
	}
	var missing []time.Time
	for _, d := range judge.Finish(until.Add(aheadFor - time.Millisecond)).Differences {
		if d.Kind != xxlimport.KindMissing {
			continue
		}
		if slot, ok := one.sched.Next(d.Slot.Add(-time.Millisecond)); ok { // the comparison has a resolution of one second
			missing = append(missing, slot)
		}
	}
	return missing, nil
}

// start enables a job here so that its first firing is one the old server did not claim,
// and creates catch-up runs for those between. unfired lists them; nil means all.
func (m *cutover) start(ctx context.Context, one *moving, unfired func(context.Context, time.Time) ([]time.Time, error)) error {
	if err := m.aim(ctx, one); err != nil {
		return err
	}
	var first time.Time
	for try := 0; ; try++ {
		if between, ok := one.sched.Next(m.now()); ok && one.exact && between.Before(one.next) {
			// The old server fires until this instant.
			if err := pause(ctx, min(one.next.Sub(m.now())-100*time.Millisecond, aheadFor)); err != nil {
				return err
			}
		}
		here, err := m.Client.StartJob(ctx, one.key)
		if err != nil {
			return err
		}
		if first = here.NextAt.Time; first.IsZero() || !one.exact || !first.Before(one.next) || try >= maxEarly {
			break
		}
		if _, err := m.Client.StopJob(ctx, one.key); err != nil { // the server clock is behind
			return err
		}
		if err := pause(ctx, min(one.next.Sub(first), aheadFor)); err != nil {
			return err
		}
	}
	m.moved = append(m.moved, one.key)
	if err := m.makeUp(ctx, one, first, unfired); err != nil {
		return err
	}
	if first.IsZero() {
		m.PrintNote("job %s enabled here", one.key)
		return nil
	}
	m.PrintNote("job %s enabled here, next firing at %s", one.key, first.In(m.Location).Format(time.RFC3339))
	return nil
}

// makeUp creates runs for the unclaimed firings before the first one here. Idempotency
// keys make it safe to repeat.
func (m *cutover) makeUp(ctx context.Context, one *moving, first time.Time, unfired func(context.Context, time.Time) ([]time.Time, error)) error {
	slots, more, err := m.between(ctx, one, first, unfired)
	if err != nil || len(slots) == 0 {
		return err
	}
	_, taken, err := m.taken(ctx, one)
	if err != nil {
		return err
	}
	for _, slot := range slots {
		if taken[slot.UnixMilli()] {
			continue // created by an earlier command, or by this server before the job was disabled
		}
		name := sha256.Sum256([]byte(m.Namespace + "/" + one.key + slot.UTC().Format(time.RFC3339Nano)))
		if _, err := m.Client.Trigger(client.WithKey(ctx, fmt.Sprintf("move-%x", name)), one.key, api.Trigger{PlannedAt: api.At(slot)}); err != nil {
			return err
		}
		m.PrintNote("job %s: created a run for the missed firing at %s", one.key, slot.In(m.Location).Format(time.RFC3339))
	}
	if more {
		until := cmp.Or(first, m.now())
		m.PrintNote("Warning: job %s missed more than %d firings. Create them with %s.", one.key, maxMadeUp,
			m.CommandLineIn("job", "backfill", one.key, "--from", slots[len(slots)-1].Add(time.Millisecond).UTC().Format(time.RFC3339Nano), "--to", until.UTC().Format(time.RFC3339Nano)))
	}
	return nil
}

// now returns the time of the database clock.
func (m *cutover) now() time.Time { return time.Now().Add(m.ahead) }

// aim aligns a fixed-rate job to its firing times there.
func (m *cutover) aim(ctx context.Context, one *moving) error {
	if one.plan.Spec.Kind != schedule.KindEvery || one.next.IsZero() {
		return nil
	}
	if err := m.grid(one); err != nil {
		return err
	}
	here, err := m.Client.Job(ctx, one.key)
	if err != nil {
		return err
	}
	patch := map[string]any{"schedule": map[string]any{"anchor": one.next.Format(time.RFC3339Nano)}}
	_, err = m.Client.UpdateJob(client.WithNote(ctx, "cut over from the old server with its alignment"), one.key, here.Version, patch)
	return err
}

// grid computes the alignment of a fixed rate from the next firing there.
func (m *cutover) grid(one *moving) (err error) {
	if one.plan.Spec.Kind == schedule.KindEvery && !one.next.IsZero() {
		one.plan.Spec.Anchor = one.next
		one.sched, err = one.plan.Spec.Compile()
	}
	return err
}

// between returns the firings that neither server claims: from the next one there to
// before the first one here.
func (m *cutover) between(ctx context.Context, one *moving, first time.Time, unfired func(context.Context, time.Time) ([]time.Time, error)) (slots []time.Time, more bool, err error) {
	until := first
	if until.IsZero() {
		until = m.now()
	}
	if unfired != nil {
		slots, err = unfired(ctx, until)
	} else {
		for at, ok := one.next, true; ok && at.Before(until) && len(slots) <= maxMadeUp; at, ok = one.sched.Next(at) {
			slots = append(slots, at)
		}
	}
	if len(slots) > maxMadeUp {
		slots, more = slots[:maxMadeUp], true
	}
	return slots, more, err
}

// pause waits, and returns the cause when ctx ends first.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// catchUp completes an interrupted command: the job is enabled here, and neither server
// claimed the firings before its first one here.
func (m *cutover) catchUp(ctx context.Context) error {
	for _, one := range m.before {
		if err := m.grid(one); err != nil {
			return err
		}
		first, _, err := m.taken(ctx, one)
		if err != nil {
			return err
		}
		if first.IsZero() {
			here, err := m.Client.Job(ctx, one.key)
			if err != nil {
				return err
			}
			first = here.NextAt.Time
		}
		if err := m.makeUp(ctx, one, first, nil); err != nil {
			return err
		}
	}
	return nil
}

// taken returns the slots from the next firing there on that have a run here, and the
// first of them that the schedule created; zero for none.
func (m *cutover) taken(ctx context.Context, one *moving) (first time.Time, slots map[int64]bool, err error) {
	slots = map[int64]bool{}
	if one.next.IsZero() {
		return first, slots, nil
	}
	list, err := m.Client.Runs(ctx, client.RunQuery{Job: one.key, PlannedSince: one.next, Sort: "planned_at", Limit: 1000})
	if err != nil {
		return first, nil, err
	}
	for i := range list.Runs {
		r := &list.Runs[i]
		slots[r.PlannedAt.UnixMilli()] = true
		if (r.Cause == job.CauseSchedule || r.Cause == job.CauseMisfire) && (first.IsZero() || r.PlannedAt.Before(first)) {
			first = r.PlannedAt.Time
		}
	}
	return first, slots, nil
}
