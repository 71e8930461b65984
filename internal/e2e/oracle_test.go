package e2e

import (
	"fmt"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/schedule"
)

// rhythm is a schedule and, told apart from it, the seconds at which it is due: an
// oracle that looks at each second and knows no cron.
type rhythm struct {
	cron  string
	zone  string
	due   func(at time.Time) bool
	every time.Duration // a fixed rate, in place of the other three
}

// schedule returns the rhythm between two instants, the first of them on its grid.
func (r *rhythm) schedule(from, to time.Time) api.Schedule {
	s := api.Schedule{Start: api.At(from), End: api.At(to)}
	if r.every > 0 {
		s.Kind, s.Every, s.Anchor = schedule.KindEvery, api.Duration(r.every), api.At(from)
		return s
	}
	s.Kind, s.Cron, s.Zone = schedule.KindCron, r.cron, r.zone
	return s
}

// slots returns the instants from the first on and before the last at which it is
// due. from is a whole second.
func (r *rhythm) slots(from, to time.Time) []time.Time {
	var slots []time.Time
	step := max(r.every, 0)
	if step == 0 {
		step = time.Second
	}
	for at := from; at.Before(to); at = at.Add(step) {
		if r.every > 0 || r.due(at) {
			slots = append(slots, at)
		}
	}
	return slots
}

// rhythms returns schedules of about one firing in a second each, written in many
// ways.
func rhythms() []rhythm {
	shanghai := time.FixedZone("", 8*60*60)
	always := func(time.Time) bool { return true }
	every := func(n, rest int) func(time.Time) bool {
		return func(at time.Time) bool { return at.Second()%n == rest }
	}
	return []rhythm{
		{cron: "* * * * * ?", due: always},
		{cron: "* * * ? * MON-SUN", due: always},
		{cron: "*/1 * * * * ? *", due: always},
		{cron: "0/2 * * * * ?", due: every(2, 0)},
		{cron: "1/2 * * ? * *", due: every(2, 1)},
		{cron: "*/3 * * * * ?", due: every(3, 0)},
		{cron: "2-59/5 * * * * ?", due: every(5, 2)},
		{cron: "0-29 * * * * ?", due: func(at time.Time) bool { return at.Second() < 30 }},
		{cron: "30-59 * * * * ?", due: func(at time.Time) bool { return at.Second() >= 30 }},
		{cron: "5,10,17,23,31,44,58 * * * * ?", due: func(at time.Time) bool {
			switch at.Second() {
			case 5, 10, 17, 23, 31, 44, 58:
				return true
			}
			return false
		}},
		{cron: "* 0/2 * * * ?", due: func(at time.Time) bool { return at.Minute()%2 == 0 }},
		{cron: "* 1/2 * * * ?", due: func(at time.Time) bool { return at.Minute()%2 == 1 }},
		{cron: "* * 0-11 * * ?", zone: "Asia/Shanghai", due: func(at time.Time) bool { return at.In(shanghai).Hour() < 12 }},
		{cron: "* * 12-23 * * ?", zone: "Asia/Shanghai", due: func(at time.Time) bool { return at.In(shanghai).Hour() >= 12 }},
		{cron: "* * * * *", due: func(at time.Time) bool { return at.Second() == 0 }},
	}
}

// String returns the rhythm as it stands in a schedule.
func (r *rhythm) String() string {
	if r.every > 0 {
		return "every " + r.every.String()
	}
	return fmt.Sprintf("%q", r.cron)
}
