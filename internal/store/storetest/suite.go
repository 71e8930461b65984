package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/internal/store"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// Open opens the store that lives in the folder: an empty one when the folder
// is empty, else what was there. The suite runs it, and closes it before it
// opens the same folder again. All events have to be wanted, and compared with the
// attempts before them, and [Watched] be the hook of that name.
type Open func(t testing.TB, dir string) store.Store

// Run tests the store. Each test opens a new one in a new folder.
func Run(t *testing.T, open Open) {
	t.Helper()
	groups := map[string][]test{
		"Jobs": jobTests(), "Plan": planTests(), "Runs": runTests(), "Claim": claimTests(),
		"Dispatch": dispatchTests(), "Attempts": attemptTests(), "Delivery": deliveryTests(), "Complete": completeTests(), "Lease": leaseTests(),
		"Upkeep": upkeepTests(), "Life": lifeTests(), "Moves": moveTests(), "After": afterTests(), "Stop": stopTests(), "Stopping": stoppingTests(),
		"Calendars": calendarTests(), "Pauses": pauseTests(), "Backfills": backfillTests(), "DeadLetters": deadLetterTests(),
		"Retention": retentionTests(), "Stats": statsTests(), "Spreads": spreadTests(), "Troubles": troubleTests(), "Evidence": evidenceTests(), "Deadlines": deadlineTests(), "Explain": explainTests(),
		"Overlap": overlapTests(), "Broadcasts": broadcastTests(), "Templates": templateTests(), "Revisions": revisionTests(), "Trials": trialTests(), "Workflows": workflowTests(), "GroupTokens": groupTokenTests(), "Revive": reviveTests(), "Alarms": alarmTests(), "Logs": logTests(), "AlarmEvents": alarmEventTests(), "Watch": watchTests(),
		"Secrets": secretTests(), "AlarmBook": alarmBookTests(), "AttemptLog": attemptLogTests(), "Audit": auditTests(), "Once": onceTests(), "Identity": identityTests(), "Sessions": sessionTests(), "Lists": listTests(), "Ranks": rankTests(), "JobTables": jobTableTests(), "Overview": overviewTests(), "Groups": groupTests(), "Servers": serverTests(), "Places": placeTests(), "ParamUse": paramUseTests(),
	}
	for group, tests := range groups {
		for _, test := range tests {
			t.Run(group+"/"+test.name, func(t *testing.T) {
				t.Parallel()
				test.run(newBench(t, open))
			})
		}
	}
}

// test is one test on a new store.
type test struct {
	name string
	run  func(b *bench)
}

// bench is a running store with what tests do all the time.
type bench struct {
	*testing.T
	store.Store
	open Open
	dir  string
	now  time.Time
	stop func()
	ids  int // for keys
}

// executorAddress is where attempts go that need no other place.
const executorAddress = "http://10.0.0.1:9999"

// mailAddress is one that a job names for its alarms.
const mailAddress = "a@example.com"

// changed is a title, or a group, that no job has at first.
const changed = "new"

func newBench(t *testing.T, open Open) *bench {
	t.Helper()
	b := &bench{T: t, open: open, dir: t.TempDir(), now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	b.start()
	t.Cleanup(func() { b.stop() })
	return b
}

// start opens the store and runs its loop.
func (b *bench) start() {
	b.Helper()
	b.Store = b.open(b, b.dir)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- b.Store.Run(ctx) }()
	b.stop = func() {
		cancel()
		if err := <-ended; err != nil {
			b.Errorf("Run: %v", err)
		}
		if err := b.Close(); err != nil {
			b.Errorf("Close: %v", err)
		}
	}
}

// reopen ends the store and opens it again.
func (b *bench) reopen() {
	b.Helper()
	b.stop()
	b.start()
}

func (b *bench) ctx() context.Context { return b.Context() }

// at returns an instant some seconds after the test's now.
func (b *bench) at(seconds int) time.Time { return b.now.Add(time.Duration(seconds) * time.Second) }

func (b *bench) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatalf("unexpected error: %v", err)
	}
}

// kind checks that err is of the kind.
func (b *bench) kind(err error, want job.Kind) {
	b.Helper()
	if got := job.KindOf(err); got != want {
		b.Fatalf("got error %v of kind %q, want kind %q", err, got, want)
	}
}

func (b *bench) same(what string, got, want any) {
	b.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		b.Fatalf("%s differs (-want +got):\n%s", what, diff)
	}
}

