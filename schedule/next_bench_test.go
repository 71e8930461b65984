package schedule

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/schedule/calendar"
)

// BenchmarkSample asks every expression of the sample, in its zones, for 64
// firings, one after another; an operation is all of them. mean-ns is what an
// answer costs, and worst-ns what it costs with the dearest expression, whose name
// is logged.
func BenchmarkSample(b *testing.B) {
	var crons []*Cron
	for _, tc := range readTruth(b).Cases {
		for zone := range tc.Next {
			crons = append(crons, mustParse(b, tc.Expr, zone))
		}
	}
	const answers = 64 // for each look at the clock
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	spent := make([]time.Duration, len(crons))
	rounds := 0
	b.ReportAllocs()
	for b.Loop() {
		rounds++
		for i, cron := range crons {
			began := time.Now()
			for at, n := start, 0; n < answers; n++ {
				next, ok := cron.Next(at)
				if at = next; !ok {
					at = start
				}
			}
			spent[i] += time.Since(began)
		}
	}
	worst, all := 0, time.Duration(0)
	for i, d := range spent {
		if all += d; d > spent[worst] {
			worst = i
		}
	}
	each := float64(rounds * answers)
	b.ReportMetric(float64(spent[worst])/each, "worst-ns")
	b.ReportMetric(float64(all)/each/float64(len(crons)), "mean-ns")
	b.Logf("the dearest is %q in %s", crons[worst], crons[worst].zone)
}

// BenchmarkNeverFiring finds out the nastiest expressions that never fire.
func BenchmarkNeverFiring(b *testing.B) {
	for i, tc := range neverFiring {
		b.Run(fmt.Sprintf("%02d", i)+"/"+strings.ReplaceAll(tc.expr, " ", "_"), func(b *testing.B) {
			cron, err := ParseCronWith(tc.expr, CronOptions{Zone: mustZone(b, tc.zone)})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if at, ok := cron.Next(time.Time{}); ok {
					b.Fatalf("%q fires at %s", cron, at)
				}
			}
		})
	}
}

// BenchmarkNextWithCalendars finds the firings of a job on days that calendars
// allow: two of them, with 400 days and the weekends.
func BenchmarkNextWithCalendars(b *testing.B) {
	weekends := calendar.Rules{Weekdays: []calendar.Weekday{calendar.Weekday(time.Saturday), calendar.Weekday(time.Sunday)}}
	holidays := calendar.Rules{Yearly: []calendar.Yearly{{Rule: "12-25"}, {Rule: "easter-2"}, {Rule: "11-THU#4"}}}
	at := time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC)
	for i := range 400 {
		holidays.Dates = append(holidays.Dates, calendar.Day{Date: calendar.DateOf(at.AddDate(0, 0, 9*i))})
	}
	compiled := map[string]*calendar.Calendar{}
	for key, rules := range map[string]calendar.Rules{"holidays": holidays, "weekends": weekends} {
		c, err := rules.Compile()
		if err != nil {
			b.Fatal(err)
		}
		compiled[key] = c
	}
	for _, excluded := range []Excluded{ExcludedSkip, ExcludedShift} {
		for _, zone := range []string{"UTC", "America/New_York"} {
			b.Run(string(excluded)+"/"+zone, func(b *testing.B) {
				spec := Spec{
					Kind: KindCron, Cron: "0 30 8 * * ?", Zone: zone, Calendars: []string{"weekends", "holidays"}, Excluded: excluded,
					Jitter: time.Minute, Seed: 7,
				}
				s, err := spec.CompileWith(func(key string) *calendar.Calendar { return compiled[key] })
				if err != nil {
					b.Fatal(err)
				}
				start := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
				at := start
				b.ReportAllocs()
				for b.Loop() {
					next, ok := s.Next(at)
					if at = next; !ok || at.Year() > 2030 {
						at = start
					}
				}
			})
		}
	}
}

// BenchmarkClosedForEver finds out that two calendars have no day in common.
func BenchmarkClosedForEver(b *testing.B) {
	compiled := map[string]*calendar.Calendar{}
	for key, weekday := range map[string]time.Weekday{"mondays": time.Monday, "tuesdays": time.Tuesday} {
		c, err := calendar.Rules{Mode: calendar.ModeOnly, Weekdays: []calendar.Weekday{calendar.Weekday(weekday)}}.Compile()
		if err != nil {
			b.Fatal(err)
		}
		compiled[key] = c
	}
	for _, zone := range []string{"UTC", "America/New_York"} {
		b.Run(zone, func(b *testing.B) {
			spec := Spec{Kind: KindCron, Cron: "0 * * * * ?", Zone: zone, Calendars: []string{"mondays", "tuesdays"}}
			s, err := spec.CompileWith(func(key string) *calendar.Calendar { return compiled[key] })
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if at, ok := s.Next(time.Time{}); ok {
					b.Fatalf("it fires at %s", at)
				}
			}
		})
	}
}

// BenchmarkMillion finds the next firings of a million jobs with a thousand
// different schedules, from two goroutines, as a server does when it starts. An
// operation is all of them.
func BenchmarkMillion(b *testing.B) {
	const jobs, different, goroutines = 1_000_000, 1000, 2
	d, zones := dice{rand.New(rand.NewPCG(1, 1))}, strings.Fields(oddZones)
	crons := make([]*Cron, different)
	for i := range crons {
		cron, err := ParseCronWith(d.expression(1), CronOptions{Zone: mustZone(b, pickOf(d, zones...)), DST: d.rules()})
		if err != nil {
			b.Fatal(err)
		}
		crons[i] = cron
	}
	start := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	b.ReportAllocs()
	for b.Loop() {
		var group sync.WaitGroup
		for part := range goroutines {
			group.Go(func() {
				for job := part; job < jobs; job += goroutines {
					cron := crons[job%different]
					if next, ok := cron.Next(start.Add(time.Duration(job) * time.Millisecond)); ok && next.Before(start) {
						panic("a firing in the past")
					}
				}
			})
		}
		group.Wait()
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/million")
}
