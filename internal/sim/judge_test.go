package sim

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// judge knows what must hold and collects what did not.
type judge struct {
	w      *world
	ledger *ledger

	mu       sync.Mutex
	faults   []string                 // guarded by mu
	ends     map[int64]job.State      // guarded by mu: of runs, as completers told
	seen     map[int64]job.Run        // guarded by mu: final runs, as they were first read
	promises []int64                  // guarded by mu: runs whose making was confirmed to users
	flows    []int64                  // guarded by mu: workflow runs whose making was confirmed to users
	stops    map[string]*stop         // guarded by mu: jobs that users stopped or deleted, by key
	leaving  map[int64]past           // guarded by mu: what a pruner is about to remove
	past     map[int64]past           // guarded by mu: what pruners have removed
	switches map[string]*switches     // guarded by mu: of jobs that users switch, by key
	givenUp  map[int64]map[int64]bool // guarded by mu: runs of backfills that users have ended, by backfill
}

func newJudge(w *world) *judge {
	j := &judge{
		w: w, ends: make(map[int64]job.State), seen: make(map[int64]job.Run), stops: make(map[string]*stop),
		leaving: make(map[int64]past), past: make(map[int64]past),
		switches: make(map[string]*switches), givenUp: make(map[int64]map[int64]bool),
	}
	j.ledger = newLedger(j)
	return j
}

func (j *judge) fault(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	j.w.trace.note("!!! %s", text)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.faults = append(j.faults, text)
}

// ended takes the end of a run, as a completer has committed it or a user was told:
// there is one.
func (j *judge) ended(run int64, state job.State) {
	j.mu.Lock()
	before, known := j.ends[run]
	j.ends[run] = state
	j.mu.Unlock()
	if known && (before != state || state != job.Cancelled) {
		j.fault("I6: run %d ended twice: %s, then %s", run, before, state)
	}
}

// promised notes a run that a user was told to be there.
func (j *judge) promised(run int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.promises = append(j.promises, run)
}

// runs returns all runs, those that were removed too, the oldest first.
func (j *judge) runs() []job.Run {
	var all []job.Run
	for before := int64(0); ; {
		page, err := j.w.store.Runs(context.Background(), jobrows.RunFilter{BeforeID: before, Limit: 1000})
		if err != nil {
			j.w.t.Fatalf("read the runs: %v", err)
		}
		for i := range page {
			all = append(append(all, page[i]), j.shards(&page[i])...)
		}
		if len(page) < 1000 {
			break
		}
		before = page[len(page)-1].ID
	}
	for _, gone := range j.gone() {
		all = append(all, gone.Run)
	}
	slices.SortFunc(all, func(a, b job.Run) int { return cmp.Compare(a.ID, b.ID) })
	// A run that is removed while its database is read is found in both places.
	return slices.CompactFunc(all, func(a, b job.Run) bool { return a.ID == b.ID })
}

// look judges what must hold at any time: a slot has one run, and an end is final.
func (j *judge) look() {
	type slot struct {
		job int64
		at  time.Time
	}
	slots := make(map[slot]job.Run)
	for _, r := range j.runs() {
		if r.Cause == job.CauseSchedule || r.Cause == job.CauseMisfire {
			at := slot{r.JobID, r.PlannedAt}
			if other, twice := slots[at]; twice {
				j.fault("I2: run %d (%s, made at %s) and run %d (%s, made at %s) of job %s are for the same slot %s",
					other.ID, other.Cause, other.CreatedAt, r.ID, r.Cause, r.CreatedAt, r.JobKey, at.at)
			}
			slots[at] = r
		}
		j.final(&r)
	}
}

// final judges that a run which was over is as it was.
func (j *judge) final(r *job.Run) {
	j.mu.Lock()
	was, known := j.seen[r.ID]
	if r.State.Final() && !known {
		j.seen[r.ID] = *r
	}
	j.mu.Unlock()
	if known && (r.State != was.State || !r.EndedAt.Equal(was.EndedAt) || r.Tries != was.Tries) {
		j.fault("I6: run %d was %s since %s and is now %s since %s", r.ID, was.State, was.EndedAt, r.State, r.EndedAt)
	}
}

// open returns what has not come to its end.
func (j *judge) open() []string {
	var open []string
	for _, r := range j.runs() {
		if !r.State.Final() {
			open = append(open, fmt.Sprintf("run %d of job %s is %s (attempt %d, try %d, ready at %s): %s",
				r.ID, r.JobKey, r.State, r.AttemptID, r.Tries, r.ReadyAt, r.Reason))
		}
	}
	jobs, err := j.w.store.Jobs(context.Background(), jobrows.JobFilter{Namespace: job.DefaultNamespace, Limit: 1000})
	if err != nil {
		j.w.t.Fatalf("read the jobs: %v", err)
	}
	for i := range jobs {
		if made := &jobs[i]; made.Enabled && made.Schedule.Kind != schedule.KindManual {
			open = append(open, fmt.Sprintf("job %s has not ended: its next firing is %s", made.Key, made.NextAt))
		}
	}
	for _, b := range j.longWork() {
		if b.State == job.BackfillRunning {
			open = append(open, fmt.Sprintf("backfill %d has not ended: %d of %d", b.ID, b.Made, b.Slots))
		}
	}
	return append(open, j.openFlows()...)
}

// longWork returns all backfills.
func (j *judge) longWork() []job.Backfill {
	backfills, err := j.w.store.Backfills(context.Background(), jobrows.BackfillQuery{Sight: access.Sight{All: true}, Limit: 1000})
	if err != nil {
		j.w.t.Fatalf("read the backfills: %v", err)
	}
	return backfills
}

// stopping reports whether an executor is still to end a run.
func (j *judge) stopping() bool {
	return slices.ContainsFunc(j.runs(), func(r job.Run) bool { return r.State == job.Stopping })
}

// advancing reports whether a run that is open waits for others of its job, or a backfill
// for its runs, of which one has ended since.
func (j *judge) advancing(since time.Time) bool {
	waits, ended := make(map[int64]bool), make(map[int64]bool)
	for _, r := range j.runs() {
		made := j.w.jobs[r.JobID]
		switch {
		case !r.State.Final():
			waits[r.JobID] = made.OverlapLimit() > 0
		case r.EndedAt.After(since):
			ended[r.JobID] = true
		}
	}
	for id := range waits {
		if waits[id] && ended[id] {
			return true
		}
	}
	return slices.ContainsFunc(j.longWork(), func(b job.Backfill) bool { return b.State == job.BackfillRunning && ended[b.JobID] })
}

func (j *judge) settled() bool { return len(j.open()) == 0 }

// verdict judges everything when all is over, and returns what did not hold.
func (j *judge) verdict() []string {
	for _, still := range j.open() {
		j.fault("I3: %s", still)
	}
	runs := j.runs()
	byJob := make(map[int64][]job.Run)
	byID := make(map[int64]*job.Run)
	for i, r := range runs {
		byJob[r.JobID] = append(byJob[r.JobID], r)
		byID[r.ID] = &runs[i]
	}
	for id, made := range j.w.jobs {
		if isSwitched(made.Key) {
			j.turned(&made, byJob[id])
		} else {
			j.slots(&made, byJob[id])
		}
		j.chain(&made, byJob[id])
	}
	for _, id := range j.promises {
		if byID[id] == nil {
			j.fault("I1: run %d was promised to a user and is not there", id)
		}
	}
	for run, state := range j.ends {
		if r := byID[run]; r == nil || r.State != state {
			j.fault("I6: run %d ended as %s, and is not that", run, state)
		}
	}
	j.backfills(runs)
	j.children(runs)
	j.flowed(runs)
	j.split(runs)
	j.letters(runs)
	j.rows()
	j.counters(byJob)
	j.stopped(byJob)
	j.attempts(runs)
	if j.w.fair {
		j.punctual(runs)
	}
	return j.faults
}

// slots judges that each slot of a schedule has a run, and that there is none for
// anything else.
func (j *judge) slots(made *job.Job, runs []job.Run) {
	if kind := made.Schedule.Kind; kind == schedule.KindManual || kind == schedule.KindAfter {
		return
	}
	s, err := made.Schedule.Compile()
	if err != nil {
		j.fault("I1: job %s: %v", made.Key, err)
		return
	}
	end := made.Schedule.End
	if end.IsZero() {
		end = time.Now()
	}
	want := make(map[int64]bool)
	for _, at := range schedule.Between(s, made.NextAt, end, 10_000) {
		want[at.UnixMilli()] = true
	}
	var last time.Time
	for _, r := range runs {
		if r.Cause != job.CauseSchedule && r.Cause != job.CauseMisfire {
			continue
		}
		if !want[r.PlannedAt.UnixMilli()] {
			j.fault("I2: run %d of job %s is for %s, which is no slot", r.ID, r.JobKey, r.PlannedAt)
		}
		delete(want, r.PlannedAt.UnixMilli())
		if r.PlannedAt.After(last) {
			last = r.PlannedAt
		}
	}
	for ms := range want {
		at := time.UnixMilli(ms).UTC()
		asked := j.asked(made.Key)
		if (made.StopAfter > 0 || !asked.IsZero()) && at.After(last) || !asked.IsZero() && !at.Before(asked) {
			continue // it was stopped
		}
		j.fault("I1: the slot %s of job %s has no run", at, made.Key)
	}
}