// draft returns a job that is not in the store, enabled and due now.
func (b *bench) draft() job.Job {
	b.ids++
	return job.Job{
		Namespace: job.DefaultNamespace, Key: fmt.Sprintf("job-%d", b.ids), Group: "demo",
		Schedule: schedule.Spec{Kind: schedule.KindEvery, Every: time.Second}, Misfire: schedule.MisfireSkip,
		Handler: job.Handler{Kind: job.HandlerNamed, Name: "demo"}, Route: job.RouteRound,
		Overlap: job.OverlapSerial, OnCrash: job.CrashReport, Enabled: true, NextAt: b.now,
		CreatedAt: b.now, UpdatedAt: b.at(-1), // changed before it is due
	}
}

// create writes a job; edit may change the draft.
func (b *bench) create(edit ...func(*job.Job)) job.Job {
	b.Helper()
	j := b.draft()
	for _, fn := range edit {
		fn(&j)
	}
	j, err := b.CreateJob(b.ctx(), j)
	b.ok(err)
	return j
}

// save writes a changed job.
func (b *bench) save(j job.Job, edit func(*job.Job)) job.Job {
	b.Helper()
	edit(&j)
	j, err := b.SaveJob(b.ctx(), j, "changed by a test")
	b.ok(err)
	return j
}

func (b *bench) job(key string) job.Job {
	b.Helper()
	j, err := b.Job(b.ctx(), job.DefaultNamespace, key)
	b.ok(err)
	return j
}

func (b *bench) runID() int64 {
	b.Helper()
	id, err := b.NextRunID(b.ctx())
	b.ok(err)
	return id
}

// firing returns a run of the job as a planner makes it, not in the store.
func (b *bench) firing(j job.Job, at time.Time) job.Run {
	b.Helper()
	return job.Run{
		ID: b.runID(), JobID: j.ID, JobVersion: j.Version, GroupID: j.GroupID, PlannedAt: at, Cause: job.CauseSchedule,
		State: job.Planned, ReadyAt: at, DueAt: at, CreatedAt: b.now,
	}
}

// trigger writes a run that a user asked for, ready at an instant.
func (b *bench) trigger(j job.Job, at time.Time) job.Run {
	b.Helper()
	r := b.firing(j, at)
	r.Cause, r.CauseID = job.CauseManual, r.ID
	b.ok(b.AddRun(b.ctx(), r))
	return b.run(r.ID)
}

func (b *bench) run(id int64) job.Run {
	b.Helper()
	r, err := b.RunByID(b.ctx(), id)
	b.ok(err)
	return r
}

// plan commits one move and reports whether it took effect.
func (b *bench) plan(m planner.Move) bool {
	b.Helper()
	done, err := b.CommitPlan(b.ctx(), []planner.Move{m})
	b.ok(err)
	b.same("number of results", len(done), 1)
	return done[0]
}

func (b *bench) claim(until, lease time.Time, limit int, groups ...int64) []job.Run {
	b.Helper()
	claimed, err := b.ClaimRuns(b.ctx(), dispatcher.Claim{Groups: groups, Until: until, Lease: lease, Limit: limit})
	b.ok(err)
	return claimed.Runs
}

// markOf returns the mark that sends the run to an address.
func (b *bench) markOf(r job.Run, address string) dispatcher.Mark {
	b.Helper()
	id := r.ID // that of its first attempt
	if r.Tries > 0 {
		var err error
		id, err = b.NextAttemptID(b.ctx())
		b.ok(err)
	}
	return dispatcher.Mark{
		From: r.State, JobVersion: r.JobVersion, CheckAt: b.at(15),
		Attempt: job.Attempt{
			ID: id, RunID: r.ID, JobID: r.JobID, Number: r.Tries + 1, Address: address,
			State: job.Dispatched, TriggeredAt: b.now,
		},
	}
}

func (b *bench) mark(marks ...dispatcher.Mark) []bool {
	b.Helper()
	done, err := b.MarkDispatched(b.ctx(), marks)
	b.ok(err)
	return done
}

// dispatch sends a run that waits to the usual executor.
func (b *bench) dispatch(r job.Run) job.Attempt {
	b.Helper()
	m := b.markOf(r, executorAddress)
	b.same("mark", b.mark(m), []bool{true})
	return m.Attempt
}

func (b *bench) accept(a job.Attempt) {
	b.Helper()
	b.ok(b.MarkAccepted(b.ctx(), []dispatcher.Accepted{{AttemptID: a.ID, RunID: a.RunID, At: b.at(1)}}))
}

func (b *bench) attempts(run int64) []job.Attempt {
	b.Helper()
	attempts, err := b.Attempts(b.ctx(), run)
	b.ok(err)
	return attempts
}

// state checks where a run stands.
func (b *bench) state(run int64, want job.State) job.Run {
	b.Helper()
	r := b.run(run)
	b.same(fmt.Sprintf("state of run %d (%s)", run, r.Reason), r.State, want)
	return r
}

func idsOf(runs []job.Run) []int64 {
	ids := make([]int64, len(runs))
	for i, r := range runs {
		ids[i] = r.ID
	}
	return ids
}
