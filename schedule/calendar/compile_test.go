package calendar

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCompileRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ rules, want string }{
		{`{"mode": "except"}`, `mode: "except" is no mode of a calendar; use exclude or only`},
		{`{"mode": "only"}`, `mode: the rules name no day, so the calendar allows no day; ` +
			`name the days that are allowed, or use the mode "exclude"`},
		{
			`{"mode": "only", "dates": [{"date": "2026-01-01"}], "except": [{"date": "2026-01-01"}]}`,
			`mode: the rules name no day, so the calendar allows no day; ` +
				`name the days that are allowed, or use the mode "exclude"`,
		},
		{
			`{"weekdays": ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]}`,
			`mode: the rules name every day, so the calendar allows no day; name fewer days`,
		},
		{
			`{"ranges": [{"from": "1970-01-01", "to": "2126-12-31"}]}`,
			`mode: the rules name every day, so the calendar allows no day; name fewer days`,
		},
		{
			`{"weekdays": ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN", "SUN"]}`,
			`weekdays: has 8 entries; at most 7 are allowed`,
		},
		{`{"weekdays": ["MON", "mon"]}`, `weekdays[1]: MON is there already; leave it out`},
		{`{"dates": [{"date": "2026-01-01"}, {"name": "no date"}]}`, `dates[1].date: is missing; write a date such as 2026-05-01`},
		{`{"except": [{}]}`, `except[0].date: is missing; write a date such as 2026-05-01`},
		{
			`{"dates": [{"date": "2026-01-01", "name": "` + strings.Repeat("好", MaxName+1) + `"}]}`,
			`dates[0].name: has 101 characters; at most 100 are allowed`,
		},
		{`{"ranges": [{"to": "2026-01-01"}]}`, `ranges[0].from: is missing; write a date such as 2026-05-01`},
		{`{"ranges": [{"from": "2026-01-01"}]}`, `ranges[0].to: is missing; write a date such as 2026-05-01`},
		{
			`{"ranges": [{"from": "2026-01-02", "to": "2026-01-01"}]}`,
			`ranges[0].to: 2026-01-01 is before from, 2026-01-02; exchange them`,
		},
		{
			`{"source": "` + strings.Repeat("x", MaxSource+1) + `"}`,
			`source: has 301 characters; at most 300 are allowed`,
		},
		{
			`{"yearly": [{"rule": "12-25"}, {"rule": "12-26", "observed": "friday"}]}`,
			`yearly[1].observed: "friday" is no way to keep a holiday; use nearest or monday, or leave it out`,
		},
		{
			`{"yearly": [{"rule": "12-25", "from_year": 1776}]}`,
			`yearly[0].from_year: the year 1776 is out of range; allowed are the years 1970-2126; leave it out for no bound`,
		},
		{
			`{"yearly": [{"rule": "12-25", "to_year": 9999}]}`,
			`yearly[0].to_year: the year 9999 is out of range; allowed are the years 1970-2126; leave it out for no bound`,
		},
		{
			`{"yearly": [{"rule": "12-25", "from_year": 2027, "to_year": 2026}]}`,
			`yearly[0].to_year: 2026 is before from_year, 2027; exchange them or leave one out`,
		},
		{
			`{"yearly": [{"rule": "12-25", "name": "` + strings.Repeat("x", MaxName+1) + `"}]}`,
			`yearly[0].name: has 101 characters; at most 100 are allowed`,
		},
	}
	for _, tt := range tests {
		var r Rules
		if err := json.Unmarshal([]byte(tt.rules), &r); err != nil {
			t.Fatal(err)
		}
		_, err := r.Compile()
		if _, ok := errors.AsType[*Error](err); !ok {
			t.Errorf("%s: error %v, want an Error", tt.rules, err)
			continue
		}
		if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
			t.Errorf("%s:\n%s", tt.rules, diff)
		}
	}
}