// chain judges that each run of a fixed delay follows the end of the one before, and
// that the chain came to the schedule's end. One that was let go because of a pause
// is let go when that ends, which is decided up to a horizon ahead.
func (j *judge) chain(made *job.Job, runs []job.Run) {
	if made.Schedule.Kind != schedule.KindAfter {
		return
	}
	earliest, latest, last := made.NextAt, made.NextAt, int64(0)
	// Each server has numbers of its own, so their order says little.
	inOrder := slices.SortedStableFunc(slices.Values(runs), func(a, b job.Run) int { return a.PlannedAt.Compare(b.PlannedAt) })
	for _, r := range inOrder {
		if r.Cause != job.CauseSchedule && r.Cause != job.CauseMisfire {
			continue
		}
		if r.PlannedAt.Before(earliest) || r.PlannedAt.After(latest) {
			j.fault("I1: run %d of job %s, after run %d, is for %s and not between %s and %s",
				r.ID, r.JobKey, last, r.PlannedAt, earliest, latest)
		}
		last, earliest = r.ID, r.EndedAt.Add(made.Schedule.After)
		latest = earliest
		if r.State == job.Skipped {
			latest = earliest.Add(horizon)
		}
	}
	if latest.Before(made.Schedule.End) {
		j.fault("I1: the chain of job %s broke: nothing followed run %d at %s", made.Key, last, latest)
	}
}

// backfills judges that each slot of a backfill has one run.
func (j *judge) backfills(runs []job.Run) {
	made := make(map[int64]map[time.Time]int)
	for _, r := range runs {
		if r.Cause != job.CauseBackfill {
			continue
		}
		if made[r.CauseID] == nil {
			made[r.CauseID] = make(map[time.Time]int)
		}
		if made[r.CauseID][r.PlannedAt]++; made[r.CauseID][r.PlannedAt] > 1 {
			j.fault("I2: backfill %d has several runs for %s", r.CauseID, r.PlannedAt)
		}
	}
	for _, b := range j.longWork() {
		// Runs that were under way when a user ended it are not counted any more.
		if len(made[b.ID]) != b.Made || b.Succeeded+b.Failed+len(b.Open) != b.Made || b.State != job.BackfillCancelled && len(b.Open) > 0 {
			j.fault("I1: backfill %d is %s, has %d runs and says %d, of which %d succeeded, %d failed and %d are open",
				b.ID, b.State, len(made[b.ID]), b.Made, b.Succeeded, b.Failed, len(b.Open))
		}
		if b.Made != b.Slots && b.State != job.BackfillCancelled {
			j.fault("I1: backfill %d is %s and has %d runs for %d slots", b.ID, b.State, b.Made, b.Slots)
		}
	}
	for _, r := range runs {
		if known := j.givenUp[r.CauseID]; r.Cause == job.CauseBackfill && known != nil && !known[r.ID] {
			j.fault("I2: run %d was made for backfill %d after a user was told that it is cancelled", r.ID, r.CauseID)
		}
	}
}

// starts reports whether the end of a run starts a child.
func starts(on job.ChildOn, end job.State) bool {
	failed := end == job.Failed || end == job.TimedOut || end == job.Lost
	switch on {
	case job.ChildOnFailure:
		return failed
	case job.ChildOnAlways:
		return failed || end == job.Succeeded
	default:
		return end == job.Succeeded
	}
}

// children judges that the end of a run started each child that it should, once,
// and nothing else did.
func (j *judge) children(runs []job.Run) {
	type birth struct{ parent, child int64 }
	born := make(map[birth]int)
	for _, r := range runs {
		if r.Cause == job.CauseParent && !isStep(r.JobKey) {
			born[birth{r.CauseID, r.JobID}]++
		}
	}
	for _, r := range runs {
		for _, link := range j.w.jobs[r.JobID].Children {
			child, want := link.JobID, 0
			if starts(link.On, r.State) {
				want = 1
			}
			if got := born[birth{r.ID, child}]; got != want {
				j.fault("I6: run %d is %s and started job %d %d times, not %d", r.ID, r.State, child, got, want)
			}
			delete(born, birth{r.ID, child})
		}
	}
	for b := range born {
		j.fault("I6: job %d was started by run %d, of which it is no child", b.child, b.parent)
	}
}

// summary counts what a world has done.
func (j *judge) summary() string {
	counts := make(map[string]int)
	attempts := 0
	for _, r := range j.runs() {
		counts[string(r.State)]++
		counts["cause "+string(r.Cause)]++
		attempts += r.Tries
	}
	return fmt.Sprintf("%v, %d attempts, %d calls, %s", counts, attempts, len(j.w.journal.entries), time.Since(j.w.trace.began))
}
