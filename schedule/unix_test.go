package schedule

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Each Unix expression fires as the Quartz one beside it.
func TestUnixMeansTheSame(t *testing.T) {
	t.Parallel()
	tests := []struct{ unix, quartz string }{
		{"* * * * *", "0 * * * * ?"},
		{"*/5 9-17 * * 1-5", "0 */5 9-17 ? * MON-FRI"},
		{"0 0 * * 0", "0 0 0 ? * SUN"},
		{"0 0 * * 7", "0 0 0 ? * SUN"},
		{"0 0 * * 0,7", "0 0 0 ? * SUN"},
		{"0 0 * * 0-7", "0 0 0 ? * *"},
		{"0 0 * * 5-7", "0 0 0 ? * FRI-SUN"},
		{"0 0 * * 6-0", "0 0 0 ? * SAT-SUN"},
		{"0 0 * * 7-1", "0 0 0 ? * SUN-MON"},
		{"0 0 * * 1-SUN", "0 0 0 ? * *"},
		{"0 0 * * mon-5/2", "0 0 0 ? * MON,WED,FRI"},
		{"0 0 * * */2", "0 0 0 ? * SUN,TUE,THU,SAT"},
		{"0 0 * * tue/2", "0 0 0 ? * TUE,THU,SAT"},
		{"0 0 * * 7/3", "0 0 0 ? * SUN,WED,SAT"},
		{"0 0 1 jan *", "0 0 0 1 1 ?"},
		{"5/15 22-2 * * *", "0 5/15 22-2 * * ?"},
		{"0,30 8,12,18 1-7 */3 *", "0 0,30 8,12,18 1-7 */3 ?"},
		{"\t0  12 31 * *\n", "0 0 12 31 * ?"},
		{"@yearly", "0 0 0 1 1 ?"},
		{"@annually", "0 0 0 1 1 ?"},
		{"@monthly", "0 0 0 1 * ?"},
		{" @Weekly ", "0 0 0 ? * 1"},
		{"@daily", "0 0 0 * * ?"},
		{"@midnight", "0 0 0 ? * *"},
		{"@HOURLY", "0 0 * * * ?"},
	}
	for _, tc := range tests {
		unix, err := ParseCronWith(tc.unix, CronOptions{Zone: mustZone(t, "Europe/London")})
		if err != nil {
			t.Errorf("ParseCronWith(%q) = %v", tc.unix, err)
			continue
		}
		quartz := mustParse(t, tc.quartz, "Europe/London")
		if diff := cmp.Diff(firings(quartz, noon, 100), firings(unix, noon, 100)); diff != "" {
			t.Errorf("%q is not %q (-quartz +unix):\n%s", tc.unix, tc.quartz, diff)
		}
		if unix.String() != tc.unix || len(unix.Warnings()) > 0 {
			t.Errorf("%q says %q with warnings %q", tc.unix, unix, unix.Warnings())
		}
		if unix.checkFires() != nil {
			t.Errorf("%q is said to fire never", tc.unix)
		}
	}
}

func TestUnixDays(t *testing.T) {
	t.Parallel()
	tests := []struct{ expr, want, warning string }{
		{"0 0 13 * 5", "02-06 02-13 02-20 02-27", ""},
		{"0 0 1,15 * 1", "02-01 02-02 02-09 02-15 02-16 02-23", ""},
		{"0 0 */2 * 1", "02-09 02-23", "day-of-week (column 11): a day counts only when it is in the day-of-month field too"},
		{"0 0 1-7 * */6", "02-01 02-07", "day-of-week (column 11): a day counts only when it is in the day-of-month field too"},
		{"0 0 30 2 0", "02-01 02-08 02-15 02-22", ""},
	}
	for _, tc := range tests {
		cron, err := ParseCronWith(tc.expr, CronOptions{})
		if err != nil {
			t.Fatalf("ParseCronWith(%q) = %v", tc.expr, err)
		}
		var got []string
		for _, at := range Between(cron, time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), 40) {
			got = append(got, at.Format("01-02"))
		}
		if diff := cmp.Diff(strings.Fields(tc.want), got); diff != "" {
			t.Errorf("%q in February 2026 (-want +got):\n%s", tc.expr, diff)
		}
		if warnings := strings.Join(cron.Warnings(), "\n"); !strings.HasPrefix(warnings, tc.warning) || (tc.warning == "") != (warnings == "") {
			t.Errorf("%q has warnings %q, want %q", tc.expr, warnings, tc.warning)
		}
	}
}

func TestParseCronWithErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		expr, field   string
		pos           int
		message, hint string
	}{
		{"", "", 1, "ends after 0 fields", "or 5, as in Unix"},
		{"* * * *", "", 8, "ends after 4 fields", "or a macro such as @daily"},
		{"* * * * * ? * *", "", 15, "has 8 fields", "or 5, as in Unix"},
		{"0 0 24 * * ?", "hour", 5, "24 is out of range", "0-23"},
		{"60 * * * *", "minute", 1, "60 is out of range", "allowed are 0-59"},
		{"0 24 * * *", "hour", 3, "24 is out of range", "allowed are 0-23"},
		{"0 0 0 * *", "day-of-month", 5, "0 is out of range", "allowed are 1-31"},
		{"0 0 1-32 * *", "day-of-month", 7, "32 is out of range", "allowed are 1-31"},
		{"0 0 * 13 *", "month", 7, "13 is out of range", "allowed are 1-12 or JAN-DEC"},
		{"0 0 * * 8", "day-of-week", 9, "8 is out of range", "0 and 7 are Sunday"},
		{"0 12 * * ?", "day-of-week", 10, `"?" is not expected`, "only for expressions of 6 or 7 fields"},
		{"0 0 L * *", "day-of-month", 5, `"L" is not expected`, "6 or 7 fields"},
		{"0 0 15W * *", "day-of-month", 7, `"W" is not expected`, "6 or 7 fields"},
		{"0 0 * * 5#2", "day-of-week", 10, `"#2" is not expected`, "6 or 7 fields"},
		{"0 0 * * MONDAY", "day-of-week", 12, `"DAY" is not expected`, "SUN-SAT"},
		{"0 0 * * FOO", "day-of-week", 9, `"FOO" is not expected`, "SUN-SAT"},
		{"0 0 * * 1-", "day-of-week", 11, "a value is missing", "0-7"},
		{"*/0 * * * *", "minute", 3, "the step is 0", "0-59"},
		{"*/60 * * * *", "minute", 3, "step 60 is too large", "up to 59"},
		{"*/ * * * *", "minute", 3, "the step is missing", "0-59"},
		{"*5 * * * *", "minute", 2, `"5" is not expected`, "0-59"},
		{"0 0 * * 9999999", "day-of-week", 9, "too large", "0 and 7 are Sunday"},
		{"0 0 * * 1/", "day-of-week", 11, "the step is missing", "0 and 7 are Sunday"},
		{",5 * * * *", "minute", 1, "a value is missing", "0-59"},
		{"5, * * * *", "minute", 3, "a value is missing", "0-59"},
		{"9999999 * * * *", "minute", 1, "too large", "0-59"},
		{"@reboot", "", 1, `"@reboot" is not a macro`, "@hourly"},
		{" @daily 5", "", 9, `nothing can follow @daily, but "5" does`, "@hourly"},
		{"@every 5m", "", 1, "@every is a rate", "expression of a schedule"},
	}
	for _, tc := range tests {
		t.Run(tc.expr, func(t *testing.T) {
			t.Parallel()
			_, err := ParseCronWith(tc.expr, CronOptions{})
			wrong, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("ParseCronWith() = %v, want an *Error", err)
			}
			if wrong.Input != "cron" || wrong.Field != tc.field || wrong.Pos != tc.pos {
				t.Errorf("the error %q is at %s, %q, column %d; want %q, column %d",
					wrong, wrong.Input, wrong.Field, wrong.Pos, tc.field, tc.pos)
			}
			if !strings.Contains(wrong.Message, tc.message) || !strings.Contains(wrong.Hint, tc.hint) {
				t.Errorf("the error is %q; want %q and %q in it", wrong, tc.message, tc.hint)
			}
		})
	}
}

