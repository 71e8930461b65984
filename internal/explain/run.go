package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// RunSnapshot is the recorded state of a run.
type RunSnapshot struct {
	Run job.Run
	// Attempts of the run, the first one first.
	Attempts []job.Attempt
	// Job is the run's job as it is now; nil when it was deleted.
	Job *job.Job
	// Parent is the run that caused this one, Backfill the backfill; nil when there is
	// none, or when it is no longer kept.
	Parent   *job.Run
	Backfill *job.Backfill
	// Hidden is set when the caller may not see the Parent.
	Hidden bool
	// Dead is its dead letter; nil when it has none. The Parent of a redriven run is the
	// dead one.
	Dead *job.DeadLetter
	// Broadcast is the progress of a run that was split into shards, else nil.
	Broadcast *job.Broadcast
	// Executors are the live ones of the job's group.
	Executors []job.Executor
	// Ahead counts the due runs of the group that are sent before this one, while it waits.
	Ahead Ahead
}

// Ahead counts the runs that a dispatcher sends before another one: those of a higher
// priority, and those of the same priority that were due earlier. Each is at most MaxAhead,
// which stands for that many or more.
type Ahead struct {
	Higher, Earlier int
}

// MaxAhead is the limit to which the runs ahead are counted.
const MaxAhead = 1000

// maxAttempts bounds the attempts that are listed one by one, half of them the first and
// half the last.
const maxAttempts = 40

// Run explains a run.
func Run(r RunSnapshot, now time.Time) Explanation {
	s := newStory(r.Job, now)
	run := &r.Run
	s.cause(&r)
	switch {
	case run.PlannedAt.IsZero():
		s.addFact(time.Time{}, KindNoSlot, "no_slot", "it serves no slot of a schedule")
	default:
		s.addFact(run.PlannedAt, KindSlot, "slot", "the slot that it serves")
	}
	if run.Param != nil {
		s.addFact(time.Time{}, KindParam, "own_param", "it has a parameter of its own instead of the job's")
	}
	if len(run.Addresses) > 0 {
		s.addFact(time.Time{}, KindAddresses, "addresses", "it may go to these executors only: {executors}", "executors", strings.Join(run.Addresses, ", "))
	}
	s.attempts(&r)
	s.present(&r)
	s.explainEnd(run)
	s.deadLetter(r.Dead)
	if j := r.Job; j == nil {
		s.addFact(time.Time{}, KindJobDeleted, "job_deleted", "job {job} was deleted since", "job", jobName(run))
	} else if j.UpdatedAt.After(run.CreatedAt) {
		s.addFact(j.UpdatedAt, KindJobChanged, "job_changed", "job {job} was changed; 'orth job history' tells what it was before", "job", j.Key)
	}
	return s.explanation(fmt.Sprintf("Why is run %d in the state %q?", run.ID, stateWords(run.State)), s.runAnswer(&r))
}

// stateWords names a state for people.
func stateWords(state job.State) string {
	switch state {
	case job.TimedOut:
		return "timed out"
	case job.WaitingRetry:
		return "waiting for a retry"
	default:
		return string(state)
	}
}

// jobName returns the key of the run's job, or its number when the key is no longer kept.
func jobName(run *job.Run) string {
	if run.JobKey == "" {
		return fmt.Sprintf("#%d", run.JobID)
	}
	return run.JobKey
}

// cause reports why the run exists.
func (s *story) cause(r *RunSnapshot) {
	run := &r.Run
	add := func(code, text string, values ...any) { s.addFact(run.CreatedAt, KindCause, code, text, values...) }
	switch run.Cause {
	case job.CauseSchedule:
		if r.Job == nil || r.Job.UpdatedAt.After(run.CreatedAt) {
			add("cause_schedule_changed", "made by the schedule of job {job}", "job", jobName(run))
			return
		}
		add("cause_schedule", "made by the schedule of job {job}: {sentence}", "job", jobName(run), "sentence", r.Job.Schedule.Describe(schedule.English),
			"sentence_zh", r.Job.Schedule.Describe(schedule.Chinese))
	case job.CauseMisfire:
		add("cause_misfire", "made by the misfire policy of job {job}, for a firing that was missed or held back", "job", jobName(run))
	case job.CauseManual:
		add("cause_manual", "made because a user triggered job {job}", "job", jobName(run))
	case job.CauseAPI:
		add("cause_api", "made because a program triggered job {job}", "job", jobName(run))
	case job.CauseParent:
		if run.CauseID == run.ID {
			add("cause_workflow", "made by a workflow, as a run of job {job}", "job", jobName(run))
			return
		}
		if r.Hidden {
			add("cause_parent_hidden", "made to follow run {parent} of a job that you may not see", "parent", run.CauseID)
			return
		}
		if r.Parent == nil {
			add("cause_parent_gone", "made to follow run {parent}, which is not kept any more", "parent", run.CauseID)
			return
		}
		add("cause_parent", "made to follow run {parent} of job {parent_job}, which {parent_end}", "parent", r.Parent.ID, "parent_job", jobName(r.Parent),
			"parent_end", ended(r.Parent.State))
	case job.CauseShard:
		add("cause_shard", "made as shard {shard} of run {parent}, the first being 0", "shard", run.Shard.String(), "parent", run.CauseID)
	case job.CauseTrial:
		add("cause_trial", "made because a user tries job {job}: nothing follows from its end", "job", jobName(run))
	case job.CauseRetry:
		add("cause_retry", "made to do again what run {parent} did", "parent", run.CauseID)
	case job.CauseRedrive:
		s.redrive(r)
	case job.CauseBackfill:
		if r.Backfill == nil {
			add("cause_backfill_gone", "made by backfill {backfill}, which is not kept any more", "backfill", run.CauseID)
			return
		}
		add("cause_backfill", "made by backfill {backfill}, which runs the slots from {from} to {to}", "backfill", r.Backfill.ID,
			"from", r.Backfill.From, "to", r.Backfill.To)
	default:
		add("cause_other", "made for the cause {cause}, number {parent}", "cause", string(run.Cause), "parent", run.CauseID)
	}
}

// wanted returns the instant from which the lateness of the run is counted, and its
// meaning.
func wanted(run *job.Run) (time.Time, since) {
	if run.Cause == job.CauseSchedule && !run.PlannedAt.IsZero() {
		return run.PlannedAt, "slot"
	}
	return run.CreatedAt, "made"
}

// attempts reports the attempts.
func (s *story) attempts(r *RunSnapshot) {
	all := r.Attempts
	first, last := all, []job.Attempt(nil)
	if len(all) > maxAttempts {
		first, last = all[:maxAttempts/2], all[len(all)-maxAttempts/2:]
		s.addFact(last[0].TriggeredAt.Add(-time.Millisecond), KindLeftOut, "attempts_left_out", "{count} attempts before this are left out", "count", len(all)-maxAttempts)
	}
	from, what := wanted(&r.Run)
	for _, part := range [...][]job.Attempt{first, last} {
		for i := range part {
			s.attempt(r, &part[i], from, what)
			from, what = part[i].EndedAt, "attempt"
		}
		if len(last) > 0 {
			from = time.Time{} // the attempt before the last ones is not listed
		}
	}
}

