package e2e

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// trial is three lists about one time, made by three parties: what was due, what
// the server has recorded, and what the handlers wrote down themselves. Its faults
// are where they do not agree.
type trial struct {
	duties  []duty
	runs    []record
	journal []entry
	stats   api.Figures // what the server counted of the runs
	kills   int         // how often an executor was killed
}

// duty is a job and what must come of it.
type duty struct {
	key   string
	slots []time.Time // that its schedule named, each once
	runs  []api.ID    // that a user was promised
	// ends are the final states that its runs may have.
	ends []job.State
	// yields says that a run may be let go for another one of the job that it
	// names in its reason.
	yields bool
	// rerun says that an attempt may start again after a crash; width is how many
	// attempts an executor works on at once.
	rerun bool
	width int
	// children are the jobs that each end of a run starts, by that end.
	children map[string]job.ChildOn
}

// record is a run as the server shows it.
type record struct {
	run      api.Run
	attempts []api.Attempt
}

// entry is a line of a handler's journal.
type entry struct {
	what              string // S or E
	attempt, run, job int64
	planned           int64  // milliseconds
	well              bool   // of an E: whether the handler succeeded
	worker            string // the address of the executor whose journal it is
}

// cutOff begins the message of an attempt that a crash ended.
const cutOff = "executor stopped during the run"

// ledger is what the journal has of an attempt.
type ledger struct{ began, ended, well int }

// faults returns everything in which the lists do not agree, nothing when all is
// well.
func (tr *trial) faults() []string {
	var found []string
	fault := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	byJob := make(map[string][]record)
	byRun := make(map[api.ID]*api.Run)
	for i := range tr.runs {
		r := &tr.runs[i].run
		if byRun[r.ID] != nil {
			fault("run %d is listed twice", r.ID)
		}
		byRun[r.ID] = r
		byJob[r.JobKey] = append(byJob[r.JobKey], tr.runs[i])
	}
	ledgers := tr.read(fault)
	for i := range tr.duties {
		d := &tr.duties[i]
		mine := byJob[d.key]
		d.judgeSlots(mine, fault)
		for _, id := range d.runs {
			if byRun[id] == nil {
				fault("%s: run %d was promised and is not there", d.key, id)
			}
		}
		interrupted := 0
		for j := range mine {
			d.judgeRun(&mine[j], fault)
			for k := range mine[j].attempts {
				a := &mine[j].attempts[k]
				if d.judgeAttempt(a, ledgers[a.ID], fault) {
					interrupted++
				}
			}
		}
		if most := tr.kills * max(d.width, 1); interrupted > most {
			fault("%s: %d attempts were interrupted by %d kills, at most %d ran", d.key, interrupted, tr.kills, most)
		}
	}
	for key, unknown := range byJob {
		if slices.ContainsFunc(tr.duties, func(d duty) bool { return d.key == key }) {
			continue
		}
		fault("the server has %d runs of the job %q, which nobody made", len(unknown), key)
	}
	tr.judgeChildren(byJob, fault)
	tr.judgeStats(fault)
	return found
}

// judgeSlots checks that each slot has one run, and that nothing else has one.
func (d *duty) judgeSlots(runs []record, fault func(string, ...any)) {
	due := make(map[int64]int, len(d.slots))
	for _, at := range d.slots {
		due[at.UnixMilli()] = 0
	}
	mine := make(map[string]bool, len(runs))
	for i := range runs {
		mine[runs[i].run.ID.String()] = true
	}
	for i := range runs {
		r := &runs[i].run
		if r.Cause != job.CauseSchedule && r.Cause != job.CauseMisfire {
			continue
		}
		n, known := due[r.PlannedAt.UnixMilli()]
		switch {
		case !known:
			fault("%s: run %d is for %s, which is no slot", d.key, r.ID, r.PlannedAt)
			continue
		case n > 0:
			fault("%s: the slot %s is doubled: run %d is one more for it", d.key, r.PlannedAt, r.ID)
		case r.State == job.Skipped && r.Tries == 0 && (!d.yields || !mine[named(r.Reason)]):
			fault("%s: the slot %s was let go: %s", d.key, r.PlannedAt, r.Reason)
		}
		due[r.PlannedAt.UnixMilli()]++
	}
	for _, at := range d.slots {
		if due[at.UnixMilli()] == 0 {
			fault("%s: the slot %s is lost", d.key, at)
		}
	}
}

