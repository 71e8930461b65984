package explain

import (
	"fmt"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// JobSnapshot is the recorded state of a job.
type JobSnapshot struct {
	Job job.Job
	// Calendars are the calendars of its schedule that exist.
	Calendars []job.Calendar
	// Pauses are those that select the job, in effect or not.
	Pauses []job.Pause
	// Executors are the live ones of its group.
	Executors []job.Executor
	// Newest are its newest runs, newest first.
	Newest []job.Run
	// Ahead counts the runs that are sent before the OldestDue of Newest.
	Ahead Ahead
	// Planned are the runs for the instants of a Slot.
	Planned []job.Run
	// Before is the last record of the schedule before a Slot, nil when there is none. One
	// record may stand for many slots that were skipped together.
	Before *job.Run
}

// Limits of the items that an explanation of a job lists one by one.
const (
	shownOpen    = 10 // waiting or running runs
	shownOver    = 5  // ended runs
	shownDropped = 5  // firings that calendars drop before the next one
)

// Job explains the present state of a job.
func Job(j JobSnapshot, now time.Time) Explanation {
	s := newStory(&j.Job, now)
	s.definition(&j.Job)
	s.state(&j)
	compiled, wrong := compile(&j.Job, j.Calendars)
	if wrong != nil {
		s.addFact(time.Time{}, KindUnreadable, "schedule_unreadable", "its schedule cannot be read: {reason}", "reason", wrong.Error())
	} else {
		s.ahead(&j.Job, compiled)
	}
	s.pauses(&j, now)
	open, over := 0, 0
	for i := range j.Newest {
		run := &j.Newest[i]
		if run.State.Final() {
			if over++; over <= shownOver {
				s.short(run, KindRun)
			}
		} else if open++; open <= shownOpen {
			s.short(run, KindRun)
		}
	}
	s.executors(j.Job.Group, j.Executors)
	return s.explanation(fmt.Sprintf("What does job %s do now?", j.Job.Key), s.jobAnswer(&j))
}

// definition reports the job's definition and its age.
func (s *story) definition(j *job.Job) {
	s.addFact(time.Time{}, KindSchedule, "schedule", "its schedule: {sentence}", "sentence", j.Schedule.Describe(schedule.English),
		"sentence_zh", j.Schedule.Describe(schedule.Chinese))
	s.addFact(j.CreatedAt, KindJobCreated, "job_created", "job {job} was created", "job", j.Key)
	if j.UpdatedAt.After(j.CreatedAt) {
		s.addFact(j.UpdatedAt, KindJobChanged, "job_changed_or_started", "job {job} was last changed, started or stopped; 'orth job history' tells what it was before", "job", j.Key)
	}
	if j.Schedule.Count > 0 {
		s.addFact(time.Time{}, KindBounds, "schedule_count", "its schedule makes {count} runs, and has made {fired}", "count", j.Schedule.Count, "fired", j.Fired)
	}
}

// state reports whether the job is enabled.
func (s *story) state(j *JobSnapshot) {
	switch {
	case j.Job.Enabled:
		s.addFact(time.Time{}, KindStarted, "started", "it is started")
	case j.Job.StopReason != "":
		s.addFact(time.Time{}, KindStopped, "stopped_by_itself", "it has stopped by itself{reason}", "reason", because(j.Job.StopReason))
	case j.Job.Schedule.Kind == schedule.KindManual:
	default:
		s.addFact(time.Time{}, KindStopped, "not_started", "it is not started")
	}
	if !j.Job.LastAt.IsZero() {
		s.addFact(j.Job.LastAt, KindPlanned, "latest_slot", "the latest slot that has a run or a record")
	}
}

// ahead reports the next firing, and the firings before it that calendars drop.
func (s *story) ahead(j *job.Job, compiled schedule.Schedule) {
	if !j.Enabled || j.NextAt.IsZero() {
		return
	}
	s.addFact(j.NextAt, KindNext, "next_firing", "the next firing that is not planned yet")
	if j.Schedule.Kind == schedule.KindAfter {
		return
	}
	for _, slot := range schedule.Preview(compiled, s.now, shownDropped+1) {
		if slot.At.After(j.NextAt) {
			return
		}
		switch {
		case slot.Dropped:
			s.dropped(&slot)
		case slot.At.Equal(j.NextAt) && !slot.Named.Equal(slot.At):
			s.moved(&slot)
		}
	}
}

func (s *story) dropped(slot *schedule.Slot) {
	if !slot.Into.IsZero() {
		s.addFact(slot.Named, KindMoved, "slot_merged", "calendar {calendar} does not allow the day{occasion}: the slot is one with the firing of {to}",
			"calendar", slot.Calendar, "occasion", because(slot.Day), "to", slot.Into)
		return
	}
	s.addFact(slot.At, KindDropped, "slot_dropped", "calendar {calendar} does not allow the day{occasion}: nothing fires", "calendar", slot.Calendar,
		"occasion", because(slot.Day))
}

func (s *story) moved(slot *schedule.Slot) {
	if slot.Calendar == "" {
		s.addFact(slot.Named, KindMoved, "slot_jittered", "the jitter moves the slot to {to}, by {by}", "to", slot.At, "by", slot.At.Sub(slot.Named))
		return
	}
	s.addFact(slot.Named, KindMoved, "slot_moved", "calendar {calendar} does not allow the day{occasion}: the slot moves to {to}", "calendar", slot.Calendar,
		"occasion", because(slot.Day), "to", slot.At)
}

// pauses reports the pauses that hold the job at an instant.
func (s *story) pauses(j *JobSnapshot, at time.Time) {
	for i := range j.Pauses {
		p := &j.Pauses[i]
		end, held := holds(p, at)
		if held {
			s.addFact(at, KindHeld, "held", "pause {pause} holds the job back {until}{reason}", "pause", p.Key, "until", until{end}, "reason", because(p.Reason))
		}
	}
}

// holds reports whether a pause is in effect at an instant, and until when. An unreadable
// pause holds nothing.
func holds(p *job.Pause, at time.Time) (time.Time, bool) {
	hold, err := p.Compile()
	if err != nil {
		return time.Time{}, false
	}
	return hold.At(at)
}

// pauseAt returns the pause that holds the job longest at an instant.
func pauseAt(j *JobSnapshot, at time.Time) (p *job.Pause, until time.Time) {
	for i := range j.Pauses {
		end, held := holds(&j.Pauses[i], at)
		if held && (p == nil || !until.IsZero() && (end.IsZero() || end.After(until))) {
			p, until = &j.Pauses[i], end
		}
	}
	return p, until
}

// heldBy returns the pause that holds the job at an instant, as the values {pause}, {until}
// and {pause_reason} of a sentence; nil when none does.
func (s *story) heldBy(j *JobSnapshot, at time.Time) []any {
	p, end := pauseAt(j, at)
	if p == nil {
		return nil
	}
	return []any{"pause", p.Key, "until", until{end}, "pause_reason", because(p.Reason)}
}

// overdue is the delay after the next firing from which a job counts as behind.
const overdue = 10 * time.Second

// jobAnswer answers what the job does.
func (s *story) jobAnswer(j *JobSnapshot) []Sentence {
	answer := []Sentence{s.explainPlan(j)}
	if oldest, n := OldestDue(j.Newest, s.now); n > 0 {
		answer = append(answer, s.explainDue(j, n, oldest))
	}
	if len(j.Executors) == 0 {
		answer = append(answer, s.sentence("job_no_executor", "No executor of its group {group} is alive, so its runs wait.", "group", j.Job.Group))
	}
	return answer
}

// OldestDue returns the last of the waiting runs that are due, and their number.
func OldestDue(newest []job.Run, now time.Time) (oldest *job.Run, n int) {
	for i := range newest {
		if r := &newest[i]; r.State.Waiting() && !dueAt(r).After(now) {
			oldest, n = r, n+1
		}
	}
	return oldest, n
}

// explainDue reports that due runs wait, and why the oldest of them does.
func (s *story) explainDue(j *JobSnapshot, n int, oldest *job.Run) Sentence {
	values := []any{"count", n, "run", oldest.ID, "reason", because(oldest.Reason), "group", j.Job.Group}
	switch lackOf(&RunSnapshot{Run: *oldest, Job: &j.Job, Executors: j.Executors, Ahead: j.Ahead}, s.now) { //nolint:exhaustive // The others are below.
	case lackNoted:
		return s.sentence("runs_wait", "Of its newest runs {count} are due and wait; the oldest, run {run}{reason}.", values...)
	case lackExecutor:
		return s.sentence("runs_wait_for_an_executor",
			"Of its newest runs {count} are due and wait; the oldest, run {run}: no executor of group {group} is alive.", values...)
	case lackTurn:
		values = append(values, "higher", runsAhead(j.Ahead.Higher), "earlier", runsAhead(j.Ahead.Earlier))
		return s.sentence("runs_wait_for_their_turn",
			"Of its newest runs {count} are due and wait; the oldest, run {run}: of its group, {higher} of a higher priority and {earlier} due earlier come first.",
			values...)
	}
	return s.sentence("runs_wait_for_a_server",
		"Of its newest runs {count} are due and wait; the oldest, run {run}: it is due, and no server has sent it yet; nothing is recorded that keeps it.",
		values...)
}

func (s *story) explainPlan(j *JobSnapshot) Sentence {
	d := &j.Job
	at := laterOf(d.NextAt, s.now)
	held := s.heldBy(j, at)
	values := append([]any{
		"job", d.Key, "next", d.NextAt, "wait", d.NextAt.Sub(s.now), "ago", s.now.Sub(d.NextAt), "delay", d.Schedule.After, "reason",
		because(d.StopReason),
	}, held...)
	switch {
	case d.Schedule.Kind == schedule.KindManual:
		return s.sentence("job_manual", "Job {job} never fires by itself: its schedule is manual, it runs when it is triggered.", values...)
	case !d.Enabled && d.StopReason != "":
		return s.sentence("job_stopped_by_itself", "Job {job} fires nothing: it has stopped by itself{reason}.", values...)
	case !d.Enabled && d.LastAt.IsZero():
		return s.sentence("job_not_started", "Job {job} fires nothing: it is not started, and has not planned anything yet.", values...)
	case !d.Enabled:
		return s.sentence("job_stopped", "Job {job} fires nothing: it is stopped.", values...)
	case d.NextAt.IsZero():
		return s.sentence("job_waits_for_the_end", "Job {job} waits for the end of its run: it fires {delay} after that.", values...)
	case held != nil && at.Equal(s.now):
		return s.sentence("job_held_now", "Job {job} was due at {next}, and pause {pause} holds it back {until}{pause_reason}.", values...)
	case held != nil:
		return s.sentence("job_held_next", "Job {job} would fire next at {next}, in {wait}, but pause {pause} holds it back {until}{pause_reason}.", values...)
	case s.now.Sub(d.NextAt) > overdue:
		return s.sentence("job_not_planned",
			"Job {job} was due at {next}, {ago} ago, and no server has planned it yet: look at the log of the planner.", values...)
	}
	return s.sentence("job_next", "Job {job} fires next at {next}, in {wait}.", values...)
}
