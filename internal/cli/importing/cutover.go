package importing

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/internal/manifest"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/xxlimport"
	"github.com/orthd/orth/internal/xxlimport/database"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

const (
	// aheadFor is how far ahead the old server claims firings, which it fires even after a
	// job was stopped.
	aheadFor = 6 * time.Second
	// maxMadeUp is the maximum number of catch-up firings per job.
	maxMadeUp = 100
	// resumeFor is how long after its first firing here a job is checked again for firings
	// that an interrupted command has missed.
	resumeFor = 12 * time.Hour
	// maxEarly is the maximum number of restarts of a job that would fire too early.
	maxEarly = 5
)

// cutoverFlags holds the flags of a group cutover.
type cutoverFlags struct {
	stopOld bool
	wait    time.Duration
}

func (c *cutoverFlags) add(f *databaseFlags, flags *pflag.FlagSet) {
	flags.StringVar(&f.Group, "group", "", "only the `group` with this app name and its jobs; with --apply and --enable cut over: enable each job here when it is stopped there")
	flags.BoolVar(&c.stopOld, "stop-old", false, "with --group and --enable: also stop the jobs in the old database, by setting trigger_status = 0 (requires the UPDATE privilege)")
	flags.DurationVar(&c.wait, "wait", 10*time.Minute, "with --group and --enable, without --stop-old: how long to wait until the jobs are stopped in the old admin")
}

// cutsOver reports whether a group is cut over.
func (f *databaseFlags) cutsOver() bool { return f.apply && f.Start && f.Group != "" }

func (f *databaseFlags) checkCutover() error {
	switch {
	case f.stopOld && !f.cutsOver():
		return output.Usagef("--stop-old requires --apply, --group and --enable: jobs are cut over by group")
	case f.wait < 0 || f.wait > 24*time.Hour:
		return output.Usagef("--wait: must be between 0 and 24h, got %s", f.wait)
	}
	return nil
}

// moving is a job in a cutover.
type moving struct {
	plan  xxlimport.Plan
	key   string
	sched schedule.Schedule
	// next is the first unclaimed firing of the old server, as last observed; exact reports
	// that it was not claimed later.
	next  time.Time
	exact bool
	// stopped is when the job was observed as stopped there; zero before.
	stopped time.Time
}

// cutover is the cutover of one group.
type cutover struct {
	*kit.Tool

	flags *databaseFlags
	log   *database.Log
	zone  *time.Location // zone of the log
	ahead time.Duration  // offset of the database clock from this machine
	// client is bound to the namespace of the jobs.
	client *client.Client
	jobs   []*moving
	moved  []string
	// before holds jobs that an earlier command enabled here, possibly without catch-up
	// firings.
	before []*moving
	// baseline is the newest row of the log before the first read.
	baseline int64
}

// cutOver cuts over a group with imported jobs: it enables each job here when it is
// stopped there, starting with the first firing that the old server did not claim.
func cutOver(ctx context.Context, t *kit.Tool, f *databaseFlags, source *database.Source, made *xxlimport.Migration, zone string) error {
	c, err := t.Connect()
	if err != nil {
		return err
	}
	defer c.Close()
	m := cutover{Tool: t, flags: f, client: c}
	if m.zone, err = time.LoadLocation(zone); err != nil {
		return output.Usagef("--zone: unknown time zone %q", zone)
	}
	if m.log, err = source.Log(ctx, f.tablePrefix); err != nil {
		return err
	}
	if err := m.look(ctx, made, zone); err != nil {
		return err
	}
	if len(m.before) > 0 && f.stopOld && !f.dry {
		if err := m.catchUp(ctx); err != nil {
			return err
		}
	}
	if len(m.jobs) == 0 {
		t.PrintNote("Nothing to cut over: group %s has no job that is started there and disabled here.", f.Group)
		return nil
	}
	rows := make([][]string, len(m.jobs))
	for i, one := range m.jobs {
		state := "started"
		if !one.plan.Started {
			state = "stopped by an earlier cutover"
		}
		rows[i] = []string{one.key, fmt.Sprint(one.plan.ID), output.Printable(one.plan.Name), state, one.next.In(t.Location).Format(time.RFC3339)}
	}
	if !t.ForPrograms() {
		if err := t.PrintTable("JOB ID NAME THERE NEXT", rows); err != nil {
			return err
		}
	}
	if f.dry {
		return nil
	}
	if f.stopOld {
		return m.stopAndStart(ctx)
	}
	return m.waitAndStart(ctx)
}

