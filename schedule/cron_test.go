package schedule

import (
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The vectors were taken from a running installation of the family.
func TestNextVectors(t *testing.T) {
	t.Parallel()
	const newYork = "America/New_York"
	tests := []struct{ zone, expr, after, want string }{
		{"", "0/20 * * * * ?", "2024-01-01T00:00:05", "2024-01-01T00:00:20 2024-01-01T00:00:40 2024-01-01T00:01:00"},
		{"", "*/7 * * * * ?", "2024-01-01T00:00:50", "2024-01-01T00:00:56 2024-01-01T00:01:00 2024-01-01T00:01:07"},
		{"", "0 5/15 * * * ?", "2024-01-01", "2024-01-01T00:05 2024-01-01T00:20 2024-01-01T00:35 2024-01-01T00:50"},
		{"", "0 0 10-14/2 * * ?", "2024-01-01", "2024-01-01T10 2024-01-01T12 2024-01-01T14 2024-01-02T10"},
		{"", "0 0 22-2 * * ?", "2024-01-01T21", "2024-01-01T22 2024-01-01T23 2024-01-02T00 2024-01-02T01 2024-01-02T02 2024-01-02T22"},
		{"", "0 0 12 L * ?", "2024-02-01", "2024-02-29T12 2024-03-31T12 2024-04-30T12 2024-05-31T12"},
		{"", "0 0 12 L-3 * ?", "2024-04-01", "2024-04-27T12 2024-05-28T12 2024-06-27T12 2024-07-28T12"},
		{"", "0 0 12 LW * ?", "2024-03-01", "2024-03-29T12 2024-04-30T12 2024-05-31T12 2024-06-28T12"},
		{"", "0 0 12 L-2W * ?", "2024-03-01", "2024-03-29T12 2024-04-29T12 2024-05-29T12 2024-06-28T12"},
		{"", "0 0 12 15W * ?", "2024-06-01", "2024-06-14T12 2024-07-15T12 2024-08-15T12 2024-09-16T12"},
		{"", "0 0 12 1W * ?", "2024-06-01", "2024-06-03T12 2024-07-01T12 2024-08-01T12 2024-09-02T12"},
		{"", "0 0 12 31W * ?", "2024-03-01", "2024-03-29T12 2024-05-31T12 2024-07-31T12 2024-08-30T12"},
		{"", "0 0 12 1,15W * ?", "2024-06-01", "2024-06-01T12 2024-06-14T12 2024-07-01T12 2024-07-15T12"},
		{"", "0 0 12 L,15 * ?", "2024-02-01", "2024-02-15T12 2024-02-29T12 2024-03-15T12 2024-03-31T12"},
		{"", "0 0 12 ? * 6L", "2024-01-01", "2024-01-26T12 2024-02-23T12 2024-03-29T12 2024-04-26T12"},
		{"", "0 0 12 ? * FRIL", "2024-01-01", "2024-01-26T12 2024-02-23T12 2024-03-29T12 2024-04-26T12"},
		{"", "0 0 12 ? * L", "2024-01-01", "2024-01-06T12 2024-01-13T12 2024-01-20T12"},
		{"", "0 0 12 ? * 6#3", "2024-01-01", "2024-01-19T12 2024-02-16T12 2024-03-15T12 2024-04-19T12"},
		{"", "0 0 12 ? * FRI#5", "2024-01-01", "2024-03-29T12 2024-05-31T12 2024-08-30T12 2024-11-29T12"},
		{"", "0 0 12 ? * MON-FRI", "2024-01-05T13", "2024-01-08T12 2024-01-09T12 2024-01-10T12"},
		{"", "0 15 10 ? * SAT-SUN", "2024-01-05T11", "2024-01-06T10:15 2024-01-07T10:15 2024-01-13T10:15 2024-01-14T10:15"},
		{"", "0 0 0 ? NOV-FEB SAT", "2024-02-20", "2024-02-24 2024-11-02 2024-11-09"},
		{"", "0 0 12 5C * ?", "2024-01-01", "2024-01-05T12 2024-02-05T12 2024-03-05T12"},
		{"", "0 0 12 ? * 1C", "2024-01-01", "2024-01-07T12 2024-01-14T12"},
		{"", "0 0 12 /5 * ?", "2024-01-01", "2024-01-01T12 2024-01-06T12 2024-01-11T12"},
		{"", "0 0 12 1-5,10,20-31/5 * ?", "2024-01-01", "2024-01-01T12 2024-01-02T12 2024-01-03T12 2024-01-04T12 2024-01-05T12 2024-01-10T12 2024-01-20T12 2024-01-25T12"},
		{"", "0 0 12 3-1 * ?", "2024-01-01", "2024-01-01T12 2024-01-03T12 2024-01-04T12"},
		{"", "0 0 12 31 * ?", "2024-01-31T13", "2024-03-31T12 2024-05-31T12 2024-07-31T12"},
		{"", "0 0 12 29 2 ?", "2024-03-01", "2028-02-29T12 2032-02-29T12 2036-02-29T12"},
		{"", "0 0 12 30 2 ?", "2024-01-01", "none"},
		{"", "0 0 12 * * ? 2020", "2024-01-01", "none"},
		{"", "0 0 12 * * ? 2200", "2024-01-01", "none"},
		{"", "0 0 12 * * ? 2024-2026/2", "2024-12-30T13", "2024-12-31T12 2026-01-01T12"},
		{"", "0 0 0 1 1 ? */2", "2024-01-02", "2026-01-01 2028-01-01 2030-01-01"},
		{"", "0 0 12 ?? * MON", "2024-01-01", "2024-01-01T12 2024-01-08T12"},
		{newYork, "0 0 2 * * ?", "2024-03-09T12", "2024-03-11T02"},
		{newYork, "0 30 1 * * ?", "2024-11-02T12", "2024-11-03T06:30Z"},
		{newYork, "0 0/30 * * * ?", "2024-11-03T00:15", "2024-11-03T04:30Z 2024-11-03T06:00Z 2024-11-03T06:30Z"},
		{newYork, "0 0/30 * * * ?", "2024-03-10T01:15", "2024-03-10T06:30Z 2024-03-10T07:00Z 2024-03-10T07:30Z"},

		// A moved workday keeps its later times, whatever the start, and the
		// past does not fire again.
		{"", "0 0 8,20 15W * ?", "2026-02-16T08", "2026-02-16T20 2026-03-16T08"},
		{"", "0 0 8,20 15W * ?", "2026-02-13T15", "2026-02-16T08 2026-02-16T20"},
		{"", "0 30 8,12 L-3W 5 ?", "2028-05-29T08:30", "2028-05-29T12:30 2029-05-28T08:30"},
		{"", "0 0 12 15W,LW * ?", "2026-02-16T12", "2026-02-27T12 2026-03-16T12"},

		// A start inside the first pass of a repeated hour: what fires is a
		// matter of the clock, not of the start.
		{newYork, "0 0/30 * * * ?", "2024-11-03T05:10Z", "2024-11-03T06:00Z 2024-11-03T06:30Z 2024-11-03T07:00Z"},
		{newYork, "0 15 1 * * ?", "2024-11-03T05:59Z", "2024-11-03T06:15Z 2024-11-04T06:15Z"},
		// Half an hour is repeated, and half an hour is jumped over.
		{"Australia/Lord_Howe", "0 0/15 1 * * ?", "2026-04-05T01:10", "2026-04-05T01:15 2026-04-04T15:00Z 2026-04-04T15:15Z 2026-04-06T01:00"},
		{"Australia/Lord_Howe", "0 0/15 2 * * ?", "2026-10-04T01:00", "2026-10-03T15:30Z 2026-10-03T15:45Z 2026-10-05T02"},
		// Midnight does not exist, and 23:00-24:00 comes twice.
		{"America/Sao_Paulo", "0 0 0 * * ?", "2018-11-03T12", "2018-11-05"},
		{"America/Sao_Paulo", "0 30 23 * * ?", "2019-02-16T12", "2019-02-17T02:30Z 2019-02-17T23:30"},
		{"Asia/Beirut", "0 0 0 * * ?", "2026-03-28T12", "2026-03-30"},
		// A whole day does not exist.
		{"Pacific/Apia", "0 0 12 * * ?", "2011-12-29T00", "2011-12-29T12 2011-12-31T12"},
		// Beyond the table of the zone, at the end of a leap year.
		{newYork, "0 0 12 * * ?", "2040-12-29T13", "2040-12-30T12 2040-12-31T12 2041-01-01T12"},
		{newYork, "59 59 23 * * ?", "2040-12-30T12", "2040-12-30T23:59:59 2040-12-31T23:59:59"},
		{newYork, "* * * * * ?", "2040-12-30T18:59:59", "2040-12-30T19:00:00 2040-12-30T19:00:01"},
		{newYork, "* * * * * ?", "2040-12-31T18:59:59", "2040-12-31T19:00:00 2040-12-31T19:00:01"},
		{newYork, "0 0 0 31 12 ? 2040", "2040-01-01", "2040-12-31"},
		// A day that the clock jumps over in one year and not in the next.
		{newYork, "0 15 2 8 3 ?", "2025-01-01", "2025-03-08T02:15 2027-03-08T02:15"},
		// The last second of all.
		{"", "59 59 23 31 12 ?", "2125-12-31T23:59:59", "2126-12-31T23:59:59"},
		{newYork, "0 0 23 * * ?", "2126-12-30T23", "2127-01-01T04:00Z"},
		{"Asia/Shanghai", "0 0 0 1 1 ? 1970", "0001-01-01", "1969-12-31T16:00Z"},
	}
	for _, tc := range tests {
		t.Run(tc.expr+" "+tc.zone, func(t *testing.T) {
			t.Parallel()
			cron := mustParse(t, tc.expr, tc.zone)
			var want []time.Time
			if tc.want != "none" {
				for text := range strings.FieldsSeq(tc.want) {
					want = append(want, instant(t, text, cron.zone).UTC())
				}
			}
			got := firings(cron, instant(t, tc.after, cron.zone), max(len(want), 1))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("after %s (-want +got):\n%s", tc.after, diff)
			}
		})
	}
}

