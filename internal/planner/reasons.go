package planner

import (
	"fmt"
	"time"

	"github.com/orthd/orth/schedule"
)

// reasons writes the reasons for firings of one job that were not on time.
type reasons struct {
	job  *Due
	held string // the pause that held it; empty for none
	asOf time.Time
}

func (s *situation) reasons() reasons {
	r := reasons{job: s.job, asOf: s.asOf}
	if s.job.HeldBy == "" {
		return r
	}
	r.held = "held by pause " + s.job.HeldBy
	for _, p := range s.pauses {
		if p.key == s.job.HeldBy && p.reason != "" {
			r.held += " (" + p.reason + ")"
		}
	}
	return r
}

// onTime is for a firing that was held back so briefly that it is not missed; empty for one
// that was not held.
func (r *reasons) onTime(at time.Time) string {
	if at.Before(r.asOf) {
		return r.held
	}
	return ""
}

// madeUp is for a missed firing that gets a run.
func (r *reasons) madeUp(at time.Time) string {
	late := r.held
	if late == "" {
		late = "missed by " + r.asOf.Sub(at).Round(time.Second).String()
	}
	return fmt.Sprintf("%s; misfire policy %s", late, r.job.Misfire)
}

// letGo is for a missed firing without a run; made is how many get one.
func (r *reasons) letGo(at time.Time, made int) string {
	return fmt.Sprintf("the firing of %s was %s; misfire policy %s let it go%s", stamp(at), r.what(), r.job.Misfire, r.why(at, made))
}

// letGoMany is for several such firings.
func (r *reasons) letGoMany(s schedule.Stretch, made int) string {
	if s.Count == 1 {
		return r.letGo(s.First, made)
	}
	return fmt.Sprintf("%s firings from %s to %s were %s; misfire policy %s let them go%s",
		number(s), stamp(s.First), stamp(s.Last), r.what(), r.job.Misfire, r.why(s.Last, made))
}

func (r *reasons) what() string {
	if r.held != "" {
		return r.held
	}
	return "missed"
}

// why explains why a missed firing gets no run although the policy makes up for some.
func (r *reasons) why(at time.Time, made int) string {
	window := r.job.Limits.Window
	switch {
	case r.job.Misfire == schedule.MisfireFireAll && window > 0 && at.Before(r.asOf.Add(-window)):
		return fmt.Sprintf(": it makes up for those of the last %s", window)
	case made == 0:
		return ""
	case made == 1:
		return ": it makes up for the newest only"
	}
	return fmt.Sprintf(": it makes up for the newest %d", made)
}

// dropped is for a firing that a calendar excludes.
func dropped(slot schedule.Slot) string {
	day := ""
	if slot.Day != "" {
		day = ", " + slot.Day
	}
	return fmt.Sprintf("calendar %s does not allow the day%s", slot.Calendar, day)
}

// droppedMany is for several such firings.
func droppedMany(s schedule.Stretch) string {
	return fmt.Sprintf("calendars do not allow the days of %s firings from %s to %s", number(s), stamp(s.First), stamp(s.Last))
}

func number(s schedule.Stretch) string {
	if s.Truncated {
		return fmt.Sprintf("more than %d", s.Count)
	}
	return fmt.Sprint(s.Count)
}

// spent and over explain why a job has no further firing.
func spent(count int) string {
	if count == 1 {
		return "its schedule has made its one run"
	}
	return fmt.Sprintf("its schedule has made its %d runs", count)
}

const over = "its schedule has no further firing"

func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }
