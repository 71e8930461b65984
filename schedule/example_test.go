package schedule_test

import (
	"fmt"
	"time"

	"github.com/orthd/orth/schedule"
	"github.com/orthd/orth/schedule/calendar"
)

func ExampleSpec_Compile() {
	spec := schedule.Spec{Kind: schedule.KindCron, Cron: "0 30 8 ? * MON-FRI", Zone: "Europe/Berlin"}
	if err := spec.Validate(); err != nil {
		fmt.Println(err)
		return
	}
	s, err := spec.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	at := time.Date(2026, 3, 26, 12, 0, 0, 0, time.UTC)
	for range 3 {
		at, _ = s.Next(at)
		fmt.Println(at.Format(time.RFC3339))
	}
	// Output:
	// 2026-03-27T07:30:00Z
	// 2026-03-30T06:30:00Z
	// 2026-03-31T06:30:00Z
}

func ExampleParseCron() {
	_, err := schedule.ParseCron("0 0 24 * * ?", time.UTC)
	fmt.Println(err)

	cron, _ := schedule.ParseCron("0 0 12 ? * MON-FRI/2", time.UTC)
	fmt.Println(cron.Warnings()[0])
	// Output:
	// hour (column 5): 24 is out of range; allowed are 0-23, *, lists, ranges and steps
	// day-of-week (column 19): "/2" is ignored
}

func ExampleDecide() {
	noon := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	hourly, _ := schedule.ParseCron("0 0 * * * ?", time.UTC)
	decision := schedule.Decide(schedule.Input{
		Policy:   schedule.MisfireFireOnce,
		Schedule: hourly,
		Next:     noon.Add(-3 * time.Hour), // the server was away since
		Now:      noon,
		Until:    noon,
		Limit:    100,
	})
	fmt.Println("on time:", len(decision.Fire))
	fmt.Println("made up for:", decision.Missed[0].Format(time.TimeOnly))
	fmt.Println("let go:", len(decision.Skipped))
	// Output:
	// on time: 1
	// made up for: 11:00:00
	// let go: 2
}

// On 8 March 2026 the clock of New York jumps from 02:00 to 03:00.
func ExampleParseCronWith() {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, rules := range []schedule.DST{schedule.Quartz(), schedule.Wall(), {Gap: schedule.GapBefore}} {
		cron, err := schedule.ParseCronWith("30 2 * * *", schedule.CronOptions{Zone: zone, DST: rules})
		if err != nil {
			fmt.Println(err)
			return
		}
		at, _ := cron.Next(time.Date(2026, 3, 8, 0, 0, 0, 0, zone))
		fmt.Println(at.In(zone))
	}
	// Output:
	// 2026-03-09 02:30:00 -0400 EDT
	// 2026-03-08 03:00:00 -0400 EDT
	// 2026-03-08 01:59:59 -0500 EST
}

func ExampleCron_Prev() {
	cron, _ := schedule.ParseCronWith("0 12 * * 1-5", schedule.CronOptions{})
	monday := time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC)
	last, _ := cron.Prev(monday)
	fmt.Println(last.Format(time.RFC850))
	n, more := cron.Count(monday, monday.AddDate(0, 1, 0), 100)
	fmt.Println(n, more)
	// Output:
	// Friday, 01-May-26 12:00:00 UTC
	// 23 false
}

func ExampleBetween() {
	s, _ := schedule.Spec{Kind: schedule.KindCron, Cron: "@every 8h"}.Compile()
	day := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	for _, at := range schedule.Between(s, day, day.AddDate(0, 0, 1), 10) {
		fmt.Println(at.Format(time.TimeOnly))
	}
	// Output:
	// 00:00:00
	// 08:00:00
	// 16:00:00
}

func ExampleParseDaily() {
	d, err := schedule.ParseDaily("9:00 – 18:00 mon-fri every 90m")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d)

	_, err = schedule.ParseDaily("09:00-10:00 every 2h")
	fmt.Println(err)
	// Output:
	// 09:00-18:00 MON-FRI every 1h30m
	// column 19: the period 2h is longer than the window of 1h; shorten it, or for one firing a day use cron
}

func ExamplePreview() {
	weekends := calendar.Rules{Weekdays: []calendar.Weekday{calendar.Weekday(time.Saturday), calendar.Weekday(time.Sunday)}}
	closed, err := weekends.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	spec := schedule.Spec{Kind: schedule.KindCron, Cron: "@daily", Calendars: []string{"weekends"}}
	s, err := spec.CompileWith(func(string) *calendar.Calendar { return closed })
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, slot := range schedule.Preview(s, time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC), 3) {
		fmt.Println(slot.At.Format(time.DateOnly), slot.Dropped, slot.Day)
	}
	// Output:
	// 2026-05-02 true Saturday
	// 2026-05-03 true Sunday
	// 2026-05-04 false
}
