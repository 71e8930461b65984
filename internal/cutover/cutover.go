package cutover

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/manifest"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/xxlimport"
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
	// logPage is the number of log rows per request.
	logPage = 1000
)

// ErrLeft reports that jobs were not stopped there in time, and so were not cut over.
var ErrLeft = errors.New("some jobs were not cut over")

// OldServer is the database of the old server.
type OldServer interface {
	// Newest returns the id of the newest row of the log, and After the rows after an id.
	Newest(ctx context.Context) (int64, error)
	After(ctx context.Context, id int64, limit int) ([]xxlimport.Row, error)
	// Before returns the last row before an instant, and the time of the first row.
	Before(ctx context.Context, at time.Time, zone *time.Location) (id int64, first time.Time, err error)
	// Plans returns when jobs fire, and States how they stand.
	Plans(ctx context.Context) (xxlimport.Plans, error)
	States(ctx context.Context, ids []int64) (map[int64]xxlimport.JobState, error)
	// Stop stops jobs and returns how they stood, and Back the statement that starts them.
	Stop(ctx context.Context, ids []int64) (before map[int64]xxlimport.JobState, err error)
	Back(ids []int64) (string, error)
}

// Front shows a cutover and asks for it.
type Front interface {
	// PrintNote prints a message.
	PrintNote(format string, args ...any)
	// ShowJobs prints the jobs before the first is changed.
	ShowJobs(jobs []Job) error
	// Agree asks before a change.
	Agree(question string) (bool, error)
	// CommandLineIn returns a command line for the namespace of the jobs, and
	// CommandLineElsewhere one that works in any folder.
	CommandLineIn(words ...string) string
	CommandLineElsewhere(words ...string) (string, error)
}

// Job is a job to be cut over.
type Job struct {
	Key  string
	Plan xxlimport.Plan
	// Next is the first firing there that is not yet claimed.
	Next time.Time
}

// Config configures the cutover of one group.
type Config struct {
	Front

	// Client is bound to the namespace of the jobs.
	Client *client.Client
	// Group is the app name of the group, and Namespace the one of its jobs here.
	Group, Namespace string
	// Stop stops the jobs in the old database. Otherwise a person stops them, and the
	// cutover waits for it, for Wait at most; WaitText is Wait for people.
	Stop     bool
	Wait     time.Duration
	WaitText string
	// Dry only shows the jobs.
	Dry bool
	// Zone is the zone of cron expressions and of the log, Location that of printed times.
	Zone     *time.Location
	Location *time.Location
	// Poll is the interval between two looks at the old database.
	Poll time.Duration
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
	Config

	log   OldServer
	ahead time.Duration // offset of the database clock from this machine
	jobs  []*moving
	moved []string
	// before holds jobs that an earlier command enabled here, possibly without catch-up
	// firings.
	before []*moving
	// baseline is the newest row of the log before the first read.
	baseline int64
}

// Run cuts over a group with imported jobs: it enables each job here when it is stopped
// there, starting with the first firing that the old server did not claim.
func Run(ctx context.Context, log OldServer, made *xxlimport.Migration, c Config) error {
	m := cutover{Config: c, log: log}
	if err := m.look(ctx, made); err != nil {
		return err
	}
	if len(m.before) > 0 && c.Stop && !c.Dry {
		if err := m.catchUp(ctx); err != nil {
			return err
		}
	}
	if len(m.jobs) == 0 {
		m.PrintNote("Nothing to cut over: group %s has no job that is started there and disabled here.", c.Group)
		return nil
	}
	shown := make([]Job, len(m.jobs))
	for i, one := range m.jobs {
		shown[i] = Job{Key: one.key, Plan: one.plan, Next: one.next}
	}
	if err := m.ShowJobs(shown); err != nil || c.Dry {
		return err
	}
	if c.Stop {
		return m.stopAndStart(ctx)
	}
	return m.waitAndStart(ctx)
}

// look finds the jobs of the group to cut over.
func (m *cutover) look(ctx context.Context, made *xxlimport.Migration) error {
	wanted := map[string]bool{}
	for _, o := range made.Within(m.Group) {
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
		one := &moving{plan: xxlimport.PlanOf(row, m.Zone.String(), time.UTC)}
		one.key, one.next = made.Keys[one.plan.ID], one.plan.Next
		if !wanted[one.key] || one.plan.Spec.Kind == schedule.KindManual || !one.plan.Started && one.next.IsZero() {
			continue
		}
		here, err := m.Client.Job(ctx, one.key)
		switch {
		case err != nil && (!m.Dry || !job.Is(err, job.NotFound)):
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
	if yes, err := m.Agree("Stop " + plural.Count(len(m.jobs), "job") + " there and enable here?"); err != nil || !yes {
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
func (m *cutover) asStopped(before map[int64]xxlimport.JobState) {
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

// halfway reports the state of an interrupted cutover.
func (m *cutover) halfway(err error) error {
	left := len(m.jobs) - len(m.moved)
	m.PrintNote("%s of %d cut over; %d stopped there but not enabled here: run the same command again to continue", plural.Count(len(m.moved), "job"), len(m.jobs), left)
	return err
}

func (m *cutover) done() error {
	m.PrintNote("%s of group %s cut over", plural.Count(len(m.moved), "job"), m.Group)
	return nil
}

// waitAndStart waits until the jobs are stopped there, and enables each here. The log of
// the old server shows its last firings.
func (m *cutover) waitAndStart(ctx context.Context) error {
	m.PrintNote("Stop these jobs in the old admin now; without --stop-old nothing is written there. Each job is enabled here once it is stopped there.")
	if err := m.wayBack(); err != nil {
		return err
	}
	if yes, err := m.Agree("Wait up to " + m.WaitText + "?"); err != nil || !yes {
		return err
	}
	for end, left := time.Now().Add(m.Wait), len(m.jobs); left > 0; {
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
		if err := pause(ctx, min(m.Poll, time.Second)); err != nil {
			return err
		}
	}
	stopped := slices.DeleteFunc(slices.Clone(m.jobs), func(one *moving) bool { return one.stopped.IsZero() })
	if len(stopped) > 0 {
		// Firings claimed before the stop have fired by then and are in the log.
		last := slices.MaxFunc(stopped, func(a, b *moving) int { return a.stopped.Compare(b.stopped) }).stopped
		if err := pause(ctx, time.Until(last.Add(aheadFor+time.Second))); err != nil {
			return m.halfway(err)
		}
	}
	for _, one := range stopped {
		if err := m.start(ctx, one, func(ctx context.Context, until time.Time) ([]time.Time, error) { return m.unfired(ctx, one, until) }); err != nil {
			return m.halfway(err)
		}
	}
	if left := len(m.jobs) - len(stopped); left > 0 {
		m.PrintNote("%s not stopped there within %s: skipped", plural.Count(left, "job"), m.WaitText)
		return errors.Join(m.done(), ErrLeft)
	}
	return m.done()
}

// watched updates the state of a job there and reports whether it is stopped.
func (m *cutover) watched(one *moving, s xxlimport.JobState) bool {
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