// look finds the jobs of the group to cut over.
func (m *cutover) look(ctx context.Context, made *xxlimport.Migration, zone string) error {
	wanted := map[string]bool{}
	for _, o := range made.Within(m.flags.Group) {
		if o.Kind == manifest.KindJob {
			wanted[o.Key] = true
		}
	}
	var err error
	if m.baseline, err = m.log.Newest(ctx); err != nil { // read before the plans: unclaimed firings are logged after it
		return err
	}
	plans, err := m.log.Plans(ctx)
	if err != nil {
		return err
	}
	m.ahead = time.Until(plans.Now)
	for _, row := range plans.Jobs {
		one := &moving{plan: xxlimport.PlanOf(row, zone, time.UTC)}
		one.key, one.next = made.Keys[one.plan.ID], one.plan.Next
		if !wanted[one.key] || one.plan.Spec.Kind == schedule.KindManual || !one.plan.Started && one.next.IsZero() {
			continue
		}
		here, err := m.client.Job(ctx, one.key)
		switch {
		case err != nil && (!m.flags.dry || !job.Is(err, job.NotFound)):
			return err
		case here.Enabled && one.plan.Started:
			m.PrintNote("Warning: job %s is started there and enabled here. Disable one of them.", one.key)
			continue
		case here.Enabled: // cut over before
			if one.sched, err = one.plan.Spec.Compile(); err == nil && !one.next.IsZero() && time.Since(one.next) < resumeFor {
				m.before = append(m.before, one)
			}
			continue
		}
		if reason := one.unfit(); reason != "" {
			m.PrintNote("job %s (%d) skipped: %s", one.key, one.plan.ID, reason)
			continue
		}
		m.jobs = append(m.jobs, one)
	}
	return nil
}

// unfit returns why a job cannot be cut over, "" if it can.
func (one *moving) unfit() string {
	p := &one.plan
	if p.Problem != "" {
		return p.Problem
	}
	if p.Spec.Kind == schedule.KindAfter {
		return "it fires after the end of its previous run: stop it there, and enable it here when its run has finished"
	}
	on, err := p.OnSlot()
	switch {
	case err != nil:
		return err.Error()
	case !on:
		return fmt.Sprintf("its next firing there, %s, does not match its schedule here: check --zone", p.Next.Format(time.RFC3339))
	}
	if one.sched, err = p.Spec.Compile(); err != nil {
		return err.Error()
	}
	return ""
}

func (m *cutover) ids() []int64 {
	ids := make([]int64, len(m.jobs))
	for i, one := range m.jobs {
		ids[i] = one.plan.ID
	}
	return ids
}

// keysOfLine is the maximum number of jobs in a printed command.
const keysOfLine = 100

// wayBack prints the rollback: commands that disable the jobs here, valid in any folder,
// and the SQL statement that starts them there.
func (m *cutover) wayBack() error {
	back, err := m.log.Back(m.ids())
	if err != nil {
		return err
	}
	var lines []string
	for some := range slices.Chunk(m.jobs, keysOfLine) {
		words := []string{"job", "disable"}
		for _, one := range some {
			words = append(words, one.key)
		}
		line, err := m.CommandLineElsewhere(words...)
		if err != nil {
			return err
		}
		lines = append(lines, line)
	}
	m.PrintNote("To roll back, disable the jobs here with\n  %s\nthen start them in the old database with\n  %s;", strings.Join(lines, "\n  "), back)
	return nil
}

// stopAndStart stops all jobs there in one statement and enables them here.
func (m *cutover) stopAndStart(ctx context.Context) error {
	if err := m.wayBack(); err != nil {
		return err
	}
	if yes, err := agreed(m.Tool, m.flags, "Stop "+plural.Count(len(m.jobs), "job")+" there and enable here?"); err != nil || !yes {
		return err
	}
	before, err := m.log.Stop(ctx, m.ids())
	if err != nil {
		return err
	}
	planned := len(m.jobs)
	if m.asStopped(before); 0 < len(m.jobs) && len(m.jobs) < planned {
		m.PrintNote("fewer jobs were stopped, so the rollback has changed")
		if err := m.wayBack(); err != nil {
			return err
		}
	}
	m.PrintNote("%s stopped there", plural.Count(len(m.jobs), "job"))
	slices.SortFunc(m.jobs, func(a, b *moving) int { return a.next.Compare(b.next) })
	for _, one := range m.jobs {
		if err := m.start(ctx, one, nil); err != nil {
			return m.halfway(err)
		}
	}
	return m.done()
}

