package daemon

import (
	"slices"
	"testing"

	"github.com/orthd/orth/internal/holidays"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
	"github.com/orthd/orth/schedule/calendar"
)

// TestSamples: there is a sample for each kind of schedule, each can be saved,
// and none is hectic.
func TestSamples(t *testing.T) {
	t.Parallel()
	rules, ok := holidays.Load("cn", false)
	if !ok {
		t.Fatal("there is no holiday data of China")
	}
	holidays, err := rules.Compile()
	if err != nil {
		t.Fatal(err)
	}
	lookup := func(key string) *calendar.Calendar {
		if key != sampleCalendar {
			return nil
		}
		return holidays
	}
	var kinds []schedule.Kind
	for _, j := range samples() {
		kinds = append(kinds, j.Schedule.Kind)
		if err := job.CheckKey("key", j.Key); err != nil {
			t.Error(err)
		}
		if j.Title == "" || j.Handler.Kind == "" {
			t.Errorf("%s has no title or no handler", j.Key)
		}
		if j.Schedule.Kind == "" { // manual, as the server reads it
			continue
		}
		if err := j.Schedule.ValidateWith(lookup); err != nil {
			t.Errorf("%s: %v", j.Key, err)
		}
	}
	for _, kind := range []schedule.Kind{
		schedule.KindCron, schedule.KindEvery, schedule.KindAfter, schedule.KindDaily, schedule.KindOnce, schedule.KindSeveral, "",
	} {
		if !slices.Contains(kinds, kind) {
			t.Errorf("no sample shows the kind %q", kind)
		}
	}
}
