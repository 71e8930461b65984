package schedule

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Each oddity means the same as the plain expression beside it.
func TestParseCronOddities(t *testing.T) {
	t.Parallel()
	tests := []struct{ expr, same, warning string }{
		{"0 0 12 ? * mon-fri", "0 0 12 ? * 2-6", ""},
		{"\t0  0 12 l * ?\r\n", "0 0 12 L * ?", ""},
		{"0 0 12 ? * MONDAY", "0 0 12 ? * 2", `day-of-week (column 15): "DAY" is ignored`},
		{"0 0 12 ? * MON/2", "0 0 12 ? * 2", `day-of-week (column 15): "/2" is ignored`},
		{"0 0 12 ? * MON-FRI/2", "0 0 12 ? * 2-6", `day-of-week (column 19): "/2" is ignored`},
		{"0 0 12 ? * MON-FRIDAY", "0 0 12 ? * 2-6", `day-of-week (column 19): "DAY" is ignored`},
		{"0 0 12 ? * FRILx", "0 0 12 ? * 6L", `day-of-week (column 16): "x" is ignored`},
		{"0 0 12 ? * 6Lx", "0 0 12 ? * 6L", `day-of-week (column 14): "x" is ignored`},
		{"0 0 12 ? * LW", "0 0 12 ? * 7", `day-of-week (column 13): "W" is ignored`},
		{"0 0 12 ? * 5#2,6", "0 0 12 ? * 5#2", "day-of-week (column 12): with # only one weekday counts: THU"},
		{"0 0 12 ? * FRI,MON#2", "0 0 12 ? * 2#2", "day-of-week (column 12): with # only one weekday counts: MON"},
		{"0 0 12 ? * FRI,FRI#2", "0 0 12 ? * 6#2", ""},
		{"0 0 12 ? * 6-2", "0 0 12 ? * 1,2,6,7", ""},
		{"0 0 12 ? * 5-0", "0 0 12 ? * 5-7", "day-of-week (column 14): a range that ends in 0 ends in 7"},
		{"0 0 12 ? * 3C", "0 0 12 ? * 3", "day-of-week (column 13): C is ignored, there is no calendar for it"},
		{"0 0 12 1 JANUARY ?", "0 0 12 1 1 ?", `month (column 13): "UARY" is ignored`},
		{"0 0 12 1 JAN/3 ?", "0 0 12 1 1 ?", `month (column 13): "/3" is ignored`},
		{"0 0 12 1 NOV-FEB ?", "0 0 12 1 11,12,1,2 ?", ""},
		{"0 0 12 1 JANL ?", "0 0 12 1 1 ?", `month (column 13): "L" is ignored`},
		{"0 0 12 1-15W * ?", "0 0 12 1-15 * ?", `day-of-month (column 12): "W" is ignored`},
		{"0 0 12 5C * ?", "0 0 12 5 * ?", "day-of-month (column 9): C is ignored, there is no calendar for it"},
		{"0 0 12 15Wx * ?", "0 0 12 15W * ?", `day-of-month (column 11): "x" is ignored`},
		{"0 0 12 5x * ?", "0 0 12 5 * ?", `day-of-month (column 9): "x" is ignored`},
		{"0 0 12 ,5 * ?", "0 0 12 5 * ?", "day-of-month (column 8): a comma without a value counts for nothing"},
		{"0 0 12 5, * ?", "0 0 12 5 * ?", "day-of-month (column 9): a comma without a value counts for nothing"},
		{"0 0 12 5,* * ?", "0 0 12 * * ?", ""},
		{"0 0 12 L-0 * ?", "0 0 12 L * ?", ""},
		{"0 0 12 ?? * MON", "0 0 12 ? * MON", `day-of-month (column 9): "?" is ignored`},
		{"0 0 12 5,? * MON", "0 0 12 ? * MON", "day-of-month (column 8): the other values count for nothing beside ?"},
		{"0/0 * * * * ?", "0 * * * * ?", "second (column 2): a step of 0 means the value 0 alone"},
		{"*/0 * * * * ?", "* * * * * ?", "second (column 2): a step of 0 means every value"},
		{"5-10/0 * * * * ?", "5 * * * * ?", "second (column 2): a step of 0 means the value 5 alone"},
		{"0-10/70 * * * * ?", "0 * * * * ?", ""},
		{"0 *5 * * * ?", "0 * * * * ?", `minute (column 4): "5" is ignored`},
		{"0 /15 * * * ?", "0 0/15 * * * ?", ""},
		{"0 55-5 22-2 * * ?", "0 55-59,0-5 22,23,0,1,2 * * ?", ""},
		{"0 0 0 1 1 ? 1960-1972", "0 0 0 1 1 ? 1970-1972", ""},
		{"0 0 0 1 1 ? 1/1000", "0 0 0 1 1 ? 2001", ""},
		{"0 0 0 1 1 ? */50", "0 0 0 1 1 ? 1970,2020,2070,2120", ""},
	}
	for _, tc := range tests {
		t.Run(tc.expr, func(t *testing.T) {
			t.Parallel()
			odd, plain := mustParse(t, tc.expr, ""), mustParse(t, tc.same, "")
			if got := strings.Join(odd.Warnings(), "\n"); got != tc.warning {
				t.Errorf("warnings:\n%s\nwant:\n%s", got, tc.warning)
			}
			if w := plain.Warnings(); len(w) > 0 {
				t.Errorf("the plain %q has warnings %q", tc.same, w)
			}
			if got := odd.String(); got != tc.expr {
				t.Errorf("String() = %q, want %q", got, tc.expr)
			}
			odd.expr, odd.warnings = plain.expr, nil
			if diff := cmp.Diff(plain, odd, cmp.AllowUnexported(Cron{}, days{}), cmp.Comparer(sameZone)); diff != "" {
				t.Errorf("not the same as %q:\n%s", tc.same, diff)
			}
		})
	}
}

