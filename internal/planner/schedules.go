package planner

import "github.com/orthd/orth/schedule"

// schedules caches compiled schedules by job and version, up to a limit. Then it starts
// empty again, which costs one compilation per job. Those that name calendars are valid for
// one epoch of the rules.
type schedules struct {
	limit int
	known map[int64]compiled
}

type compiled struct {
	version  int64
	epoch    int64 // 0 when the schedule names no calendar
	schedule schedule.Schedule
}

func newSchedules(limit int) *schedules {
	return &schedules{limit: limit, known: make(map[int64]compiled)}
}

func (s *schedules) scheduleOf(d *Due, r *rules) (schedule.Schedule, error) {
	c, ok := s.known[d.JobID]
	if ok && c.version == d.Version && (c.epoch == 0 || c.epoch == r.epoch) {
		return c.schedule, nil
	}
	sched, err := d.Schedule.CompileWith(r.calendarsOf(d.Namespace))
	if err != nil {
		return nil, err
	}
	if len(s.known) >= s.limit {
		clear(s.known)
	}
	c = compiled{version: d.Version, schedule: sched}
	if namesCalendars(&d.Schedule) {
		c.epoch = r.epoch
	}
	s.known[d.JobID] = c
	return sched, nil
}

// namesCalendars reports whether the firings of a schedule depend on calendars.
func namesCalendars(s *schedule.Spec) bool {
	if len(s.Calendars) > 0 {
		return true
	}
	for i := range s.Of {
		if namesCalendars(&s.Of[i]) {
			return true
		}
	}
	return false
}