// instant reads an instant as a wall time of any length in a zone, or with a Z.
func instant(t *testing.T, text string, zone *time.Location) time.Time {
	t.Helper()
	layouts := []string{"2006-01-02", "2006-01-02T15", "2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00"}
	for _, layout := range layouts {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil {
			return at
		}
	}
	t.Fatalf("%q is not an instant", text)
	return time.Time{}
}

func TestNextAtTheEndsOfTime(t *testing.T) {
	t.Parallel()
	ends := []time.Time{
		{}, time.Unix(math.MinInt64, 0), time.Unix(-1<<40, 0), time.Unix(-1, 999), time.Unix(0, 0), time.Unix(1<<33, 0), time.Unix(1<<60, 0),
	}
	for _, expr := range []string{"* * * * * ?", "0 0 0 1 1 ?", "0 0 0 30 2 ?", "59 59 23 31 12 ? 2126", "0 0 0 1 1 ? 1970"} {
		for _, zone := range []string{"", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Africa/Casablanca"} {
			cron := mustParse(t, expr, zone)
			for _, end := range ends {
				next, ok := cron.Next(end)
				if expr == "* * * * * ?" && ok != end.Before(time.Unix(lastWall, 0)) {
					t.Errorf("%q in %q: Next(%s) = %s, %t", expr, zone, end, next, ok)
				}
				if ok && !next.After(end) {
					t.Errorf("%q in %q: Next(%s) = %s", expr, zone, end, next)
				}
				if year := next.In(cron.zone).Year(); ok && (year < MinYear || year > MaxYear) {
					t.Errorf("%q in %q: Next(%s) = %s, out of the years", expr, zone, end, next)
				}
			}
		}
	}
}

// Nothing ever fires here, and each answer has to look at every year.
func TestNextGivesUpQuickly(t *testing.T) {
	t.Parallel()
	tests := []struct{ zone, expr string }{
		{"", "* * * 31 2,4,6,9,11 ?"},
		{"", "* * * L-30 2,4,6,9,11 ?"},
		{"Africa/Casablanca", "* * * 30,31,L-29W,L-30W 2 ?"},
		{"Europe/London", "0 30 1 ? 3 1L 2000-2126"},
		{"America/New_York", "* 0-59 2 ? 3 1#2 2007-2126"},
		{"Australia/Lord_Howe", "* 0-29 2 ? 10 1#1 2009-2126"},
	}
	for _, tc := range tests {
		cron := mustParse(t, tc.expr, tc.zone)
		took := quickest(func() {
			if next, ok := cron.Next(time.Time{}); ok {
				t.Errorf("%q in %q fires at %s", tc.expr, tc.zone, next)
			}
		})
		if took > 50*time.Millisecond {
			t.Errorf("%q in %q: the answer took %s", tc.expr, tc.zone, took)
		}
	}
}

// quickest returns the least of a few times that f costs, so that a busy machine is
// not taken for a slow f.
func quickest(f func()) time.Duration {
	if underRace { // everything is ten times slower
		f()
		return 0
	}
	best := time.Hour
	for range 5 {
		best = min(best, cost(f))
	}
	return best
}

