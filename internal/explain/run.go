package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// RunSnapshot is what is known about a run.
type RunSnapshot struct {
	Run job.Run
	// Attempts of the run, the first one first.
	Attempts []job.Attempt
	// Job is the run's as it is now; nil when it was deleted.
	Job *job.Job
	// Parent is the run that caused this one, Backfill the backfill; nil when
	// there is none, and when it is not kept any more.
	Parent   *job.Run
	Backfill *job.Backfill
	// Hidden says that there is a Parent which whoever asks must not hear of.
	Hidden bool
	// Dead is its dead letter; nil when it is none. The Parent of a redriven run
	// is the dead one.
	Dead *job.DeadLetter
	// Broadcast is how far the run is when it was split into shards, else nil.
	Broadcast *job.Broadcast
	// Executors are those of the job's group that are alive.
	Executors []job.Executor
	// Ahead counts the runs of the group that are due and come before this one, while it waits.
	Ahead Ahead
}

// Ahead counts runs that a dispatcher sends before another one: those of a higher priority,
// and those of the same priority that were due earlier. Each is at most MaxAhead, which
// stands for that many or more.
type Ahead struct {
	Higher, Earlier int
}

// MaxAhead is how far the runs before another one are counted.
const MaxAhead = 1000

// maxAttempts is how many attempts are told one by one, half of them the first
// and half the last.
const maxAttempts = 40

