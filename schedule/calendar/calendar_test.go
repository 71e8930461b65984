package calendar

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func date(t *testing.T, text string) Date {
	t.Helper()
	d, err := ParseDate(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func compile(t *testing.T, rules string) *Calendar {
	t.Helper()
	var r Rules
	if err := json.Unmarshal([]byte(rules), &r); err != nil {
		t.Fatal(err)
	}
	c, err := r.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAllows(t *testing.T) {
	t.Parallel()
	const china = `{
		"weekdays": ["SAT", "sun"],
		"ranges": [{"from": "2026-10-01", "to": "2026-10-07", "name": "国庆节"}],
		"dates": [{"date": "2026-01-01", "name": "元旦"}, {"date": "2026-01-03"}],
		"except": [{"date": "2026-10-10", "name": "国庆节补班"}, {"date": "2026-01-04"}]
	}`
	const observed = `{"weekdays": ["SAT", "SUN"], "yearly": [
		{"rule": "07-04", "name": "Independence Day", "observed": "nearest"},
		{"rule": "12-26", "name": "Boxing Day", "observed": "monday"},
		{"rule": "01-01", "name": "New Year", "observed": "nearest", "from_year": 2022}
	]}`
	const noWeekends = `{"yearly": [{"rule": "07-04", "name": "Independence Day", "observed": "nearest"}]}`
	const movable = `{"yearly": [
		{"rule": "11-THU#4", "name": "Thanksgiving"},
		{"rule": "05-monL", "name": "Memorial Day"},
		{"rule": "easter-2", "name": "Good Friday"},
		{"rule": "Orthodox+1", "name": "Orthodox Easter Monday"},
		{"rule": "02-29", "name": "Leap Day"},
		{"rule": "03-TUE#5", "name": "Fifth Tuesday"}
	]}`
	const only = `{"mode": "only", "weekdays": ["FRI"], "dates": [{"date": "2026-03-02", "name": "Inventory"}],
		"except": [{"date": "2026-03-06", "name": "Closed"}]}`
	tests := []struct {
		rules, day string
		allowed    bool
		name       string
	}{
		{china, "2026-09-30", true, ""},
		{china, "2026-10-01", false, "国庆节"},
		{china, "2026-10-07", false, "国庆节"},
		{china, "2026-10-08", true, ""},
		{china, "2026-10-03", false, "国庆节"}, // a Saturday of the range
		{china, "2026-10-10", true, "国庆节补班"},
		{china, "2026-10-11", false, "Sunday"},
		{china, "2026-01-01", false, "元旦"},
		{china, "2026-01-03", false, "Saturday"}, // a date without a name
		{china, "2026-01-04", true, ""},          // a Sunday that is worked, without a name

		{observed, "2026-07-03", false, "Independence Day"}, // the 4th is a Saturday
		{observed, "2026-07-04", false, "Saturday"},
		{noWeekends, "2026-07-03", false, "Independence Day"},
		{noWeekends, "2026-07-04", true, ""},
		{noWeekends, "2027-07-05", false, "Independence Day"}, // the 4th is a Sunday
		{noWeekends, "2025-07-04", false, "Independence Day"},
		{observed, "2026-12-28", false, "Boxing Day"}, // the 26th is a Saturday
		{observed, "2021-12-27", false, "Boxing Day"}, // the 26th is a Sunday
		{observed, "2021-12-31", false, "New Year"},   // of 2022
		{observed, "2011-01-03", true, ""},

		{movable, "2026-11-26", false, "Thanksgiving"},
		{movable, "2026-11-19", true, ""},
		{movable, "2026-05-25", false, "Memorial Day"},
		{movable, "2026-04-03", false, "Good Friday"},
		{movable, "2026-04-13", false, "Orthodox Easter Monday"},
		{movable, "2100-05-03", false, "Orthodox Easter Monday"}, // two weeks apart from then on
		{movable, "2024-02-29", false, "Leap Day"},
		{movable, "2100-03-01", true, ""},
		{movable, "2026-03-31", false, "Fifth Tuesday"},
		{movable, "2027-03-30", false, "Fifth Tuesday"},
		{movable, "2025-04-01", true, ""}, // March 2025 has four Tuesdays

		{only, "2026-03-02", true, "Inventory"},
		{only, "2026-03-03", false, ""},
		{only, "2026-03-06", false, "Closed"},
		{only, "2026-03-13", true, "Friday"},
		{`{}`, "2026-03-13", true, ""},
	}
	for _, tt := range tests {
		c := compile(t, tt.rules)
		d := date(t, tt.day)
		if got := c.Allows(d); got != tt.allowed {
			t.Errorf("Allows(%s) = %v, want %v, of %s", d, got, tt.allowed, tt.rules)
		}
		if got := c.Name(d); got != tt.name {
			t.Errorf("Name(%s) = %q, want %q, of %s", d, got, tt.name, tt.rules)
		}
	}
}

func TestNameOrder(t *testing.T) {
	t.Parallel()
	c := compile(t, `{
		"dates": [{"date": "2026-12-25"}, {"date": "2026-12-25", "name": "date"}, {"date": "2026-12-25", "name": "later"}],
		"ranges": [{"from": "2026-12-01", "to": "2026-12-31"}, {"from": "2026-12-24", "to": "2026-12-26", "name": "range"}],
		"yearly": [{"rule": "12-25"}, {"rule": "12-25", "name": "yearly"}, {"rule": "12-26", "name": "yearly"}],
		"weekdays": ["FRI"]
	}`)
	for day, want := range map[string]string{
		"2026-12-25": "date", "2026-12-26": "range", "2027-12-25": "yearly", "2026-12-18": "Friday", "2026-12-01": "",
	} {
		if got := c.Name(date(t, day)); got != want {
			t.Errorf("Name(%s) = %q, want %q", day, got, want)
		}
	}
}

func TestNextAllowed(t *testing.T) {
	t.Parallel()
	c := compile(t, `{
		"weekdays": ["SAT", "SUN"],
		"ranges": [{"from": "2026-01-01", "to": "2029-06-30"}, {"from": "2126-12-30", "to": "2126-12-31"}],
		"except": [{"date": "2027-01-02"}],
		"known_until": "2029-12-31"
	}`)
	tests := []struct{ from, want string }{
		{"2025-12-31", "2025-12-31"},
		{"2026-01-01", "2027-01-02"},
		{"2027-01-03", "2029-07-02"},
	}
	for _, tt := range tests {
		if got, ok := c.NextAllowed(date(t, tt.from)); !ok || got.String() != tt.want {
			t.Errorf("NextAllowed(%s) = %s, %v, want %s", tt.from, got, ok, tt.want)
		}
	}
	// December 29 is a Sunday, and then it is closed until the last known day.
	if got, ok := c.NextAllowed(date(t, "2126-12-29")); ok {
		t.Errorf("NextAllowed(2126-12-29) = %s, want none", got)
	}
	if got, want := c.KnownUntil(), date(t, "2029-12-31"); got != want {
		t.Errorf("KnownUntil() = %s, want %s", got, want)
	}
}

func TestOutside(t *testing.T) {
	t.Parallel()
	c := compile(t, `{"mode": "only", "dates": [{"date": "2026-01-01", "name": "one"}]}`)
	for _, d := range []Date{{}, {1969, 12, 31}, {2127, 1, 1}, {-1, 1, 1}} {
		if !c.Allows(d) || c.Name(d) != "" {
			t.Errorf("%s: Allows = %v, Name = %q, want allowed without a name", d, c.Allows(d), c.Name(d))
		}
		if got, ok := c.NextAllowed(d); !ok || got != d {
			t.Errorf("NextAllowed(%s) = %s, %v, want itself", d, got, ok)
		}
	}
	if c.Allows(Date{2126, 12, 31}) || c.Allows(Date{1970, 1, 1}) {
		t.Error("the first and the last day that calendars know must be judged")
	}
}

// TestAgainstReference compares days in which the rules meet, and the days around
// them, with a slow reading of the rules.
func TestAgainstReference(t *testing.T) {
	t.Parallel()
	e := readEasters(t)
	rapid.Check(t, func(t *rapid.T) {
		rules := someRules().Draw(t, "rules")
		c, err := rules.Compile()
		if err != nil {
			var refused *Error
			if !errors.As(err, &refused) || refused.Input != "mode" && refused.Input[0] != 'y' {
				t.Fatal(err)
			}
			t.Skip(err)
		}
		day := someDates().Draw(t, "from").midnight()
		if rapid.Bool().Draw(t, "anywhere") {
			day = dateOf(rapid.IntRange(firstDay, lastDay).Draw(t, "day")).midnight()
		}
		next, found := c.NextAllowed(DateOf(day))
		for i := 0; i < 100 && DateOf(day).number() <= lastDay; i, day = i+1, day.AddDate(0, 0, 1) {
			d := DateOf(day)
			want := slowAllows(rules, e, day)
			if got := c.Allows(d); got != want {
				t.Fatalf("Allows(%s) = %v, want %v", d, got, want)
			}
			if name := c.Name(d); name != "" && slowNamed(Rules{
				Weekdays: rules.Weekdays, Dates: append(rules.Dates, rules.Except...), Ranges: rules.Ranges, Yearly: rules.Yearly,
			}, e, day) != true {
				t.Fatalf("Name(%s) = %q, but no rule has that day", d, name)
			}
			switch {
			case d.Compare(next) < 0 && want:
				t.Fatalf("NextAllowed = %s, but %s is allowed", next, d)
			case d == next && !want, !found && want:
				t.Fatalf("NextAllowed = %s, %v, but Allows(%s) = %v", next, found, d, want)
			}
		}
	})
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rules := someRules().Draw(t, "rules")
		text, err := json.Marshal(rules)
		if err != nil {
			t.Fatal(err)
		}
		var back Rules
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(rules, back, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%s\n%s", text, diff)
		}
	})
}

func TestAllowsAllocatesNothing(t *testing.T) {
	c := compile(t, `{"weekdays": ["SAT", "SUN"], "dates": [{"date": "2026-01-01", "name": "New Year"}],
		"yearly": [{"rule": "easter-2", "name": "Good Friday"}]}`)
	d := date(t, "2026-04-04")
	var s struct {
		allowed bool
		next    Date
		name    string
	}
	if n := testing.AllocsPerRun(100, func() {
		s.allowed = c.Allows(d)
		s.next, _ = c.NextAllowed(d)
		s.name = c.Name(d)
		s.next = s.next.Add(3)
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

func TestBigCalendarCompilesSoon(t *testing.T) {
	t.Parallel()
	var rules Rules
	for i := range MaxDays {
		rules.Dates = append(rules.Dates, Day{dateOf(i * 11), "a day"})
		rules.Except = append(rules.Except, Day{dateOf(i*11 + 1), ""})
	}
	for range MaxRanges {
		rules.Ranges = append(rules.Ranges, Range{Date{1971, 1, 1}, Date{2126, 12, 31}, "range"})
	}
	for i := range MaxYearly {
		rules.Yearly = append(rules.Yearly, Yearly{Rule: fmt.Sprintf("easter+%d", i), Observed: ObservedMonday, Name: "feast"})
	}
	start := time.Now()
	c, err := rules.Compile()
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > time.Minute {
		t.Errorf("took %s", took)
	}
	if got := c.Name(Date{2126, 12, 31}); got != "range" {
		t.Errorf("Name = %q", got)
	}
}

func FuzzCompile(f *testing.F) {
	f.Add(`{"weekdays": ["SAT"], "yearly": [{"rule": "11-THU#4", "observed": "nearest"}]}`)
	f.Add(`{"mode": "only", "ranges": [{"from": "2026-01-01", "to": "2126-12-31"}], "except": [{"date": "2026-01-02"}]}`)
	f.Add(`{"yearly": [{"rule": "orthodox-300", "from_year": 2000, "to_year": 2001}], "known_until": "2026-12-31"}`)
	f.Add(`{"dates": [{"date": "2026-02-29"}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		var rules Rules
		if json.Unmarshal([]byte(text), &rules) != nil {
			return
		}
		c, err := rules.Compile()
		if err != nil {
			var refused *Error
			if !errors.As(err, &refused) || refused.Input == "" || refused.Message == "" {
				t.Fatalf("%#v", err)
			}
			return
		}
		next, found := c.NextAllowed(Date{MinYear, 1, 1})
		if !found || !c.Allows(next) {
			t.Fatalf("NextAllowed = %s, %v", next, found)
		}
		c.Name(next)
		again, err := json.Marshal(rules)
		if err != nil {
			t.Fatal(err)
		}
		var back Rules
		if err := json.Unmarshal(again, &back); err != nil {
			t.Fatalf("%s: %v", again, err)
		}
	})
}

func BenchmarkAllows(b *testing.B) {
	c, err := Rules{Weekdays: []Weekday{0, 6}}.Compile()
	if err != nil {
		b.Fatal(err)
	}
	d := Date{2026, 4, 4}
	for b.Loop() {
		c.Allows(d)
	}
}

func BenchmarkCompile(b *testing.B) {
	rules := Rules{Weekdays: []Weekday{0, 6}, Yearly: []Yearly{{Rule: "easter-2"}, {Rule: "12-25"}, {Rule: "11-THU#4"}}}
	for i := range 300 {
		rules.Dates = append(rules.Dates, Day{Date{2020, 1, 1}.Add(i * 9), "holiday"})
	}
	for b.Loop() {
		if _, err := rules.Compile(); err != nil {
			b.Fatal(err)
		}
	}
}