func sameZone(a, b *time.Location) bool { return a.String() == b.String() }

func TestParseCronErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		expr, field string
		pos         int
		message     string
	}{
		{"", "", 1, "ends after 0 fields"},
		{"  ", "", 3, "ends after 0 fields"},
		{"* * * * *", "", 10, "ends after 5 fields"},
		{"@daily", "", 7, "ends after 1 field"},
		{"0 0 12 * * ? * *", "", 16, "has 8 fields"},
		{"0 0 12 1 * 2", "day-of-week", 12, "both given"},
		{"0 0 12 * * *", "day-of-week", 12, "both given"},
		{"0 0 12 ? * ?", "day-of-week", 12, "both ?"},
		{"60 * * * * ?", "second", 1, "60 is out of range"},
		{"98 * * * * ?", "second", 1, "98 is out of range"},
		{"99 * * * * ?", "second", 1, "99 is out of range"},
		{"0 5-60 * * * ?", "minute", 5, "60 is out of range"},
		{"0 0 24 * * ?", "hour", 5, "24 is out of range"},
		{"0 0 0 0 * ?", "day-of-month", 7, "0 is out of range"},
		{"0 0 0 32 * ?", "day-of-month", 7, "32 is out of range"},
		{"0 0 0 0C * ?", "day-of-month", 7, "0 is out of range"},
		{"0 0 0 32W * ?", "day-of-month", 7, "32 is out of range"},
		{"0 0 0 1 0 ?", "month", 9, "0 is out of range"},
		{"0 0 0 1 13 ?", "month", 9, "13 is out of range"},
		{"0 0 0 ? * 0", "day-of-week", 11, "0 is out of range"},
		{"0 0 0 ? * 8", "day-of-week", 11, "8 is out of range"},
		{"0 0 0 ? * 9#2", "day-of-week", 11, "9 is out of range"},
		{"0 0/60 * * * ?", "minute", 5, "step 60 is too large"},
		{"*/60 * * * * ?", "second", 3, "step 60 is too large"},
		{"0 0 0/24 * * ?", "hour", 7, "step 24 is too large"},
		{"0 0 12 1/40 * ?", "day-of-month", 10, "step 40 is too large"},
		{"0 0 0 1 1/13 ?", "month", 11, "step 13 is too large"},
		{"0 0 0 ? * 2/8", "day-of-week", 13, "step 8 is too large"},
		{"0 0/ * * * ?", "minute", 5, "the step is missing"},
		{"0 / * * * ?", "minute", 4, "the step is missing"},
		{"0 0/x * * * ?", "minute", 5, `the step is missing before "x"`},
		{"0 0/5x * * * ?", "minute", 6, `"x" cannot follow the step`},
		{"0 */5x * * * ?", "minute", 6, `"x" cannot follow the step`},
		{"0 5- * * * ?", "minute", 5, "the end of the range is missing"},
		{"0 -5 * * * ?", "minute", 3, `"-5" is not expected`},
		{"0 ? * * * ?", "minute", 3, "? is only for"},
		{"0 0 0 ?5x * MON", "day-of-month", 8, "nothing can follow ?"},
		{"0 0 0 1 FOO ?", "month", 9, `"FOO" does not begin with a name such as JAN`},
		{"0 0 0 1 JAN-F ?", "month", 13, `"F" does not begin with a name`},
		{"0 0 0 ? * MON-5", "day-of-week", 15, `"5" does not begin with a name such as SUN`},
		{"0 0 0 MON * ?", "day-of-month", 7, `"MON" is not expected`},
		{"H * * * * ?", "second", 1, `"H" is not expected`},
		{"L * * * * ?", "second", 1, "L is only for"},
		{"0 0 0 1 L ?", "month", 9, "L is only for"},
		{"0 0 12W * * ?", "hour", 7, "W is not for this field"},
		{"0 0 12L * * ?", "hour", 7, "L is not for this field"},
		{"0 0 12#1 * * ?", "hour", 7, "# is not for this field"},
		{"0 0 12C * * ?", "hour", 7, "C is not for this field"},
		{"0 0 12 W * ?", "day-of-month", 8, `"W" is not expected`},
		{"0 0 12 LL * ?", "day-of-month", 8, `"LL" is not expected`},
		{"0 0 12 L-31 * ?", "day-of-month", 10, "L-31 lies before every month"},
		{"0 0 12 L- * ?", "day-of-month", 10, "the number of days before the last one is missing"},
		{"0 0 12 L-W * ?", "day-of-month", 10, "the number of days before the last one is missing"},
		{"0 0 12 ? * 2#0", "day-of-week", 14, `"0" is not a number 1-5`},
		{"0 0 12 ? * 2#6", "day-of-week", 14, `"6" is not a number 1-5`},
		{"0 0 12 ? * MON#2x", "day-of-week", 16, `"2x" is not a number 1-5`},
		{"0 0 12 ? * 2#", "day-of-week", 14, "a number 1-5 is missing"},
		{"0 0 12 ? * 2#1,3#2", "day-of-week", 17, "only one # can stand"},
		{"0 0 12 ? * 6L,2L", "day-of-week", 13, "L cannot stand in a list"},
		{"0 0 12 ? * L,2", "day-of-week", 12, "L cannot stand in a list"},
		{"0 0 12 , * ?", "day-of-month", 8, "the field has no value"},
		{", 0 12 1 * ?", "second", 1, "the field has no value"},
		{"0 0 0 1 1 ? ,", "year", 13, "the field has no value"},
		{"0 0 0 1 1 ? 2030-2026", "year", 18, "ends in 2026, before it begins"},
		{"0 0 0 1 1 ? 2150/2", "year", 13, "the year 2150 is out of range"},
		{"0 0 0 1 1 ? 9999999", "year", 13, "the number is too large"},
		{"1é * * * * \x00", "day-of-week", 13, `"\x00" is not expected`},
		{"é * * * * ?", "second", 1, `"é" is not expected`},
		{"a b c d e f", "second", 1, `"a" is not expected`},
		{strings.Repeat("1,", 600) + "1 * * * * ?", "", 0, "the expression has 1211 bytes"},
	}
	for _, tc := range tests {
		t.Run(tc.expr, func(t *testing.T) {
			t.Parallel()
			_, err := ParseCron(tc.expr, nil)
			wrong, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("ParseCron() = %v, want an *Error", err)
			}
			if wrong.Input != "cron" || wrong.Field != tc.field || wrong.Pos != tc.pos {
				t.Errorf("the error is at %s, %q, column %d; want %q, column %d",
					wrong.Input, wrong.Field, wrong.Pos, tc.field, tc.pos)
			}
			if wrong.Hint == "" {
				t.Errorf("the error %q does not say what is allowed", wrong)
			}
			if !strings.Contains(wrong.Message, tc.message) {
				t.Errorf("message %q, want %q in it", wrong.Message, tc.message)
			}
		})
	}
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		err  Error
		want string
	}{
		{Error{Message: "is missing"}, "is missing"},
		{Error{Message: "is missing", Hint: "give one"}, "is missing; give one"},
		{Error{Pos: 3, Message: "is missing"}, "column 3: is missing"},
		{Error{Field: "year", Message: "is missing"}, "year: is missing"},
		{
			Error{Input: "cron", Field: "hour", Pos: 5, Message: "24 is out of range", Hint: "allowed are 0-23"},
			"hour (column 5): 24 is out of range; allowed are 0-23",
		},
	}
	for _, tc := range tests {
		if got := tc.err.Error(); got != tc.want {
			t.Errorf("Error() = %q, want %q", got, tc.want)
		}
	}
}

