package planner

import "github.com/orthd/orth/schedule"

// schedules remembers compiled schedules by job and version, up to a limit;
// then it starts anew, which costs one compilation per job.
type schedules struct {
	limit int
	known map[int64]compiled
}

type compiled struct {
	version  int64
	schedule schedule.Schedule
}

func newSchedules(limit int) *schedules {
	return &schedules{limit: limit, known: make(map[int64]compiled)}
}

func (s *schedules) of(d Due) (schedule.Schedule, error) {
	if c, ok := s.known[d.JobID]; ok && c.version == d.Version {
		return c.schedule, nil
	}
	sched, err := d.Schedule.Compile()
	if err != nil {
		return nil, err
	}
	if len(s.known) >= s.limit {
		clear(s.known)
	}
	s.known[d.JobID] = compiled{d.Version, sched}
	return sched, nil
}