// Run tells the story of a run.
func Run(r RunSnapshot, now time.Time) Explanation {
	s := newStory(r.Job, now)
	run := &r.Run
	s.cause(&r)
	switch {
	case run.PlannedAt.IsZero():
		s.tell(time.Time{}, KindNoSlot, "no_slot", "it serves no slot of a schedule")
	default:
		s.tell(run.PlannedAt, KindSlot, "slot", "the slot that it serves")
	}
	if run.Param != nil {
		s.tell(time.Time{}, KindParam, "own_param", "it has a parameter of its own instead of the job's")
	}
	if len(run.Addresses) > 0 {
		s.tell(time.Time{}, KindAddresses, "addresses", "it may go to these executors only: {executors}", "executors", strings.Join(run.Addresses, ", "))
	}
	s.attempts(&r)
	s.present(&r)
	s.end(run)
	s.deadLetter(r.Dead)
	if j := r.Job; j == nil {
		s.tell(time.Time{}, KindJobDeleted, "job_deleted", "job {job} was deleted since", "job", jobName(run))
	} else if j.UpdatedAt.After(run.CreatedAt) {
		s.tell(j.UpdatedAt, KindJobChanged, "job_changed", "job {job} was changed; 'orth job history' tells what it was before", "job", j.Key)
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

// jobName returns the key of the run's job, and its number when the key is not
// kept any more.
func jobName(run *job.Run) string {
	if run.JobKey == "" {
		return fmt.Sprintf("#%d", run.JobID)
	}
	return run.JobKey
}

// cause tells why the run exists.
func (s *story) cause(r *RunSnapshot) {
	run := &r.Run
	tell := func(code, text string, values ...any) { s.tell(run.CreatedAt, KindCause, code, text, values...) }
	switch run.Cause {
	case job.CauseSchedule:
		if r.Job == nil || r.Job.UpdatedAt.After(run.CreatedAt) {
			tell("cause_schedule_changed", "made by the schedule of job {job}", "job", jobName(run))
			return
		}
		tell("cause_schedule", "made by the schedule of job {job}: {sentence}", "job", jobName(run), "sentence", r.Job.Schedule.Describe(schedule.English),
			"sentence_zh", r.Job.Schedule.Describe(schedule.Chinese))
	case job.CauseMisfire:
		tell("cause_misfire", "made by the misfire policy of job {job}, for a firing that was missed or held back", "job", jobName(run))
	case job.CauseManual:
		tell("cause_manual", "made because a user triggered job {job}", "job", jobName(run))
	case job.CauseAPI:
		tell("cause_api", "made because a program triggered job {job}", "job", jobName(run))
	case job.CauseParent:
		if run.CauseID == run.ID {
			tell("cause_workflow", "made by a workflow, as a run of job {job}", "job", jobName(run))
			return
		}
		if r.Hidden {
			tell("cause_parent_hidden", "made to follow run {parent} of a job that you may not see", "parent", run.CauseID)
			return
		}
		if r.Parent == nil {
			tell("cause_parent_gone", "made to follow run {parent}, which is not kept any more", "parent", run.CauseID)
			return
		}
		tell("cause_parent", "made to follow run {parent} of job {parent_job}, which {parent_end}", "parent", r.Parent.ID, "parent_job", jobName(r.Parent),
			"parent_end", ended(r.Parent.State))
	case job.CauseShard:
		tell("cause_shard", "made as shard {shard} of run {parent}, the first being 0", "shard", run.Shard.String(), "parent", run.CauseID)
	case job.CauseTrial:
		tell("cause_trial", "made because a user tries job {job}: nothing follows from its end", "job", jobName(run))
	case job.CauseRetry:
		tell("cause_retry", "made to do again what run {parent} did", "parent", run.CauseID)
	case job.CauseRedrive:
		s.redrive(r)
	case job.CauseBackfill:
		if r.Backfill == nil {
			tell("cause_backfill_gone", "made by backfill {backfill}, which is not kept any more", "backfill", run.CauseID)
			return
		}
		tell("cause_backfill", "made by backfill {backfill}, which runs the slots from {from} to {to}", "backfill", r.Backfill.ID,
			"from", r.Backfill.From, "to", r.Backfill.To)
	default:
		tell("cause_other", "made for the cause {cause}, number {parent}", "cause", string(run.Cause), "parent", run.CauseID)
	}
}

// wanted returns the instant from which the run is late, and what that is.
func wanted(run *job.Run) (time.Time, since) {
	if run.Cause == job.CauseSchedule && !run.PlannedAt.IsZero() {
		return run.PlannedAt, "slot"
	}
	return run.CreatedAt, "made"
}

// attempts tells what was tried.
func (s *story) attempts(r *RunSnapshot) {
	all := r.Attempts
	first, last := all, []job.Attempt(nil)
	if len(all) > maxAttempts {
		first, last = all[:maxAttempts/2], all[len(all)-maxAttempts/2:]
		s.tell(last[0].TriggeredAt.Add(-time.Millisecond), KindLeftOut, "attempts_left_out", "{count} attempts before this are left out", "count", len(all)-maxAttempts)
	}
	from, what := wanted(&r.Run)
	for _, part := range [...][]job.Attempt{first, last} {
		for i := range part {
			s.attempt(r, &part[i], from, what)
			from, what = part[i].EndedAt, "attempt"
		}
		if len(last) > 0 {
			from = time.Time{} // the attempt before the last ones is not told
		}
	}
}

func (s *story) attempt(r *RunSnapshot, a *job.Attempt, from time.Time, what since) {
	if a.Broadcast() {
		s.split(r, a)
		return
	}
	if from.IsZero() || from.After(a.TriggeredAt) {
		s.tell(a.TriggeredAt, KindSent, "attempt_sent", "attempt {attempt} was sent to {executor}", "attempt", a.Number, "executor", a.Address)
	} else {
		s.tell(a.TriggeredAt, KindSent, "attempt_sent_late", "attempt {attempt} was sent to {executor}, {late} after {what}", "attempt", a.Number,
			"executor", a.Address, "late", a.TriggeredAt.Sub(from), "what", what)
	}
	began := a.TriggeredAt
	if !a.AcceptedAt.IsZero() {
		s.tell(a.AcceptedAt, KindAccepted, "attempt_accepted", "the executor took attempt {attempt} after {wait}", "attempt", a.Number, "wait", a.AcceptedAt.Sub(began))
		began = a.AcceptedAt
	}
	switch {
	case !a.State.Final():
	case a.State == job.Failed && a.AcceptedAt.IsZero() && undelivered(r):
		s.tell(a.EndedAt, KindUndelivered, "attempt_undelivered", "attempt {attempt} was not delivered{reason}", "attempt", a.Number, "reason", because(a.Message))
	case a.State == job.Failed && a.AcceptedAt.IsZero():
		s.tell(a.EndedAt, KindAttemptEnded, "attempt_failed_unaccepted", "attempt {attempt} failed{reason}; that the executor took it is not recorded",
			"attempt", a.Number, "end", ended(a.State), "reason", because(a.Message))
	default:
		s.tell(a.EndedAt, KindAttemptEnded, "attempt_ended", "attempt {attempt} {end} after {lasted}{reason}", "attempt", a.Number, "end", ended(a.State),
			"lasted", a.EndedAt.Sub(began), "reason", because(a.Message))
	}
	s.evidence(a)
}

// evidence tells what came for the attempt after its end was recorded.
func (s *story) evidence(a *job.Attempt) {
	for _, e := range a.Evidence {
		s.tell(e.At, KindEvidence, "attempt_evidence", "later a report came that attempt {attempt} {end}, which changed nothing{reason}", "attempt", a.Number,
			"end", ended(e.State), "reason", because(e.Note))
	}
}

// undelivered reports whether all attempts that failed and were not accepted are
// known to have reached no executor.
func undelivered(r *RunSnapshot) bool {
	n := 0
	for i := range r.Attempts {
		if a := &r.Attempts[i]; a.State == job.Failed && a.AcceptedAt.IsZero() {
			n++
		}
	}
	return n <= r.Run.Undelivered
}

// present tells what a run that is not over does now, and what comes next.
func (s *story) present(r *RunSnapshot) {
	run := &r.Run
	if !run.State.Final() && r.Job != nil && len(r.Job.Children) > 0 {
		s.tell(time.Time{}, KindChildren, "children", "its end may start {count} other jobs", "count", len(r.Job.Children))
	}
	switch {
	case run.State.Final():
	case run.State.Waiting():
		s.waits(r)
		if due := dueAt(run); due.After(s.now) && run.State == job.Queued {
			s.tell(due, KindNext, "waits_looked_at_again", "it is looked at again at the latest, in {wait}", "wait", due.Sub(s.now))
		} else if due.After(s.now) {
			s.tell(due, KindNext, "waits_to_be_sent", "it is to be sent then, in {wait}", "wait", due.Sub(s.now))
		}
		if at := run.ExpireAt; !at.IsZero() && run.State != job.WaitingRetry {
			s.tell(at, KindExpires, "expires", "when no executor has taken it by then, it is given up")
		}
		if r.Job != nil {
			s.executors(r.Job.Group, r.Executors)
		}
	default:
		s.holder(r)
	}
}

// holder tells of the executor that has, or may have, the current attempt.
func (s *story) holder(r *RunSnapshot) {
	a := current(r)
	if a == nil || a.Broadcast() {
		return
	}
	if a.State == job.Running {
		s.tell(s.now, KindRunning, "attempt_running", "attempt {attempt} is under way on {executor}", "attempt", a.Number, "executor", a.Address)
	} else {
		s.tell(s.now, KindRunning, "attempt_unconfirmed",
			"attempt {attempt} has not been confirmed by {executor} yet: the server asks again until it knows",
			"attempt", a.Number, "executor", a.Address)
	}
	i := slices.IndexFunc(r.Executors, func(e job.Executor) bool { return e.Address == a.Address })
	if i < 0 {
		s.tell(time.Time{}, KindNoExecutor,
			"executor_gone", "executor {executor} is not known to be alive: when it does not come back, the attempt is recorded as lost", "executor", a.Address)
		return
	}
	s.tell(time.Time{}, KindExecutors, "executor_alive", "executor {executor} is alive: it was last heard of {ago} ago", "executor", a.Address,
		"ago", s.now.Sub(r.Executors[i].SeenAt))
}

// end tells of the end of a run. A run that was sent keeps the reason for which it
// was late when its end brings none of its own, so the reason of a failure is not
// said to be its cause.
func (s *story) end(run *job.Run) {
	kept := run.Reason != "" && run.Tries > 0
	if kept && (run.State == job.Succeeded || run.State == job.Dispatched || run.State == job.Running) {
		s.tell(time.Time{}, KindNoted, "noted", "noted before it was sent{reason}", "reason", because(run.Reason))
	}
	switch {
	case run.State == job.Stopping:
		s.stopping(run)
	case !run.State.Final():
	case run.State == job.Succeeded:
		s.tell(run.EndedAt, KindEnded, "ended", "the run {end}", "end", ended(run.State))
	case kept && run.State != job.Cancelled && run.State != job.Skipped:
		s.tell(run.EndedAt, KindEnded, "ended_reason_kept", "the run {end}; the last reason kept with it{reason}", "end", ended(run.State), "reason", because(run.Reason))
	default:
		s.tell(run.EndedAt, KindEnded, "ended_reason", "the run {end}{reason}", "end", ended(run.State), "reason", because(run.Reason))
	}
}

// current returns the attempt that the run stands at, nil before the first one.
func current(r *RunSnapshot) *job.Attempt {
	for i := range r.Attempts {
		if r.Attempts[i].ID == r.Run.AttemptID {
			return &r.Attempts[i]
		}
	}
	return nil
}

// dueAt returns when a run that waits is to be sent.
func dueAt(run *job.Run) time.Time {
	if run.DueAt.IsZero() {
		return run.ReadyAt
	}
	return run.DueAt
}

// lack is what a run that waits is waiting for.
type lack int

const (
	lackNoted    lack = iota // for what its reason says
	lackTime                 // for its time
	lackExecutor             // for an executor of its group
	lackTurn                 // for others of its group that are sent first
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

// waits tells what a run that waits is waiting for.
func (s *story) waits(r *RunSnapshot) {
	switch lackOf(r, s.now) {
	case lackNoted:
		s.tell(s.now, KindWaiting, "waits", "it waits{reason}", "reason", because(r.Run.Reason))
	case lackTime:
		s.tell(s.now, KindWaiting, "waits_for_its_time", "it waits: its time has not come")
	case lackExecutor:
		s.tell(s.now, KindWaiting, "waits_for_an_executor", "it waits: no executor of group {group} is alive", "group", r.Job.Group)
	case lackTurn:
		s.tell(s.now, KindWaiting, "waits_for_its_turn", "it waits: of its group, {higher} of a higher priority and {earlier} due earlier come first",
			"higher", runsAhead(r.Ahead.Higher), "earlier", runsAhead(r.Ahead.Earlier))
	default:
		s.tell(s.now, KindWaiting, "waits_for_a_server", "it waits: it is due, and no server has sent it yet; nothing is recorded that keeps it")
	}
}

// runAnswer answers in a sentence.
func (s *story) runAnswer(r *RunSnapshot) []Sentence {
	run := &r.Run
	from, what := wanted(run)
	values := []any{
		"run", run.ID, "job", jobName(run), "reason", because(run.Reason), "message", because(run.Message),
		"end", ended(run.State), "late", run.EndedAt.Sub(from), "what", what, "tries", tries(len(r.Attempts)),
	}
	one := func(code, text string) []Sentence { return []Sentence{s.say(code, text, values...)} }
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
		said := one("run_ended", "Run {run} of job {job} {end} after {tries}{message}.")
		if run.Reason != "" {
			said = append(said, s.say("reason_kept", "The last reason kept with it{reason}.", values...))
		}
		return said
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

// waitAnswer is runAnswer for a run that waits.
func (s *story) waitAnswer(r *RunSnapshot) []Sentence {
	run := &r.Run
	values := []any{"run", run.ID, "job", jobName(run), "reason", because(run.Reason)}
	var said []Sentence
	switch lackOf(r, s.now) {
	case lackNoted:
		said = append(said, s.say("run_waits", "Run {run} of job {job} waits{reason}.", values...))
	case lackTime:
		said = append(said, s.say("run_waits_for_its_time", "Run {run} of job {job} waits: its time has not come.", values...))
	case lackExecutor:
		values = append(values, "group", r.Job.Group)
		said = append(said, s.say("run_waits_for_an_executor", "Run {run} of job {job} waits: no executor of group {group} is alive.", values...))
	case lackTurn:
		values = append(values, "higher", runsAhead(r.Ahead.Higher), "earlier", runsAhead(r.Ahead.Earlier))
		said = append(said, s.say("run_waits_for_its_turn",
			"Run {run} of job {job} waits: of its group, {higher} of a higher priority and {earlier} due earlier come first.", values...))
	default:
		said = append(said, s.say("run_waits_for_a_server",
			"Run {run} of job {job} waits: it is due, and no server has sent it yet; nothing is recorded that keeps it.", values...))
	}
	if due := dueAt(run); due.After(s.now) && run.State == job.Queued {
		said = append(said, s.say("looked_at_again", "It is looked at again in {wait} at the latest.", "wait", due.Sub(s.now)))
	} else if due.After(s.now) {
		said = append(said, s.say("to_be_sent", "It is to be sent at {due}, in {wait}.", "due", due, "wait", due.Sub(s.now)))
	}
	return said
}

// short tells of a run in one line, as a fact of another story.
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
	s.tell(at, kind, "run", "run {run} ({cause}){slot} {state}{reason}{message}", "run", run.ID, "cause", string(run.Cause),
		"slot", slotOf{run.PlannedAt}, "state", is(run.State), "reason", because(reason), "message", itSaid(message)).Run = run.ID
}

func laterOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