func (s *story) attempt(r *RunSnapshot, a *job.Attempt, from time.Time, what since) {
	if a.Broadcast() {
		s.split(r, a)
		return
	}
	if from.IsZero() || from.After(a.TriggeredAt) {
		s.addFact(a.TriggeredAt, KindSent, "attempt_sent", "attempt {attempt} was sent to {executor}", "attempt", a.Number, "executor", a.Address)
	} else {
		s.addFact(a.TriggeredAt, KindSent, "attempt_sent_late", "attempt {attempt} was sent to {executor}, {late} after {what}", "attempt", a.Number,
			"executor", a.Address, "late", a.TriggeredAt.Sub(from), "what", what)
	}
	began := a.TriggeredAt
	if !a.AcceptedAt.IsZero() {
		s.addFact(a.AcceptedAt, KindAccepted, "attempt_accepted", "the executor took attempt {attempt} after {wait}", "attempt", a.Number, "wait", a.AcceptedAt.Sub(began))
		began = a.AcceptedAt
	}
	switch {
	case !a.State.Final():
	case a.State == job.Failed && a.AcceptedAt.IsZero() && undelivered(r):
		s.addFact(a.EndedAt, KindUndelivered, "attempt_undelivered", "attempt {attempt} was not delivered{reason}", "attempt", a.Number, "reason", because(a.Message))
	case a.State == job.Failed && a.AcceptedAt.IsZero():
		s.addFact(a.EndedAt, KindAttemptEnded, "attempt_failed_unaccepted", "attempt {attempt} failed{reason}; that the executor took it is not recorded",
			"attempt", a.Number, "end", ended(a.State), "reason", because(a.Message))
	default:
		s.addFact(a.EndedAt, KindAttemptEnded, "attempt_ended", "attempt {attempt} {end} after {lasted}{reason}", "attempt", a.Number, "end", ended(a.State),
			"lasted", a.EndedAt.Sub(began), "reason", because(a.Message))
	}
	s.evidence(a)
}

// evidence reports the outcomes that arrived after the end of the attempt was recorded.
func (s *story) evidence(a *job.Attempt) {
	for _, e := range a.Evidence {
		s.addFact(e.At, KindEvidence, "attempt_evidence", "later a report came that attempt {attempt} {end}, which changed nothing{reason}", "attempt", a.Number,
			"end", ended(e.State), "reason", because(e.Note))
	}
}

// undelivered reports whether all failed attempts that were not accepted are known to have
// reached no executor.
func undelivered(r *RunSnapshot) bool {
	n := 0
	for i := range r.Attempts {
		if a := &r.Attempts[i]; a.State == job.Failed && a.AcceptedAt.IsZero() {
			n++
		}
	}
	return n <= r.Run.Undelivered
}

// present reports the current state of a run that has not ended, and its next step.
func (s *story) present(r *RunSnapshot) {
	run := &r.Run
	if !run.State.Final() && r.Job != nil && len(r.Job.Children) > 0 {
		s.addFact(time.Time{}, KindChildren, "children", "its end may start {count} other jobs", "count", len(r.Job.Children))
	}
	switch {
	case run.State.Final():
	case run.State.Waiting():
		s.waits(r)
		if due := dueAt(run); due.After(s.now) && run.State == job.Queued {
			s.addFact(due, KindNext, "waits_looked_at_again", "it is looked at again at the latest, in {wait}", "wait", due.Sub(s.now))
		} else if due.After(s.now) {
			s.addFact(due, KindNext, "waits_to_be_sent", "it is to be sent then, in {wait}", "wait", due.Sub(s.now))
		}
		if at := run.ExpireAt; !at.IsZero() && run.State != job.WaitingRetry {
			s.addFact(at, KindExpires, "expires", "when no executor has taken it by then, it is given up")
		}
		if r.Job != nil {
			s.executors(r.Job.Group, r.Executors)
		}
	default:
		s.holder(r)
	}
}

// holder reports the executor that has, or may have, the current attempt.
func (s *story) holder(r *RunSnapshot) {
	a := current(r)
	if a == nil || a.Broadcast() {
		return
	}
	if a.State == job.Running {
		s.addFact(s.now, KindRunning, "attempt_running", "attempt {attempt} is under way on {executor}", "attempt", a.Number, "executor", a.Address)
	} else {
		s.addFact(s.now, KindRunning, "attempt_unconfirmed",
			"attempt {attempt} has not been confirmed by {executor} yet: the server asks again until it knows",
			"attempt", a.Number, "executor", a.Address)
	}
	i := slices.IndexFunc(r.Executors, func(e job.Executor) bool { return e.Address == a.Address })
	if i < 0 {
		s.addFact(time.Time{}, KindNoExecutor,
			"executor_gone", "executor {executor} is not known to be alive: when it does not come back, the attempt is recorded as lost", "executor", a.Address)
		return
	}
	s.addFact(time.Time{}, KindExecutors, "executor_alive", "executor {executor} is alive: it was last heard of {ago} ago", "executor", a.Address,
		"ago", s.now.Sub(r.Executors[i].SeenAt))
}

// explainEnd reports the end of a run. A run that was sent keeps the reason for its delay when its
// end has no reason of its own. So the reason of a failure is not presented as its cause.
func (s *story) explainEnd(run *job.Run) {
	kept := run.Reason != "" && run.Tries > 0
	if kept && (run.State == job.Succeeded || run.State == job.Dispatched || run.State == job.Running) {
		s.addFact(time.Time{}, KindNoted, "noted", "noted before it was sent{reason}", "reason", because(run.Reason))
	}
	switch {
	case run.State == job.Stopping:
		s.stopping(run)
	case !run.State.Final():
	case run.State == job.Succeeded:
		s.addFact(run.EndedAt, KindEnded, "ended", "the run {end}", "end", ended(run.State))
	case kept && run.State != job.Cancelled && run.State != job.Skipped:
		s.addFact(run.EndedAt, KindEnded, "ended_reason_kept", "the run {end}; the last reason kept with it{reason}", "end", ended(run.State), "reason", because(run.Reason))
	default:
		s.addFact(run.EndedAt, KindEnded, "ended_reason", "the run {end}{reason}", "end", ended(run.State), "reason", because(run.Reason))
	}
}

// current returns the current attempt of the run, nil before the first one.
func current(r *RunSnapshot) *job.Attempt {
	for i := range r.Attempts {
		if r.Attempts[i].ID == r.Run.AttemptID {
			return &r.Attempts[i]
		}
	}
	return nil
}

// dueAt returns the instant from which a waiting run may be sent.
func dueAt(run *job.Run) time.Time {
	if run.DueAt.IsZero() {
		return run.ReadyAt
	}
	return run.DueAt
}

// lack is what a waiting run waits for.
type lack int

const (
	lackNoted    lack = iota // for what its reason states
	lackTime                 // for its time
	lackExecutor             // for an executor of its group
	lackTurn                 // for runs of its group that are sent first
	lackServer               // for a server that sends it
)

func lackOf(r *RunSnapshot, now time.Time) lack {
	switch {
	case r.Run.Reason != "":
		return lackNoted
	case dueAt(&r.Run).After(now):
		return lackTime
	case r.Job != nil && len(r.Executors) == 0:
		return lackExecutor
	case r.Ahead != Ahead{}:
		return lackTurn
	}
	return lackServer
}

// waits reports what a waiting run waits for.
func (s *story) waits(r *RunSnapshot) {
	switch lackOf(r, s.now) {
	case lackNoted:
		s.addFact(s.now, KindWaiting, "waits", "it waits{reason}", "reason", because(r.Run.Reason))
	case lackTime:
		s.addFact(s.now, KindWaiting, "waits_for_its_time", "it waits: its time has not come")
	case lackExecutor:
		s.addFact(s.now, KindWaiting, "waits_for_an_executor", "it waits: no executor of group {group} is alive", "group", r.Job.Group)
	case lackTurn:
		s.addFact(s.now, KindWaiting, "waits_for_its_turn", "it waits: of its group, {higher} of a higher priority and {earlier} due earlier come first",
			"higher", runsAhead(r.Ahead.Higher), "earlier", runsAhead(r.Ahead.Earlier))
	default:
		s.addFact(s.now, KindWaiting, "waits_for_a_server", "it waits: it is due, and no server has sent it yet; nothing is recorded that keeps it")
	}
}