// asStopped reads the state of the jobs at their stop, and drops jobs that were stopped
// or removed by someone else before.
func (m *cutover) asStopped(before map[int64]database.State) {
	m.jobs = slices.DeleteFunc(m.jobs, func(one *moving) bool {
		was, there := before[one.plan.ID]
		switch {
		case !there:
			m.PrintNote("job %s (%d) skipped: it was removed there in the meantime", one.key, one.plan.ID)
			return true
		case !was.Started && (one.plan.Started || was.Next.IsZero()):
			m.PrintNote("job %s (%d) skipped: it was stopped there by someone else", one.key, one.plan.ID)
			return true
		case !was.Next.IsZero():
			one.next = was.Next
		}
		one.exact = true
		return false
	})
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
			here, err := m.client.Job(ctx, one.key)
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
	list, err := m.client.Runs(ctx, client.RunQuery{Job: one.key, PlannedSince: one.next, Sort: "planned_at", Limit: 1000})
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

// halfway reports the state of an interrupted cutover.
func (m *cutover) halfway(err error) error {
	left := len(m.jobs) - len(m.moved)
	m.PrintNote("%s of %d cut over; %d stopped there but not enabled here: run the same command again to continue", plural.Count(len(m.moved), "job"), len(m.jobs), left)
	return err
}

func (m *cutover) done() error {
	m.PrintNote("%s of group %s cut over", plural.Count(len(m.moved), "job"), m.flags.Group)
	return nil
}

// waitAndStart waits until the jobs are stopped there, and enables each here. The log of
// the old server shows its last firings.
func (m *cutover) waitAndStart(ctx context.Context) error {
	m.PrintNote("Stop these jobs in the old admin now; without --stop-old nothing is written there. Each job is enabled here once it is stopped there.")
	if err := m.wayBack(); err != nil {
		return err
	}
	if yes, err := agreed(m.Tool, m.flags, "Wait up to "+timing.FormatDuration(m.flags.wait)+"?"); err != nil || !yes {
		return err
	}
	for end, left := time.Now().Add(m.flags.wait), len(m.jobs); left > 0; {
		states, err := m.log.States(ctx, m.ids())
		if err != nil {
			return err
		}
		left = 0
		for _, one := range m.jobs {
			if one.stopped.IsZero() && !m.watched(one, states[one.plan.ID]) {
				left++
			}
		}
		if left > 0 && time.Now().After(end) {
			break
		}
		if err := wait(ctx, min(m.Poll, time.Second)); err != nil {
			return err
		}
	}
	stopped := slices.DeleteFunc(slices.Clone(m.jobs), func(one *moving) bool { return one.stopped.IsZero() })
	if len(stopped) > 0 {
		// Firings claimed before the stop have fired by then and are in the log.
		last := slices.MaxFunc(stopped, func(a, b *moving) int { return a.stopped.Compare(b.stopped) }).stopped
		if err := wait(ctx, time.Until(last.Add(aheadFor+time.Second))); err != nil {
			return m.halfway(err)
		}
	}
	for _, one := range stopped {
		if err := m.start(ctx, one, func(ctx context.Context, until time.Time) ([]time.Time, error) { return m.unfired(ctx, one, until) }); err != nil {
			return m.halfway(err)
		}
	}
	if left := len(m.jobs) - len(stopped); left > 0 {
		m.PrintNote("%s not stopped there within %s: skipped", plural.Count(left, "job"), timing.FormatDuration(m.flags.wait))
		return errors.Join(m.done(), kit.ErrChanges)
	}
	return m.done()
}

// watched updates the state of a job there and reports whether it is stopped.
func (m *cutover) watched(one *moving, s database.State) bool {
	if s.Started {
		if one.next = s.Next; s.Next.IsZero() {
			one.next = one.plan.Next
		}
		return false
	}
	one.stopped = time.Now()
	m.PrintNote("job %s is stopped there", one.key)
	return true
}

// unfired returns the firings of a job, from its next one there up to an instant, that
// are missing in the log of the old server.
func (m *cutover) unfired(ctx context.Context, one *moving, until time.Time) ([]time.Time, error) {
	after := m.baseline
	judge := xxlimport.NewJudge(one.next)
	judge.Tolerance, judge.Late = aheadFor, aheadFor
	judge.Follow(one.sched, 0)
	for {
		rows, err := m.log.After(ctx, after, shadowPage)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			row, ok := xxlimport.SentOf(r, m.zone)
			if !ok {
				continue
			}
			if after = row.ID; row.JobID == one.plan.ID {
				judge.Sent(row)
			}
		}
		if len(rows) < shadowPage {
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
			if err := wait(ctx, min(one.next.Sub(m.now())-100*time.Millisecond, aheadFor)); err != nil {
				return err
			}
		}
		here, err := m.client.StartJob(ctx, one.key)
		if err != nil {
			return err
		}
		if first = here.NextAt.Time; first.IsZero() || !one.exact || !first.Before(one.next) || try >= maxEarly {
			break
		}
		if _, err := m.client.StopJob(ctx, one.key); err != nil { // the server clock is behind
			return err
		}
		if err := wait(ctx, min(one.next.Sub(first), aheadFor)); err != nil {
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
		name := sha256.Sum256([]byte(m.SelectedNamespace() + "/" + one.key + slot.UTC().Format(time.RFC3339Nano)))
		if _, err := m.client.Trigger(client.WithKey(ctx, fmt.Sprintf("move-%x", name)), one.key, api.Trigger{PlannedAt: api.At(slot)}); err != nil {
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
	here, err := m.client.Job(ctx, one.key)
	if err != nil {
		return err
	}
	patch := map[string]any{"schedule": map[string]any{"anchor": one.next.Format(time.RFC3339Nano)}}
	_, err = m.client.UpdateJob(client.WithNote(ctx, "cut over from the old server with its alignment"), one.key, here.Version, patch)
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