func TestNextAllocatesNothing(t *testing.T) {
	cron := mustParse(t, "0 0/5 14,18 LW * ?", "America/New_York")
	at := time.Date(2026, 10, 31, 0, 0, 0, 0, time.UTC)
	if n := testing.AllocsPerRun(100, func() { at, _ = cron.Next(at) }); n != 0 {
		t.Errorf("Next makes %v allocations, want 0", n)
	}
}

func TestCronIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	cron := mustParse(t, "0 0 12 ? * MON/2", "Europe/London")
	want := firings(cron, noon, 50)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			cron.Warnings()[0] = "spoilt"
			if diff := cmp.Diff(want, firings(cron, noon, 50)); diff != "" {
				t.Errorf("another goroutine sees other firings:\n%s", diff)
			}
		})
	}
	group.Wait()
	if got := cron.Warnings()[0]; got == "spoilt" {
		t.Error("Warnings shares its slice")
	}
}

func BenchmarkNext(b *testing.B) {
	benchmarks := []struct{ name, zone, expr string }{
		{"second", "UTC", "* * * * * ?"},
		{"five-minutes", "UTC", "0 */5 * * * ?"},
		{"daily", "UTC", "0 0 12 * * ?"},
		{"daily-new-york", "America/New_York", "0 0 12 * * ?"},
		{"five-minutes-shanghai", "Asia/Shanghai", "0 */5 * * * ?"},
		{"workdays-london", "Europe/London", "0 30 8 ? * MON-FRI"},
		{"last-workday", "UTC", "0 0 12 LW * ?"},
		{"third-friday", "UTC", "0 15 10 ? * 6#3"},
		{"leap-day", "UTC", "0 0 0 29 2 ?"},
		{"never", "UTC", "0 0 0 30 2 ?"},
	}
	for _, bm := range benchmarks {
		b.Run(bm.name, func(b *testing.B) {
			cron := mustParse(b, bm.expr, bm.zone)
			start := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
			at := start
			b.ReportAllocs()
			for b.Loop() {
				next, ok := cron.Next(at)
				if at = next; !ok || at.Year() > 2030 {
					at = start
				}
			}
		})
	}
}

func BenchmarkParseCron(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseCron("0 0/5 14,18 ? JAN-MAR MON-FRI 2026-2030", time.UTC); err != nil {
			b.Fatal(err)
		}
	}
}