func TestCompileRefusesValues(t *testing.T) {
	t.Parallel()
	tests := map[string]Rules{
		"weekdays[0]":    {Weekdays: []Weekday{7}},
		"dates[0].date":  {Dates: []Day{{Date: Date{2026, 2, 29}}}},
		"except[0].date": {Except: []Day{{Date: Date{2026, 13, 1}}}},
		"ranges[0].from": {Ranges: []Range{{From: Date{1969, 12, 31}, To: Date{2026, 1, 1}}}},
		"ranges[0].to":   {Ranges: []Range{{From: Date{2026, 1, 1}, To: Date{2127, 1, 1}}}},
		"known_until":    {KnownUntil: Date{2026, 4, 31}},
		"dates":          {Dates: make([]Day, MaxDays+1)},
		"except":         {Except: make([]Day, MaxDays+1)},
		"ranges":         {Ranges: make([]Range, MaxRanges+1)},
		"yearly":         {Yearly: make([]Yearly, MaxYearly+1)},
	}
	for want, rules := range tests {
		_, err := rules.Compile()
		var refused *Error
		if !errors.As(err, &refused) || refused.Input != want {
			t.Errorf("error %v, want one about %s", err, want)
		}
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	const unknown = " is no rule of a yearly day; write it such as 12-25, 11-THU#4, 05-MONL, easter-2 or orthodox+1"
	tests := []struct{ rule, problem string }{
		{"01-01", ""},
		{"02-29", ""},
		{"02-30", `"02-30": February has no day 30`},
		{"04-00", `"04-00": April has no day 0`},
		{"13-01", `"13-01": there is no month 13`},
		{"00-MONL", `"00-MONL": there is no month 00`},
		{"1-1", `"1-1"` + unknown},
		{"", `""` + unknown},
		{"12", `"12"` + unknown},
		{"12-", `"12-"` + unknown},
		{"12-THU", `"12-THU"` + unknown},
		{"12-THU#0", `"12-THU#0"` + unknown},
		{"12-THU#6", `"12-THU#6"` + unknown},
		{"12-THU#11", `"12-THU#11"` + unknown},
		{"12-THX#1", `"12-THX#1"` + unknown},
		{"12-MONM", `"12-MONM"` + unknown},
		{"12-MONL ", `"12-MONL "` + unknown},
		{"Easter", ""},
		{"EASTER+300", ""},
		{"easter-300", ""},
		{"easter+301", `"easter+301" is too far from Easter; at most 300 days are allowed`},
		{"easter+99999", `"easter+99999"` + unknown},
		{"easter2", `"easter2"` + unknown},
		{"easter+", `"easter+"` + unknown},
		{"easter+-2", `"easter+-2"` + unknown},
		{"orthodox++2", `"orthodox++2"` + unknown},
		{"western", `"western"` + unknown},
		{strings.Repeat("9", 1000), `"99999999999999999999"` + unknown},
	}
	for _, tt := range tests {
		_, err := Rules{Yearly: []Yearly{{Rule: tt.rule}}}.Compile()
		if tt.problem == "" {
			if err != nil {
				t.Errorf("%q: %v", tt.rule, err)
			}
			continue
		}
		if err == nil || !strings.HasPrefix(err.Error(), "yearly[0].rule: "+tt.problem) {
			t.Errorf("%q: error %v, want %s", tt.rule, err, tt.problem)
		}
	}
}

// TestEaster compares every year with another program, and some of them with the
// dates that churches have published.
func TestEaster(t *testing.T) {
	t.Parallel()
	e := readEasters(t)
	for year := MinYear - 1; year <= MaxYear+1; year++ {
		if got, want := dateOf(westernEaster(year)).String(), e.western[year].Format(time.DateOnly); got != want {
			t.Errorf("Western Easter of %d = %s, want %s", year, got, want)
		}
		if got, want := dateOf(orthodoxEaster(year)).String(), e.orthodox[year].Format(time.DateOnly); got != want {
			t.Errorf("Orthodox Easter of %d = %s, want %s", year, got, want)
		}
	}
	for _, tt := range []struct{ western, orthodox string }{
		{"2000-04-23", "2000-04-30"},
		{"2008-03-23", "2008-04-27"},
		{"2010-04-04", "2010-04-04"},
		{"2011-04-24", "2011-04-24"},
		{"2012-04-08", "2012-04-15"},
		{"2013-03-31", "2013-05-05"},
		{"2016-03-27", "2016-05-01"},
		{"2021-04-04", "2021-05-02"},
		{"2022-04-17", "2022-04-24"},
		{"2023-04-09", "2023-04-16"},
		{"2024-03-31", "2024-05-05"},
		{"2025-04-20", "2025-04-20"},
		{"2038-04-25", "2038-04-25"},
	} {
		year := date(t, tt.western).Year
		if got := dateOf(westernEaster(year)).String(); got != tt.western {
			t.Errorf("Western Easter of %d = %s, want %s", year, got, tt.western)
		}
		if got := dateOf(orthodoxEaster(year)).String(); got != tt.orthodox {
			t.Errorf("Orthodox Easter of %d = %s, want %s", year, got, tt.orthodox)
		}
	}
}
