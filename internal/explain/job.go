package explain

import (
	"fmt"
	"slices"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// JobSnapshot is what is known about a job.
type JobSnapshot struct {
	Job job.Job
	// Calendars are those that its schedule names, as far as they exist.
	Calendars []job.Calendar
	// Pauses are those that are for the job, whether they hold it or not.
	Pauses []job.Pause
	// Executors are those of its group that are alive.
	Executors []job.Executor
	// Newest are its newest runs, the newest first.
	Newest []job.Run
	// Planned are the runs for the instants of a Slot, Before the newest runs
	// planned before it, the newest first. Without a Slot both are empty.
	Planned, Before []job.Run
}

// How many things an explanation of a job tells one by one.
const (
	shownOpen    = 10 // runs that wait or are under way
	shownOver    = 5  // runs that are over
	shownDropped = 5  // firings that calendars drop before the next one
)

// Job tells what a job does now.
func Job(j JobSnapshot, now time.Time) Explanation {
	s := newStory(&j.Job, now)
	s.definition(&j.Job)
	s.state(&j)
	compiled, wrong := compile(&j.Job, j.Calendars)
	if wrong != nil {
		s.tell(time.Time{}, KindUnreadable, "its schedule cannot be read: {reason}", "reason", wrong.Error())
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

// definition tells what the job is and since when.
func (s *story) definition(j *job.Job) {
	s.tell(time.Time{}, KindSchedule, "its schedule: {sentence}", "sentence", j.Schedule.Describe(schedule.English), "zone", s.zone.String())
	s.tell(j.CreatedAt, KindJobCreated, "job {job} was created", "job", j.Key)
	if j.UpdatedAt.After(j.CreatedAt) {
		s.tell(j.UpdatedAt, KindJobChanged, "job {job} was last changed, started or stopped; 'orth job history' tells what it was before", "job", j.Key)
	}
	if j.Schedule.Count > 0 {
		s.tell(time.Time{}, KindBounds, "its schedule makes {count} runs, and has made {fired}", "count", j.Schedule.Count, "fired", j.Fired)
	}
}

// state tells whether the job is started.
func (s *story) state(j *JobSnapshot) {
	switch {
	case j.Job.Enabled:
		s.tell(time.Time{}, KindStarted, "it is started")
	case j.Job.StopReason != "":
		s.tell(time.Time{}, KindStopped, "it has stopped by itself{reason}", "reason", because(j.Job.StopReason))
	case j.Job.Schedule.Kind == schedule.KindManual:
	default:
		s.tell(time.Time{}, KindStopped, "it is not started")
	}
	if !j.Job.LastAt.IsZero() {
		s.tell(j.Job.LastAt, KindPlanned, "the latest slot that has a run or a record")
	}
}

// ahead tells of the next firing, and of those before it that calendars drop.
func (s *story) ahead(j *job.Job, compiled schedule.Schedule) {
	if !j.Enabled || j.NextAt.IsZero() {
		return
	}
	s.tell(j.NextAt, KindNext, "the next firing that is not planned yet")
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
		s.tell(slot.Named, KindMoved, "calendar {calendar} does not allow the day{occasion}: the slot is one with the firing of {to}",
			"calendar", slot.Calendar, "occasion", because(slot.Day), "to", slot.Into)
		return
	}
	s.tell(slot.At, KindDropped, "calendar {calendar} does not allow the day{occasion}: nothing fires", "calendar", slot.Calendar,
		"occasion", because(slot.Day))
}

func (s *story) moved(slot *schedule.Slot) {
	if slot.Calendar == "" {
		s.tell(slot.Named, KindMoved, "the jitter moves the slot to {to}, by {by}", "to", slot.At, "by", slot.At.Sub(slot.Named))
		return
	}
	s.tell(slot.Named, KindMoved, "calendar {calendar} does not allow the day{occasion}: the slot moves to {to}", "calendar", slot.Calendar,
		"occasion", because(slot.Day), "to", slot.At)
}

// pauses tells of the pauses that hold the job at an instant.
func (s *story) pauses(j *JobSnapshot, at time.Time) {
	for i := range j.Pauses {
		p := &j.Pauses[i]
		until, held := holds(p, at)
		switch {
		case !held:
		case until.IsZero():
			s.tell(at, KindHeld, "pause {pause} holds the job back until it is lifted{reason}", "pause", p.Key, "reason", because(p.Reason))
		default:
			s.tell(at, KindHeld, "pause {pause} holds the job back until {until}{reason}", "pause", p.Key, "until", until, "reason", because(p.Reason))
		}
	}
}

// holds reports whether a pause holds at an instant, and until when. One that
// cannot be read holds nothing.
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

// heldBy says which pause holds the job at an instant; "" when none does.
func (s *story) heldBy(j *JobSnapshot, at time.Time) string {
	p, until := pauseAt(j, at)
	switch {
	case p == nil:
		return ""
	case until.IsZero():
		return s.say("pause {pause} holds it back until it is lifted{reason}", "pause", p.Key, "reason", because(p.Reason))
	}
	return s.say("pause {pause} holds it back until {until}{reason}", "pause", p.Key, "until", until, "reason", because(p.Reason))
}

// overdue is how long after its next firing a job is said to be behind.
const overdue = 10 * time.Second

// jobAnswer says what the job does.
func (s *story) jobAnswer(j *JobSnapshot) string {
	answer := s.say("Job {job} {does}.", "job", j.Job.Key, "does", s.does(j))
	waiting := slices.DeleteFunc(slices.Clone(j.Newest), func(r job.Run) bool { return !r.State.Waiting() || dueAt(&r).After(s.now) })
	if n := len(waiting); n > 0 {
		oldest := &waiting[n-1]
		answer += s.say(" Of its newest runs {count} are due and wait; the oldest, run {run}{reason}.", "count", n, "run", oldest.ID,
			"reason", because(waitReason(&RunSnapshot{Run: *oldest, Job: &j.Job, Executors: j.Executors}, s.now)))
	}
	if len(j.Executors) == 0 {
		answer += s.say(" No executor of its group {group} is alive, so its runs wait.", "group", j.Job.Group)
	}
	return answer
}

func (s *story) does(j *JobSnapshot) string {
	d := &j.Job
	at := laterOf(d.NextAt, s.now)
	held := s.heldBy(j, at)
	values := []any{"next", d.NextAt, "wait", d.NextAt.Sub(s.now), "ago", s.now.Sub(d.NextAt), "after", d.Schedule.After, "reason", because(d.StopReason), "held", held}
	switch {
	case d.Schedule.Kind == schedule.KindManual:
		return "never fires by itself: its schedule is manual, it runs when it is triggered"
	case !d.Enabled && d.StopReason != "":
		return s.say("fires nothing: it has stopped by itself{reason}", values...)
	case !d.Enabled && d.LastAt.IsZero():
		return "fires nothing: it is not started, and has not planned anything yet"
	case !d.Enabled:
		return "fires nothing: it is stopped"
	case d.NextAt.IsZero():
		return s.say("waits for the end of its run: it fires {after} after that", values...)
	case held != "" && at.Equal(s.now):
		return s.say("was due at {next}, and {held}", values...)
	case held != "":
		return s.say("would fire next at {next}, in {wait}, but {held}", values...)
	case s.now.Sub(d.NextAt) > overdue:
		return s.say("was due at {next}, {ago} ago, and no server has planned it yet: look at the log of the planner", values...)
	}
	return s.say("fires next at {next}, in {wait}", values...)
}