func FuzzParseCron(f *testing.F) {
	for _, seed := range []string{
		"0 0 12 * * ?", "*/5 0-59/7 22-2 1,15W,LW,L-3,L-30W JAN-MAR ? 2024-2030/2", "0 0 12 ? * 6#3", "0 0 0 ? NOV-FEB FRIL",
		"0/0 */0 /5 5C * ??", ",,1, * * * * ?", "0 0 0 31 2 ?", "0 0 0 1 1 ? 999999/999999", "é\x00 L-W ?-? #5 7#", "* * * * *",
	} {
		f.Add(seed, int64(1767225600), "America/New_York")
	}
	f.Add("0 30 2 ? 3 1#2", int64(-1<<62), "Australia/Lord_Howe")
	f.Fuzz(func(t *testing.T, expr string, after int64, zone string) {
		location, err := time.LoadLocation(zone)
		if err != nil {
			location = time.UTC
		}
		start := time.Now()
		cron, err := ParseCron(expr, location)
		if err != nil {
			wrong, ok := errors.AsType[*Error](err)
			if !ok || wrong.Input != "cron" || wrong.Message == "" || wrong.Pos < 0 || wrong.Pos > len(expr)+1 {
				t.Fatalf("ParseCron(%q) = %#v", expr, err)
			}
			return
		}
		at := time.Unix(after, 0)
		next, ok := cron.Next(at)
		if ok && (!next.After(at) || next.Nanosecond() != 0) {
			t.Fatalf("%q: Next(%s) = %s", expr, at, next)
		}
		if took := time.Since(start); took > 20*time.Second { // not at once on a machine that stands still
			t.Fatalf("%q in %s after %s took %s", expr, location, at, took)
		}
	})
}
