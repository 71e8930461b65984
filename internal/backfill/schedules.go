package backfill

import (
	"fmt"
	"slices"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
	"github.com/orthd/orth/schedule/calendar"
)

// schedules caches the compiled schedules of jobs, up to a limit. Then it starts empty
// again, which costs one compilation per job.
type schedules struct {
	limit int
	known map[int64]compiled // by job
}

// compiled is a schedule with what it was made from.
type compiled struct {
	version   int64
	calendars []edition
	schedule  schedule.Schedule
}

// edition is a calendar at a version.
type edition struct{ id, version int64 }

func newSchedules(limit int) *schedules {
	return &schedules{limit: limit, known: make(map[int64]compiled)}
}

// scheduleOf returns the schedule of the work's job. The refusal is why it names no slots and what
// to do; it is empty when it does.
func (s *schedules) scheduleOf(w *Work) (found schedule.Schedule, refusal string) {
	editions := make([]edition, len(w.Calendars))
	for i := range w.Calendars {
		editions[i] = edition{w.Calendars[i].ID, w.Calendars[i].Version}
	}
	if c, ok := s.known[w.Job.ID]; ok && c.version == w.Job.Version && slices.Equal(c.calendars, editions) {
		return c.schedule, ""
	}
	found, refusal = compile(w)
	if refusal != "" {
		return nil, refusal
	}
	if len(s.known) >= s.limit {
		clear(s.known)
	}
	s.known[w.Job.ID] = compiled{w.Job.Version, editions, found}
	return found, ""
}

func compile(w *Work) (found schedule.Schedule, refusal string) {
	spec := &w.Job.Schedule
	if spec.Kind == schedule.KindManual || spec.Kind == schedule.KindAfter {
		return nil, fmt.Sprintf("the job's schedule is now of the kind %s, which names no slots; %s", spec.Kind,
			continueHint(&w.Backfill, "give the job a schedule of another kind"))
	}
	var broken error // the first calendar that cannot be read
	found, err := spec.CompileWith(func(key string) *calendar.Calendar {
		i := slices.IndexFunc(w.Calendars, func(c job.Calendar) bool { return c.Key == key })
		if i < 0 {
			return nil
		}
		made, err := w.Calendars[i].Rules.Compile()
		if err != nil {
			if broken == nil {
				broken = fmt.Errorf("calendar %s: %w", key, err)
			}
			return nil
		}
		return made
	})
	if broken != nil {
		err = broken
	}
	if err != nil {
		return nil, fmt.Sprintf("the job's schedule cannot be followed: %v; %s", err, continueHint(&w.Backfill, "put it right"))
	}
	return found, ""
}

// continueHint describes how to run the remaining slots.
func continueHint(b *job.Backfill, first string) string {
	text := first + " and make a new backfill"
	if b.Cursor.IsZero() {
		return text
	}
	return text + " for the slots after " + b.Cursor.UTC().Format(time.RFC3339)
}