func TestEveryAsAnExpression(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 5, 1, 0, 0, 10, 0, time.UTC)
	for text, period := range map[string]time.Duration{
		"@every 90s": 90 * time.Second, " @EVERY  1h30m ": 90 * time.Minute, "@every 250ms": 250 * time.Millisecond,
	} {
		spec := Spec{Kind: KindCron, Cron: text, Zone: "Asia/Shanghai"}
		if err := spec.Validate(); err != nil {
			t.Errorf("%s: Validate() = %v", spec, err)
		}
		s, err := spec.Compile()
		if err != nil {
			t.Fatalf("%s: Compile() = %v", spec, err)
		}
		plain, err := Spec{Kind: KindEvery, Every: period}.Compile()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(firings(plain, from, 5), firings(s, from, 5)); diff != "" {
			t.Errorf("%q is not every %s (-every +cron):\n%s", text, period, diff)
		}
	}
	for _, tc := range []struct {
		text    string
		pos     int
		message string
	}{
		{"@every", 7, "the period of @every is missing"},
		{"@every soon", 8, `"soon" is not a period`},
		{"@every 1h 30m", 8, `"1h 30m" is not a period`},
		{"@every -5s", 8, "out of range"},
		{"@every 5ms", 8, "out of range"},
		{"@every 1000.5ms", 8, "whole number of milliseconds"},
		{"@every " + strings.Repeat("9", MaxExpression), 0, "the expression has"},
	} {
		wrong, ok := errors.AsType[*Error](Spec{Kind: KindCron, Cron: tc.text}.Validate())
		if !ok || wrong.Input != "cron" || wrong.Pos != tc.pos || !strings.Contains(wrong.Message, tc.message) || wrong.Hint == "" {
			t.Errorf("%q: Validate() = %#v, want %q at column %d", tc.text, wrong, tc.message, tc.pos)
		}
	}
}

func FuzzParseCronWith(f *testing.F) {
	for _, seed := range []string{
		"*/5 9-17 * * 1-5", "0 0 13 * 5", "0 0 */2 JAN-MAR 7-1/2", "@daily", "@every 90s", "@", "0 0 12 ? * 6#3", "0 30 2 * * ?", "1,, * * * *",
	} {
		f.Add(seed, int64(1772946000), "America/New_York", uint8(7))
	}
	f.Fuzz(func(t *testing.T, expr string, at int64, zone string, rules uint8) {
		location, err := time.LoadLocation(zone)
		if err != nil {
			location = time.UTC
		}
		cron, err := ParseCronWith(expr, CronOptions{Zone: location, DST: allRules[int(rules)%len(allRules)]})
		if err != nil {
			wrong, ok := errors.AsType[*Error](err)
			if !ok || wrong.Input != "cron" || wrong.Message == "" || wrong.Hint == "" || wrong.Pos < 0 || wrong.Pos > len(expr)+1 {
				t.Fatalf("ParseCronWith(%q) = %#v", expr, err)
			}
			return
		}
		instant, start := time.Unix(at, 0), time.Now()
		next, ok := cron.Next(instant)
		if ok && !next.After(instant) {
			t.Fatalf("%q: Next(%s) = %s", expr, instant, next)
		}
		if back, found := cron.Prev(next); ok && found && back.After(instant) {
			t.Fatalf("%q in %s: %s lies between %s and Next, which is %s", expr, location, back, instant, next)
		}
		if took := time.Since(start); took > 20*time.Second { // not at once on a machine that stands still
			t.Fatalf("%q in %s at %s took %s", expr, location, instant, took)
		}
	})
}