// named returns the digits of the run that a reason names; empty for none.
func named(reason string) string {
	_, rest, _ := strings.Cut(reason, "run ")
	id, _, _ := strings.Cut(rest, " ")
	return id
}

// judgeRun checks that a run is over, and that its attempts lead to its end.
func (d *duty) judgeRun(r *record, fault func(string, ...any)) {
	run := &r.run
	if !run.Final {
		fault("%s: run %d for %s is still %s: %s", d.key, run.ID, run.PlannedAt, run.State, run.Reason)
		return
	}
	if !slices.Contains(d.ends, run.State) {
		fault("%s: run %d ended as %s (%s; %s)", d.key, run.ID, run.State, run.Reason, run.Message)
	}
	if len(r.attempts) != run.Tries {
		fault("%s: run %d took %d attempts and has %d", d.key, run.ID, run.Tries, len(r.attempts))
	}
	for i := range r.attempts {
		a := &r.attempts[i]
		last := i == len(r.attempts)-1
		// It was turned away before, or covered while it did not arrive.
		yielded := d.yields && a.State == job.Failed && (run.State == job.Skipped || run.State == job.Cancelled && a.AcceptedAt.IsZero())
		// The wish to cancel it came before its success.
		beaten := run.State == job.Cancelled && a.State == job.Succeeded && run.Reason != ""
		switch {
		case a.RunID != run.ID || a.JobID != run.JobID || a.Number != i+1:
			fault("%s: attempt %d of run %d is number %d of run %d", d.key, a.ID, run.ID, a.Number, a.RunID)
		case last && (run.AttemptID != a.ID || run.State != a.State && !yielded && !beaten):
			fault("%s: run %d is %s after attempt %d (%s; %s), its last attempt is %d and %s (%s; accepted at %s)", d.key,
				run.ID, run.State, run.AttemptID, run.Reason, run.Message, a.ID, a.State, a.Message, a.AcceptedAt)
		case !last && a.State == job.Succeeded:
			fault("%s: attempt %d of run %d succeeded and another followed", d.key, a.ID, run.ID)
		case i > 0 && a.ID == r.attempts[i-1].ID:
			fault("%s: attempt %d is listed twice", d.key, a.ID)
		}
	}
}

// judgeAttempt checks what is recorded of an attempt against what ran, and
// reports whether a crash ended it.
func (d *duty) judgeAttempt(a *api.Attempt, l ledger, fault func(string, ...any)) (interrupted bool) {
	name := fmt.Sprintf("%s: attempt %d of run %d at %s", d.key, a.ID, a.RunID, a.Address)
	if !a.State.Final() {
		fault("%s is still %s", name, a.State)
		return false
	}
	if l.began > 1 && !d.rerun {
		fault("%s started %d times", name, l.began)
	}
	interrupted = strings.HasPrefix(a.Message, cutOff)
	switch {
	case a.State == job.Succeeded:
		if l.well == 0 || l.well > 1 && !d.rerun {
			fault("%s is recorded as succeeded, and the handler succeeded %d times", name, l.well)
		}
	case (a.State == job.Failed || a.State == job.TimedOut) && strings.HasPrefix(a.Message, madeToFail):
		if l.ended == l.well {
			fault("%s is recorded as %s, and the handler did not fail", name, a.State)
		}
	case a.State == job.Failed && interrupted:
	case a.State == job.Cancelled && slices.Contains(d.ends, job.Cancelled):
	case a.State == job.Failed, a.State == job.Skipped:
		if l.began > 0 { // no executor took it, as the server believes
			fault("%s is recorded as %s (%s), and started", name, a.State, a.Message)
		}
	default:
		fault("%s is recorded as %s: %s", name, a.State, a.Message)
	}
	return a.State == job.Failed && interrupted
}