// runAnswer answers for a run.
func (s *story) runAnswer(r *RunSnapshot) []Sentence {
	run := &r.Run
	from, what := wanted(run)
	values := []any{
		"run", run.ID, "job", jobName(run), "reason", because(run.Reason), "message", because(run.Message),
		"end", ended(run.State), "late", run.EndedAt.Sub(from), "what", what, "tries", tries(len(r.Attempts)),
	}
	one := func(code, text string) []Sentence { return []Sentence{s.sentence(code, text, values...)} }
	switch run.State {
	case job.Succeeded:
		return one("run_succeeded", "Run {run} of job {job} succeeded {late} after {what}, with {tries}.")
	case job.Skipped:
		if len(r.Attempts) == 0 {
			return one("run_skipped_unsent", "Run {run} of job {job} was skipped and never sent{reason}.")
		}
		return one("run_skipped", "Run {run} of job {job} was skipped after it was sent{reason}.")
	case job.Failed, job.TimedOut, job.Cancelled, job.Lost:
		if len(r.Attempts) == 0 {
			return one("run_ended_unsent", "Run {run} of job {job} {end} before it was sent{reason}.")
		}
		answer := one("run_ended", "Run {run} of job {job} {end} after {tries}{message}.")
		if run.Reason != "" {
			answer = append(answer, s.sentence("reason_kept", "The last reason kept with it{reason}.", values...))
		}
		return answer
	case job.Stopping:
		return s.stoppingAnswer(r)
	case job.Dispatched, job.Running:
		if r.Broadcast != nil {
			return []Sentence{s.barrier(r)}
		}
		if a := current(r); a != nil {
			values = append(values, "executor", a.Address, "for", s.now.Sub(a.TriggeredAt), "attempt", a.Number)
			if a.State == job.Running {
				return one("run_running", "Run {run} of job {job} is running: attempt {attempt} was sent to {executor} {for} ago and taken by it.")
			}
			return one("run_sent", "Run {run} of job {job} was sent to {executor} {for} ago, and whether it arrived is not known yet.")
		}
		return one("run_under_way", "Run {run} of job {job} is under way.")
	default:
		return s.waitAnswer(r)
	}
}

// waitAnswer is runAnswer for a waiting run.
func (s *story) waitAnswer(r *RunSnapshot) []Sentence {
	run := &r.Run
	values := []any{"run", run.ID, "job", jobName(run), "reason", because(run.Reason)}
	var answer []Sentence
	switch lackOf(r, s.now) {
	case lackNoted:
		answer = append(answer, s.sentence("run_waits", "Run {run} of job {job} waits{reason}.", values...))
	case lackTime:
		answer = append(answer, s.sentence("run_waits_for_its_time", "Run {run} of job {job} waits: its time has not come.", values...))
	case lackExecutor:
		values = append(values, "group", r.Job.Group)
		answer = append(answer, s.sentence("run_waits_for_an_executor", "Run {run} of job {job} waits: no executor of group {group} is alive.", values...))
	case lackTurn:
		values = append(values, "higher", runsAhead(r.Ahead.Higher), "earlier", runsAhead(r.Ahead.Earlier))
		answer = append(answer, s.sentence("run_waits_for_its_turn",
			"Run {run} of job {job} waits: of its group, {higher} of a higher priority and {earlier} due earlier come first.", values...))
	default:
		answer = append(answer, s.sentence("run_waits_for_a_server",
			"Run {run} of job {job} waits: it is due, and no server has sent it yet; nothing is recorded that keeps it.", values...))
	}
	if due := dueAt(run); due.After(s.now) && run.State == job.Queued {
		answer = append(answer, s.sentence("looked_at_again", "It is looked at again in {wait} at the latest.", "wait", due.Sub(s.now)))
	} else if due.After(s.now) {
		answer = append(answer, s.sentence("to_be_sent", "It is to be sent at {due}, in {wait}.", "due", due, "wait", due.Sub(s.now)))
	}
	return answer
}

// short adds a run in one line, as a fact of another story.
func (s *story) short(run *job.Run, kind Kind) {
	at, reason, message := run.EndedAt, run.Reason, run.Message
	if !run.State.Final() {
		at = laterOf(run.CreatedAt, run.PlannedAt)
	}
	if run.State == job.Succeeded {
		reason = "" // why it was late, if anything
	}
	if !run.State.Final() || run.State == job.Succeeded {
		message = ""
	}
	s.addFact(at, kind, "run", "run {run} ({cause}){slot} {state}{reason}{message}", "run", run.ID, "cause", string(run.Cause),
		"slot", slotOf{run.PlannedAt}, "state", is(run.State), "reason", because(reason), "message", itSaid(message)).Run = run.ID
}

func laterOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
