package explain

import (
	"fmt"
	"slices"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// Explain answers why the job did, did not, or will run at the moment.
func (q *Slot) Explain(j JobSnapshot, now time.Time) Explanation {
	s := newStory(q.job, now)
	s.definition(q.job)
	s.state(&j)
	q.bounds(s)
	q.clock(s)
	q.verdict(s)
	q.neighbours(s)
	q.changes(s, &j)
	s.pausesOf(&j, q.at)
	if len(j.Planned) > 0 {
		for i := range j.Planned {
			s.short(&j.Planned[i], KindRun)
		}
	} else if !q.at.After(now) {
		s.addFact(q.at, KindNoRecord, "no_record", "no run is kept for this instant")
		if j.Before != nil {
			s.short(j.Before, KindRecordBefore)
		}
	}
	s.executors(q.job.Group, j.Executors)
	return s.explanation(q.question(now), q.answer(s, &j))
}

// formatMoment formats the moment as it was given.
func (q *Slot) formatMoment() string {
	if q.moment.At.IsZero() {
		return q.moment.Wall.Format("2006-01-02 15:04:05.999") + " (" + q.zone.String() + ")"
	}
	return q.at.In(q.zone).Format("2006-01-02 15:04:05.999 -07:00")
}

func (q *Slot) question(now time.Time) string {
	if q.at.After(now) {
		return fmt.Sprintf("Will job %s run at %s?", q.job.Key, q.formatMoment())
	}
	return fmt.Sprintf("Did job %s run at %s, and why?", q.job.Key, q.formatMoment())
}

// bounds reports that the bounds of the schedule exclude the instant.
func (q *Slot) bounds(s *story) {
	if start := q.job.Schedule.Start; q.at.Before(start) {
		s.addFact(start, KindBounds, "schedule_starts", "the schedule starts: nothing fires before")
	}
	if end := q.job.Schedule.End; !end.IsZero() && !q.at.Before(end) {
		s.addFact(end, KindBounds, "schedule_ends", "the schedule ends: nothing fires from then on")
	}
}

// stepReach is how near to the instant a clock step is reported.
const stepReach = 12 * time.Hour

// onWall reports whether a schedule follows the clock of a zone.
func onWall(spec *schedule.Spec) bool {
	return spec.Kind == schedule.KindCron || spec.Kind == schedule.KindDaily ||
		slices.ContainsFunc(spec.Of, func(s schedule.Spec) bool { return onWall(&s) })
}

// clock reports a clock step of the zone near the instant.
func (q *Slot) clock(s *story) {
	if !onWall(&q.job.Schedule) {
		return
	}
	if step, ok := stepNear(q.at, q.zone, stepReach); ok {
		rules := schedule.Quartz()
		if q.job.Schedule.DST != nil {
			rules = *q.job.Schedule.DST
		}
		values := []any{
			"zone", q.zone.String(), "from", step.lastBefore(q.zone), "to", step.firstAfter(q.zone), "gap", string(rules.Gap), "overlap", string(rules.Overlap),
		}
		switch back := step.after < step.before; {
		case back && rules.Straight:
			s.addFact(step.at, KindClock, "clock_back_straight",
				"the clock of {zone} goes back, from {from} to {to}; for times that it shows twice the schedule's rule is {overlap}; an expression that keeps a pace through the day runs straight on",
				values...)
		case back:
			s.addFact(step.at, KindClock, "clock_back",
				"the clock of {zone} goes back, from {from} to {to}; for times that it shows twice the schedule's rule is {overlap}", values...)
		case rules.Straight:
			s.addFact(step.at, KindClock, "clock_forward_straight",
				"the clock of {zone} goes forward, from {from} to {to}; for times that it jumps over the schedule's rule is {gap}; an expression that keeps a pace through the day runs straight on",
				values...)
		default:
			s.addFact(step.at, KindClock, "clock_forward",
				"the clock of {zone} goes forward, from {from} to {to}; for times that it jumps over the schedule's rule is {gap}", values...)
		}
	}
	if len(q.asked) > 1 {
		s.addFact(q.asked[0], KindTwice, "clock_twice", "the clock shows the time asked about twice: here, and at {second}", "second", q.asked[1])
	}
}

// verdict reports whether the schedule fires at the instant.
func (q *Slot) verdict(s *story) {
	kind := q.job.Schedule.Kind
	switch {
	case kind == schedule.KindAfter || kind == schedule.KindManual || q.gap != nil:
	case q.wrong != nil:
		s.addFact(time.Time{}, KindUnreadable, "schedule_unreadable", "its schedule cannot be read: {reason}", "reason", q.wrong.Error())
	case q.fires:
		s.addFact(q.at, KindFires, "fires", "its present schedule names this instant")
		if slots := schedule.Preview(q.compiled, q.at.Add(-1), 1); len(slots) > 0 && !slots[0].Named.Equal(q.at) && !slots[0].Dropped {
			s.moved(&slots[0])
		}
	case q.dropped != nil:
		s.dropped(q.dropped)
	case q.moved != nil:
		s.moved(q.moved)
	default:
		s.addFact(q.at, KindFiresNot, "fires_not", "its present schedule does not name this instant")
	}
}

// neighbours reports the nearest firings.
func (q *Slot) neighbours(s *story) {
	before, after := q.nearest()
	if !before.IsZero() {
		s.addFact(before, KindBefore, "firing_before", "the nearest firing before, by its present schedule")
	}
	if !after.IsZero() {
		s.addFact(after, KindAfter, "firing_after", "the nearest firing after, by its present schedule")
	}
}

// changes reports the calendars that were changed after the instant.
func (q *Slot) changes(s *story, j *JobSnapshot) {
	for i := range j.Calendars {
		if c := &j.Calendars[i]; c.UpdatedAt.After(q.at) && !q.at.After(s.now) {
			s.addFact(c.UpdatedAt, KindCalendarChanged, "calendar_changed", "calendar {calendar} was changed; what it said before is not kept", "calendar", c.Key)
		}
	}
}

// pausesOf reports the pauses in effect at the instant, by their present definition.
func (s *story) pausesOf(j *JobSnapshot, at time.Time) {
	known := *j
	known.Pauses = slices.DeleteFunc(slices.Clone(j.Pauses), func(p job.Pause) bool { return p.CreatedAt.After(at) })
	s.pauses(&known, at)
}

// answer answers yes, no, not yet or unknown.
func (q *Slot) answer(s *story, j *JobSnapshot) []Sentence {
	d := q.job
	with := func(first Sentence) []Sentence { return append([]Sentence{first}, q.caveat(s)...) }
	switch {
	case len(j.Planned) > 0 && q.gap != nil:
		run := mostInformative(j.Planned)
		return []Sentence{q.explainGap(s), s.sentence("jump_run", "There is a run for the jump: run {run} for the slot {slot} {state}{reason}.", "run", run.ID,
			"slot", run.PlannedAt, "state", is(run.State), "reason", because(run.Reason))}
	case len(j.Planned) > 0:
		return q.recorded(s, j.Planned)
	case q.at.Before(d.CreatedAt) && !q.at.After(s.now):
		return []Sentence{s.sentence("no_job_then", "No: the job did not exist then; it was created at {created}.", "created", d.CreatedAt)}
	case d.Schedule.Kind == schedule.KindManual:
		return with(s.sentence("no_manual", "No: its schedule is manual, so it never fires by itself, and no run for that time is kept."))
	case d.Schedule.Kind == schedule.KindAfter:
		return with(s.sentence("no_fixed_delay",
			"Its schedule is a fixed delay: it fires {delay} after the end of each run, whatever the time, and no run for that time is kept.",
			"delay", d.Schedule.After))
	case q.wrong != nil:
		return []Sentence{s.sentence("unknown_unreadable", "What its schedule says is not known, because it cannot be read: {reason}.", "reason", q.wrong.Error())}
	case q.gap != nil:
		return q.inGap(s)
	case q.dropped != nil && q.dropped.Into.IsZero():
		return with(s.sentence("no_dropped", "No: calendar {calendar} does not allow the day{occasion}.", "calendar", q.dropped.Calendar,
			"occasion", because(q.dropped.Day)))
	case q.dropped != nil:
		return with(s.sentence("no_merged", "No: calendar {calendar} does not allow the day{occasion}; the slot is one with the firing of {to}.", "calendar",
			q.dropped.Calendar, "occasion", because(q.dropped.Day), "to", q.dropped.Into))
	case q.moved != nil && q.moved.Calendar != "":
		return with(s.sentence("not_then_moved", "Not at that time: calendar {calendar} does not allow the day{occasion}, so the slot moves to {to}.", "calendar",
			q.moved.Calendar, "occasion", because(q.moved.Day), "to", q.moved.At))
	case q.moved != nil:
		return with(s.sentence("not_then_jittered", "Not at that time: the jitter of the job moves the slot to {to}.", "to", q.moved.At))
	case !q.fires:
		return q.noSlot(s)
	case q.at.After(s.now):
		return q.future(s, j)
	}
	return []Sentence{q.unrecorded(s, j)}
}

// caveat notes that the present definition may differ from that of then.
func (q *Slot) caveat(s *story) []Sentence {
	if q.at.After(s.now) || !q.job.UpdatedAt.After(q.at) {
		return nil
	}
	return []Sentence{s.sentence("changed_since",
		"The job was changed, started or stopped after that, at {changed}; what its schedule was then is not kept.", "changed", q.job.UpdatedAt)}
}

// noSlot names the nearest firings.
func (q *Slot) noSlot(s *story) []Sentence {
	before, after := q.nearest()
	answer := []Sentence{s.sentence("no_no_slot", "No: {time} is no slot of its schedule.", "time", q.formatMoment())}
	switch values := []any{"before", before, "after", after}; {
	case !before.IsZero() && !after.IsZero():
		answer = append(answer, s.sentence("nearest_both", "The nearest are {before} and {after}.", values...))
	case !before.IsZero():
		answer = append(answer, s.sentence("nearest_before", "The last one was {before}.", values...))
	case !after.IsZero():
		answer = append(answer, s.sentence("nearest_after", "The first one is {after}.", values...))
	}
	return append(answer, q.caveat(s)...)
}

// explainGap reports that the time does not exist.
func (q *Slot) explainGap(s *story) Sentence {
	return s.sentence("no_such_time", "There is no {time}: the clock of the zone jumps from {from} to {to}.", "time", q.formatMoment(),
		"from", q.gap.lastBefore(q.zone), "to", q.gap.firstAfter(q.zone))
}

// inGap answers for a time that the clock skipped.
func (q *Slot) inGap(s *story) []Sentence {
	answer := []Sentence{q.explainGap(s)}
	before, after := q.nearest()
	values := []any{"before", before, "after", after}
	if !before.IsZero() && !after.IsZero() {
		answer = append(answer, s.sentence("jump_both", "The firings around the jump are {before} and {after}.", values...))
	} else if !after.IsZero() {
		answer = append(answer, s.sentence("jump_after", "The firing after the jump is {after}.", values...))
	}
	return append(answer, q.caveat(s)...)
}

// future answers for an instant that is still to come.
func (q *Slot) future(s *story, j *JobSnapshot) []Sentence {
	d := q.job
	one := func(code, text string, values ...any) []Sentence {
		return []Sentence{s.sentence(code, text, values...)}
	}
	held := s.heldBy(j, q.at)
	switch {
	case !d.Enabled && d.StopReason != "":
		return one("not_expected_stopped_by_itself",
			"No, as things stand: the time is a slot of its schedule, but the job has stopped by itself{reason}.", "reason", because(d.StopReason))
	case !d.Enabled:
		return one("not_expected_not_started", "No, as things stand: the time is a slot of its schedule, but the job is not started.")
	case q.spent():
		return one("not_expected_spent", "No, as things stand: its schedule makes {count} runs, and they are used up before.", "count", d.Schedule.Count)
	case held != nil:
		return one("not_expected_held",
			"Not at that time, as things stand: it is a slot of its schedule, but pause {pause} holds it back {until}{pause_reason}.", held...)
	}
	answer := one("expected", "Yes, if nothing changes: {time} is a slot of its schedule.", "time", q.formatMoment())
	if len(j.Executors) == 0 {
		answer = append(answer, s.sentence("expected_no_executor", "No executor of its group {group} is alive now; without one the run waits.", "group", d.Group))
	}
	return answer
}

// spent reports whether the count of the schedule is used up before the instant.
func (q *Slot) spent() bool {
	d := q.job
	left := d.Schedule.Count - d.Fired
	if d.Schedule.Count == 0 || d.NextAt.IsZero() {
		return false
	}
	if left <= 0 {
		return true
	}
	n, _ := schedule.Count(q.compiled, d.NextAt, q.at, min(left, 100_000))
	return n >= left
}

// unrecorded explains the missing run of a past slot, as far as it is known.
func (q *Slot) unrecorded(s *story, j *JobSnapshot) Sentence {
	d := q.job
	held := s.heldBy(j, s.now)
	switch {
	case d.Enabled && !d.NextAt.IsZero() && !d.NextAt.After(q.at) && held != nil:
		return s.sentence("not_yet_held",
			"Not yet: pause {pause} holds it back {until}{pause_reason}. When the pause is over, its misfire policy {policy} decides about the firings held back.",
			append(held, "policy", string(d.Misfire))...)
	case d.Enabled && !d.NextAt.IsZero() && !d.NextAt.After(q.at):
		return s.sentence("not_planned", "Not yet: no server has planned the slot so far. The first one that is not planned is {next}, {ago} ago: look at the log of the planner.",
			"ago", s.now.Sub(d.NextAt), "next", d.NextAt)
	case !d.Enabled && d.StopReason != "" && d.LastAt.Before(q.at):
		return s.sentence("no_stopped_by_itself", "No: the job had stopped by itself after its slot of {last}{reason}.", "last", d.LastAt, "reason", because(d.StopReason))
	case !d.Enabled && !d.UpdatedAt.After(q.at):
		return s.sentence("no_stopped_then", "No: the time is a slot of its schedule, but the job was stopped then, as it is now.")
	case d.UpdatedAt.After(q.at):
		return s.sentence("no_run_changed_since", "No run of that time is kept. The time is a slot of its present schedule, but the job was changed, started or stopped at {changed}; whether it was started before, and what its schedule was, is not kept. What a job would have fired while it was stopped is not made up for.",
			"changed", d.UpdatedAt)
	}
	before := j.Before
	switch {
	case before == nil:
		return s.sentence("no_run_none_before", "No run of that time is kept, and none from before: runs are removed when they are old, so whether there was one is not known.")
	case before.State == job.Skipped && before.Reason != "":
		return s.sentence("no_run_record_before", "No run of that time alone is kept. The last record before it, of {slot}, may stand for it too{reason}.",
			"slot", before.PlannedAt, "reason", because(before.Reason))
	}
	return s.sentence("no_run_unexplained", "No run of that time is kept, although the time is a slot of its present schedule and older runs are kept; nothing that is kept says why.")
}

// recorded reports the runs for the time.
func (q *Slot) recorded(s *story, runs []job.Run) []Sentence {
	best := mostInformative(runs)
	values := []any{
		"run", best.ID, "reason", because(best.Reason), "end", ended(best.State), "slot", best.PlannedAt, "took", best.EndedAt.Sub(best.PlannedAt),
		"message", because(best.Message), "state", named(best.State),
	}
	var where []Sentence
	if !slices.ContainsFunc(q.asked, best.PlannedAt.Equal) {
		where = append(where, s.sentence("own_slot", "Its slot is {slot}.", values...))
	}
	with := func(code, text string) []Sentence {
		return append([]Sentence{s.sentence(code, text, values...)}, where...)
	}
	switch state := best.State; {
	case state == job.Skipped:
		return with("recorded_skipped", "No: run {run} was skipped{reason}.")
	case state == job.Succeeded:
		return with("recorded_succeeded", "Yes: run {run} succeeded, {took} after its slot.")
	case state.Final() && best.Tries == 0:
		return with("recorded_ended_unsent", "No: run {run} {end} before it was sent{reason}.")
	case state.Final():
		return with("recorded_ended", "Yes, but run {run} {end}{message}.")
	case state.Waiting() && best.Tries == 0:
		return with("recorded_waiting", "Not yet: run {run} is {state}{reason}.")
	case state.Waiting():
		return with("recorded_retrying", "Yes, but run {run} has not succeeded so far; it is {state}{reason}.")
	}
	return with("recorded_under_way", "Yes: run {run} is {state}.")
}

// mostInformative returns the most informative of several runs.
func mostInformative(runs []job.Run) *job.Run {
	best := &runs[0]
	for i := range runs {
		if rankRun(&runs[i]) > rankRun(best) {
			best = &runs[i]
		}
	}
	return best
}

// rankRun orders runs of one slot by the information they give: a success first, then running
// or attempted runs, then those of the schedule.
func rankRun(r *job.Run) int {
	n := 0
	switch {
	case r.State == job.Succeeded:
		n = 8
	case !r.State.Final():
		n = 6
	case r.Tries > 0:
		n = 4
	case r.State != job.Skipped:
		n = 2
	}
	if r.Cause == job.CauseSchedule || r.Cause == job.CauseMisfire {
		n++
	}
	return n
}
