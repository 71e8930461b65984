package thread

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestCron(t *testing.T) {
	for _, c := range []struct{ expression, after, want string }{
		{"0 0 12 * * ?", "2026-03-01T12:00:00Z", "2026-03-02T12:00:00Z"},
		{"*/15 * * * * *", "2026-03-01T12:00:01Z", "2026-03-01T12:00:15Z"},
		{"50/5 * * * * *", "2026-03-01T12:00:55Z", "2026-03-01T12:01:50Z"},
		{"0 30 8-10,20 * * *", "2026-03-01T10:30:00Z", "2026-03-01T20:30:00Z"},
		{"0 0 0 1 JAN *", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"},
		{"0 0 0 13 * FRI", "2026-03-14T00:00:00Z", "2026-11-13T00:00:00Z"}, // both fields of days
		{"0 0 0 * * 1", "2026-11-22T00:00:00Z", "2026-11-29T00:00:00Z"},    // 1 is Sunday
		{"0 0 0 * * monday-Wed", "2026-11-22T00:00:00Z", "2026-11-23T00:00:00Z"},
		{"0 0 0 29 2 *", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z"},
		{"0 0 0 1 1 * 2030-2040/5", "2030-01-01T00:00:00Z", "2035-01-01T00:00:00Z"},
		{"59 59 23 31 12 *", "2026-12-31T23:59:58.5Z", "2026-12-31T23:59:59Z"},
		{"@hourly", "2026-03-01T12:00:00Z", "2026-03-01T13:00:00Z"},
		{"@daily", "2026-03-01T12:00:00Z", "2026-03-02T00:00:00Z"},
		{" @Weekly ", "2026-11-22T00:00:00Z", "2026-11-29T00:00:00Z"},
		{"@monthly", "2026-03-01T00:00:00Z", "2026-04-01T00:00:00Z"},
		{"@yearly", "2026-03-01T00:00:00Z", "2027-01-01T00:00:00Z"},
		{"0 0 0 * * *", "1900-01-01T00:00:00Z", "1970-01-01T00:00:00Z"},
		{"0 0 0 30 2 *", "2026-01-01T00:00:00Z", ""},
		{"0 0 0 1 1 * 2020", "2026-01-01T00:00:00Z", ""},
		{"* * * * * *", "2100-12-31T23:59:59Z", ""},
	} {
		cron, err := ParseCron(c.expression)
		if err != nil {
			t.Errorf("%s: %v", c.expression, err)
			continue
		}
		after, err := time.Parse(time.RFC3339, c.after)
		if err != nil {
			t.Fatal(err)
		}
		got, found := cron.After(after)
		if shown := got.Format(time.RFC3339); found != (c.want != "") || found && shown != c.want {
			t.Errorf("%s after %s: %s, %v, want %s", c.expression, c.after, shown, found, c.want)
		}
	}
}

func TestCronRefuses(t *testing.T) {
	for _, expression := range []string{
		"", "* * * * *", "* * * * * * * *", "60 * * * * *", "* 60 * * * *", "* * 24 * * *", "* * * 0 * *", "* * * 32 * *", "* * * * 13 *",
		"* * * * * 0", "* * * * * 8", "* * * * * * 1969", "* * * * * * 2101", "? * * * * *", "*/0 * * * * *", "*/-1 * * * * *", "5-1 * * * * *",
		"1- * * * * *", ", * * * * *", "* * * * JANU *", "* * * * * FRIEND", "@every", "* * * L * *", "* * * * * 6#3", "a * * * * *",
	} {
		if _, err := ParseCron(expression); !errors.Is(err, ErrCron) {
			t.Errorf("%q: %v", expression, err)
		}
	}
	if _, err := ParseCron("0 0 0 " + string(make([]byte, longestCron)) + " * *"); !errors.Is(err, ErrCron) {
		t.Error("an expression without end is read")
	}
	if cron, err := ParseCron("7/9223372036854775807 * * * * *"); err != nil || cron.second != 1<<7 {
		t.Errorf("a step that goes beyond all: %v", err)
	}
}

// Second for second nothing lies between a time and the next.
func TestCronSkipsNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pick := func(label string, of ...string) string { return rapid.SampledFrom(of).Draw(t, label) }
		expression := pick("second", "*", "0", "*/7", "3,50-59") + " " + pick("minute", "*", "*/20", "59", "1-3") + " " +
			pick("hour", "*", "0", "23", "5-7") + " " + pick("date", "*", "31", "1-7", "29") + " " +
			pick("month", "*", "2", "JAN-MAR", "12") + " " + pick("weekday", "?", "1", "MON-FRI", "7")
		cron, err := ParseCron(expression)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "start"), 0).UTC()
		next, found := cron.After(start)
		if !found {
			return
		}
		fits := func(at time.Time) bool {
			return cron.second>>at.Second()&1 == 1 && cron.minute>>at.Minute()&1 == 1 && cron.hour>>at.Hour()&1 == 1 &&
				cron.date>>at.Day()&1 == 1 && cron.month>>uint(at.Month())&1 == 1 && cron.weekday>>uint(at.Weekday()+1)&1 == 1
		}
		if !fits(next) || !next.After(start) {
			t.Fatalf("%s after %v is %v, which does not fit", expression, start, next)
		}
		for at, n := start.Add(time.Second), 0; at.Before(next) && n < 5000; at, n = at.Add(time.Second), n+1 {
			if fits(at) {
				t.Fatalf("%s after %v is %v, and %v lies between", expression, start, next, at)
			}
		}
	})
}

func FuzzCron(f *testing.F) {
	f.Add("0 0 12 * * ?")
	f.Add("@daily")
	f.Add("1-5/9999999999999999999,MON * * * * *")
	f.Fuzz(func(t *testing.T, expression string) {
		cron, err := ParseCron(expression)
		if err != nil {
			if !errors.Is(err, ErrCron) {
				t.Fatalf("%q: %v", expression, err)
			}
			return
		}
		if at, found := cron.After(time.Unix(1_700_000_000, 0)); found && at.Unix() <= 1_700_000_000 {
			t.Fatalf("%q goes back to %v", expression, at)
		}
	})
}