// read returns what the journal has of each attempt, and checks that the server
// knows them all.
func (tr *trial) read(fault func(string, ...any)) map[api.ID]ledger {
	type known struct {
		run     *api.Run
		address string
	}
	attempts := make(map[api.ID]known)
	for i := range tr.runs {
		for _, a := range tr.runs[i].attempts {
			if _, twice := attempts[a.ID]; twice {
				fault("attempt %d belongs to two runs", a.ID)
			}
			attempts[a.ID] = known{&tr.runs[i].run, strings.TrimRight(a.Address, "/")}
		}
	}
	ledgers := make(map[api.ID]ledger)
	for _, e := range tr.journal {
		id := api.ID(e.attempt)
		k, ok := attempts[id]
		if !ok {
			fault("attempt %d of run %d ran at %s, and the server does not know it", e.attempt, e.run, e.worker)
			continue
		}
		planned := int64(0)
		if !k.run.PlannedAt.IsZero() {
			planned = k.run.PlannedAt.UnixMilli()
		}
		if int64(k.run.ID) != e.run || k.run.JobID != e.job || planned != e.planned || k.address != e.worker {
			fault("attempt %d ran for run %d of job %d and %d at %s, and the server has run %d of job %d and %d at %s",
				e.attempt, e.run, e.job, e.planned, e.worker, k.run.ID, k.run.JobID, planned, k.address)
		}
		l := ledgers[id]
		switch {
		case e.what == "S":
			l.began++
		case l.ended == l.began:
			fault("attempt %d ended more often than it began", e.attempt)
		default:
			l.ended++
			if e.well {
				l.well++
			}
		}
		ledgers[id] = l
	}
	return ledgers
}

// judgeChildren checks that each end of a run has started its children, once, and
// that no child is there for another reason.
func (tr *trial) judgeChildren(byJob map[string][]record, fault func(string, ...any)) {
	type birth struct {
		child  string
		parent api.ID
	}
	started := make(map[birth]int)
	for i := range tr.runs {
		if r := &tr.runs[i].run; r.Cause == job.CauseParent {
			started[birth{r.JobKey, r.CauseID}]++
		}
	}
	for i := range tr.duties {
		d := &tr.duties[i]
		for child, on := range d.children {
			for j := range byJob[d.key] {
				p := &byJob[d.key][j].run
				want := 0
				if p.Final && on.Meets(p.State) {
					want = 1
				}
				if n := started[birth{child, p.ID}]; n != want {
					fault("%s: run %d ended as %s and started %d runs of %s, want %d", d.key, p.ID, p.State, n, child, want)
				}
				delete(started, birth{child, p.ID})
			}
		}
	}
	for b := range started {
		fault("a run of %s was started by run %d, which starts none", b.child, b.parent)
	}
}

// judgeStats checks that the server has counted what it shows. Attempts that no
// executor took are not counted, but for the one with which a run ended.
func (tr *trial) judgeStats(fault func(string, ...any)) {
	rows := make(map[job.State]int64)
	attempts := int64(0)
	for i := range tr.runs {
		rows[tr.runs[i].run.State]++
		attempts += int64(tr.runs[i].run.Tries - tr.runs[i].run.Undelivered)
	}
	for state, counted := range map[job.State]int64{
		job.Succeeded: tr.stats.Succeeded, job.Failed: tr.stats.Failed, job.TimedOut: tr.stats.TimedOut,
		job.Cancelled: tr.stats.Cancelled, job.Lost: tr.stats.Lost, job.Skipped: tr.stats.Skipped,
	} {
		if rows[state] != counted {
			fault("%d runs are %s and %d were counted", rows[state], state, counted)
		}
	}
	if tr.stats.Runs != int64(len(tr.runs)) {
		fault("there are %d runs and %d were counted", len(tr.runs), tr.stats.Runs)
	}
	if tr.stats.Attempts != attempts {
		fault("there are %d attempts and %d were counted", attempts, tr.stats.Attempts)
	}
}
