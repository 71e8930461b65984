package holidays

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule/calendar"
)

// within makes a calendar of the lines of its events.
func within(lines ...string) string {
	return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n" + strings.Join(lines, "\r\n") + "\r\nEND:VCALENDAR\r\n"
}

// happening makes an event of its lines.
func happening(lines ...string) string {
	return "BEGIN:VEVENT\r\nUID:1\r\n" + strings.Join(lines, "\r\n") + "\r\nEND:VEVENT"
}

func TestParseICS(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		options    Options
		want       string
	}{
		{
			"a day and several days",
			within(
				happening("DTSTART;VALUE=DATE:20260101", "SUMMARY:New Year"),
				happening("DTSTART;VALUE=DATE:20261001", "DTEND;VALUE=DATE:20261008", "SUMMARY:国庆节(休)"),
				happening("DTSTART:20261224", "DURATION:P3D", "SUMMARY:Christmas"),
				happening("DTSTART:20261231", "DTEND:20261231"),
			),
			Options{Weekends: true},
			"SAT\nSUN\n2026-01-01 New Year\n2026-12-31 \n2026-10-01..2026-10-07 国庆节(休)\n" +
				"2026-12-24..2026-12-26 Christmas\nuntil 2026-12-31",
		},
		{
			"working days",
			within(
				happening("DTSTART;VALUE=DATE:20261010", "SUMMARY:国庆节(班)"),
				happening("DTSTART;VALUE=DATE:20261011", "SUMMARY:Make-up (Workday)"),
				happening("DTSTART;VALUE=DATE:20261012", "SUMMARY:Make-up", "CATEGORIES:Office,Work"),
				happening("DTSTART;VALUE=DATE:20261013", "SUMMARY:Workshop", "CATEGORIES:Homework"),
			),
			Options{},
			"2026-10-13 Workshop\n+2026-10-10 国庆节(班)\n+2026-10-11 Make-up (Workday)\n+2026-10-12 Make-up\nuntil 2026-10-13",
		},
		{
			"folded and escaped lines, parameters, other components",
			"\uFEFF" + within(
				"BEGIN:VTIMEZONE", "TZID:Europe/Vienna", "BEGIN:STANDARD", "DTSTART:19701025T030000", "END:STANDARD", "END:VTIMEZONE",
				happening("dtstart;value=date:2026", " 0501", `SUMMARY;LANGUAGE="de:AT":Tag der Arbeit\, `, "\t frei",
					"DESCRIPTION:"+strings.Repeat("long ", 10_000), "BEGIN:VALARM", "SUMMARY:not this", "DURATION:PT5M", "END:VALARM"),
				"BEGIN:VTODO", "DTSTART:20260601", "END:VTODO",
			),
			Options{},
			"2026-05-01 Tag der Arbeit, frei\nuntil 2026-05-01",
		},
		{
			"cancelled",
			within(happening("DTSTART:20260101", "STATUS:CANCELLED"), happening("DTSTART:20260102", "STATUS:CONFIRMED")),
			Options{},
			"2026-01-02 \nuntil 2026-01-02",
		},
		{
			"a rule with an end, without and with single days",
			within(happening("DTSTART:20260105", "RRULE:FREQ=WEEKLY;COUNT=4", "EXDATE:20260112,20260119", "RDATE:20260301,20260308", "SUMMARY:Rest")),
			Options{},
			"2026-01-05 Rest\n2026-01-26 Rest\n2026-03-01 Rest\n2026-03-08 Rest\nuntil 2026-03-08",
		},
		{
			"until a day, which is included",
			within(happening("DTSTART:20240229", "RRULE:FREQ=YEARLY;UNTIL=20320229")),
			Options{},
			"2024-02-29 \n2028-02-29 \n2032-02-29 \nuntil 2032-02-29",
		},
		{
			"the fourth Thursday of November, within bounds",
			within(happening("DTSTART:20101125", "RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=4TH", "SUMMARY:Thanksgiving")),
			Options{From: date(t, "2026-01-01"), To: date(t, "2028-12-31")},
			"2026-11-26 Thanksgiving\n2027-11-25 Thanksgiving\n2028-11-23 Thanksgiving\nuntil 2028-12-31",
		},
		{
			"an occurrence that began before the bounds",
			within(happening("DTSTART:20201230", "DTEND:20210103", "RRULE:FREQ=YEARLY")),
			Options{From: date(t, "2026-01-01"), To: date(t, "2026-12-31")},
			"2026-01-01..2026-01-02 \n2026-12-30..2026-12-31 \nuntil 2026-12-31",
		},
		{
			"an occurrence that another event replaces",
			within(
				happening("DTSTART:20260501", "RRULE:FREQ=YEARLY;COUNT=3", "SUMMARY:May Day"),
				happening("RECURRENCE-ID:20270501", "DTSTART:20270503", "SUMMARY:May Day, moved"),
				happening("RECURRENCE-ID;VALUE=DATE:20280501", "DTSTART:20280501", "STATUS:CANCELLED"),
			),
			Options{},
			"2026-05-01 May Day\n2027-05-03 May Day, moved\nuntil 2027-05-03",
		},
		{
			"the last day of February and a set position",
			within(
				happening("DTSTART:20270131", "RRULE:FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=2"),
				happening("DTSTART:20270129", "RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=2"),
			),
			Options{},
			"2027-01-29 \n2027-01-31 \n2027-02-26 \n2027-02-28 \nuntil 2027-02-28",
		},
	}
	for _, tt := range tests {
		rules, warnings, err := ParseICS([]byte(tt.text), tt.options)
		if err != nil || len(warnings) > 0 {
			t.Errorf("%s: warnings %q, error %v", tt.name, warnings, err)
			continue
		}
		if diff := cmp.Diff(tt.want, shown(rules)); diff != "" {
			t.Errorf("%s:\n%s", tt.name, diff)
		}
		if _, err := rules.Compile(); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestParseICSWarns(t *testing.T) {
	t.Parallel()
	text := within(
		happening("DTSTART;TZID=Europe/Berlin:20260105T220000", "DTEND;TZID=Europe/Berlin:20260107T000000", "SUMMARY:Night"),
		happening("DTSTART:20260109T220000Z", "DURATION:PT3H", "SUMMARY:Short"),
		happening("DTSTART:20260201", "RRULE:FREQ=YEARLY;UNTIL=20260301", "EXRULE:FREQ=DAILY", "SUMMARY:Odd"),
		happening("DTSTART:18990101", "SUMMARY:Old"),
	)
	rules, warnings, err := ParseICS([]byte(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := "2026-02-01 Odd\n2026-01-05..2026-01-06 Night\n2026-01-09..2026-01-10 Short\nuntil 2026-02-01"
	if diff := cmp.Diff(want, shown(rules)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{
		`line 3: "Night" has a time of day; the whole days that it touches are taken`,
		`line 9: "Short" has a time of day; the whole days that it touches are taken`,
		`line 15: the EXRULE of "Odd" is not read; check its days`,
		"entries with days outside of the years 1970-2126, which were left out: 1",
	}, warnings); diff != "" {
		t.Error(diff)
	}
	var events []string
	for range 30 {
		events = append(events, happening("DTSTART:20260109T220000Z"))
	}
	_, warnings, err = ParseICS([]byte(within(events...)), Options{})
	if err != nil || len(warnings) != maxWarnings+1 || warnings[maxWarnings] != "and 10 more of such warnings" {
		t.Errorf("warnings %q, error %v", warnings, err)
	}
}

// TestEndlessRules: what comes for ever is known as far as it was written out.
func TestEndlessRules(t *testing.T) {
	t.Parallel()
	yearly := happening("DTSTART:20261225", "RRULE:FREQ=YEARLY", "SUMMARY:Christmas")
	rules, warnings, err := ParseICS([]byte(within(yearly)), Options{})
	if err != nil || len(warnings) > 0 {
		t.Fatalf("warnings %q, error %v", warnings, err)
	}
	if len(rules.Dates) != 100 || rules.Dates[99].Date != date(t, "2125-12-25") || rules.KnownUntil != date(t, "2126-12-24") {
		t.Errorf("%d dates until %s", len(rules.Dates), rules.KnownUntil)
	}
	weekly := happening("DTSTART:20260102", "RRULE:FREQ=WEEKLY", "SUMMARY:Friday")
	rules, warnings, err = ParseICS([]byte(within(yearly, weekly)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"the text names more than 5000 days; those after " + rules.KnownUntil.String() + " were left out"}
	if diff := cmp.Diff(want, warnings); diff != "" {
		t.Error(diff)
	}
	if rules.KnownUntil.Year < 2115 || len(rules.Dates)+2*len(rules.Ranges) != MaxDays {
		t.Errorf("%d dates, %d ranges until %s", len(rules.Dates), len(rules.Ranges), rules.KnownUntil)
	}
}

func TestParseICSRefuses(t *testing.T) {
	t.Parallel()
	const noDate = ", which is no date: write it such as 20261001 or 20261001T090000"
	tests := []struct{ text, want string }{
		{"", "names no day from 1970-01-01 to 2126-12-31: give a text with dates in that time"},
		{within(), "names no day from 1970-01-01 to 2126-12-31: give a text with dates in that time"},
		{"date,name", `line 1: "date,name" has no colon: write NAME:VALUE`},
		{"BEGIN:VEVENT", "line 1: is no iCalendar text: it must begin with BEGIN:VCALENDAR"},
		{"VERSION:2.0", "line 1: is no iCalendar text: it must begin with BEGIN:VCALENDAR"},
		{"BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VEVENT\n", "line 3: the text ends within VCALENDAR: its END is missing"},
		{"BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VCALENDAR\n", "line 3: END:VCALENDAR stands where END:VEVENT must"},
		{within("what is this"), `line 3: "what is this" has no colon: write NAME:VALUE`},
		{within(happening("SUMMARY;X")), "line 5: SUMMARY cannot be read: parsing property SUMMARY: missing property param operator for X in SUMMARY"},
		{within(happening("SUMMARY:never")), "line 3: the event has no DTSTART: give it the day that it begins"},
		{within(happening("DTSTART:20260229")), `line 5: DTSTART has "20260229"` + noDate},
		{within(happening("DTEND:2026-01-01")), `line 5: DTEND has "2026-01-01"` + noDate},
		{within(happening("EXDATE:20260101,x")), `line 5: EXDATE has "x"` + noDate},
		{
			within(happening("DTSTART:20260101", "DTEND:20251231", "SUMMARY:a")),
			`line 3: the event "a" ends before it begins: exchange DTSTART and DTEND`,
		},
		{within(happening("DURATION:-P1D")), `line 5: DURATION has "-P1D", which is no length: write it such as P2D or PT8H`},
		{within(happening("DURATION:P")), `line 5: DURATION has "P", which is no length: write it such as P2D or PT8H`},
		{within(happening("SUMMARY:" + strings.Repeat("x", maxLine))), "line 5: SUMMARY has 16392 bytes: at most 16384 are allowed"},
		{strings.Repeat("\n", MaxBytes+1), "has 524289 bytes: at most 524288 are allowed"},
		{
			within(strings.Repeat(happening("DTSTART:19700101", "DTEND:21270101")+"\n", 5)),
			"line 18: up to here the text names days more than 200000 times: leave some out",
		},
		{
			within(strings.Repeat(happening("DTSTART:20260101", "RRULE:FREQ=YEARLY;COUNT=1")+"\n", 101)),
			"line 503: up to here the text has more than 100 rules of repetition: leave some out",
		},
	}
	for _, tt := range tests {
		_, _, err := ParseICS([]byte(tt.text), Options{})
		if !job.Is(err, job.Invalid) || err.Error() != "text: "+tt.want {
			t.Errorf("%.60q: error %v, want %s", tt.text, err, tt.want)
		}
	}
}

func TestRulesRefused(t *testing.T) {
	t.Parallel()
	tests := []struct{ rule, want string }{
		{"FREQ=HOURLY", "RRULE has FREQ=HOURLY, which names no days: use YEARLY, MONTHLY, WEEKLY or DAILY"},
		{"FREQ=SECONDLY;BYHOUR=25", "RRULE has FREQ=SECONDLY, which names no days: use YEARLY, MONTHLY, WEEKLY or DAILY"},
		{"FREQ=DAILY;INTERVAL=1001", "RRULE has INTERVAL=1001: at most 1000 is allowed"},
		{"FREQ=DAILY;INTERVAL=-1", "RRULE cannot be read: interval must be greater than 0"},
		{"FREQ=YEARLY;BYEASTER=400", "RRULE has BYEASTER, which is no part of iCalendar: write the dates with RDATE"},
		{"FREQ=MONTHLY;BYDAY=53MO", "RRULE has BYDAY=+53MO: a number of at most 5 is allowed there"},
		{"FREQ=YEARLY;BYMONTH=1;BYDAY=-53MO", "RRULE has BYDAY=-53MO: a number of at most 5 is allowed there"},
		{"FREQ=YEARLY;BYMONTHDAY=32", "RRULE cannot be read: bymonthday must be between 1 and 31 or -1 and -31"},
		{"INTERVAL=1", "RRULE cannot be read: RRULE property FREQ is required"},
		{"", "RRULE cannot be read: wrong format"},
		{"FREQ=YEARLY;BYYEARDAY=1" + strings.Repeat(",1", 200), "RRULE has 423 bytes: at most 250 are allowed"},
	}
	for _, tt := range tests {
		_, _, err := ParseICS([]byte(within(happening("DTSTART:20260101", "RRULE:"+tt.rule))), Options{})
		if !job.Is(err, job.Invalid) || err.Error() != "text: line 6: "+tt.want {
			t.Errorf("%s: error %v, want %s", tt.rule, err, tt.want)
		}
	}
	_, _, err := ParseICS([]byte(within(happening("DTSTART:18991231", "RRULE:FREQ=YEARLY"))), Options{})
	if want := "text: line 6: the event repeats from 1899 on: let DTSTART be in the years 1900-2126"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestHopelessRulesEndSoon: the search for the days of rules that have none is
// bounded.
func TestHopelessRulesEndSoon(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{
		"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "FREQ=WEEKLY;BYMONTH=2;BYMONTHDAY=30",
		"FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30" + strings.Repeat(",30", 70),
	} {
		var events []string
		for i := range 3 {
			events = append(events, happening(fmt.Sprintf("DTSTART:19%02d0101", i), "RRULE:"+rule))
		}
		start := time.Now()
		_, _, err := ParseICS([]byte(within(events...)), Options{})
		if err == nil || !strings.Contains(err.Error(), "names no day") {
			t.Errorf("%s: error %v", rule, err)
		}
		if took := time.Since(start); took > time.Minute {
			t.Errorf("%s: took %s", rule, took)
		}
	}
}

func FuzzParseICS(f *testing.F) {
	f.Add(within(happening("DTSTART;VALUE=DATE:20261001", "DTEND;VALUE=DATE:20261008", "SUMMARY:国庆节(班)")))
	f.Add(within(happening("DTSTART:20260105T100000Z", "DURATION:P1W2DT3H4M5S", "RRULE:FREQ=WEEKLY;COUNT=4;WKST=SU", "EXDATE:20260112,20260119")))
	f.Add(within(happening("DTSTART:20101125", "RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=4TH,-1MO;BYSETPOS=-1;BYWEEKNO=53;BYYEARDAY=-366")))
	f.Add(within(happening("RECURRENCE-ID:20270501", "RDATE;VALUE=PERIOD:20270503T000000/P1D", "STATUS:CANCELLED")))
	f.Fuzz(func(t *testing.T, text string) {
		rules, _, err := ParseICS([]byte(text), Options{})
		checkParsed(t, rules, err)
	})
}

// FuzzRepeat looks for rules that the library cannot stand.
func FuzzRepeat(f *testing.F) {
	for _, rule := range []string{
		"FREQ=YEARLY;BYMONTH=11;BYDAY=4TH", "FREQ=YEARLY;BYWEEKNO=53,-53,1,-1;WKST=SU", "FREQ=YEARLY;BYYEARDAY=366,-366",
		"FREQ=YEARLY;BYDAY=53MO,-53SU", "FREQ=MONTHLY;BYDAY=5MO,-5SU;BYSETPOS=-366", "FREQ=WEEKLY;INTERVAL=1000;WKST=3WE",
		"FREQ=DAILY;INTERVAL=999;UNTIL=99991231T235959Z;COUNT=9999999",
	} {
		f.Add(rule, uint(50_000))
	}
	f.Fuzz(func(t *testing.T, rule string, start uint) {
		first := time.Date(firstStart, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(start%82_000))
		text := within(happening("DTSTART:"+first.Format("20060102"), "RRULE:"+rule))
		rules, _, err := ParseICS([]byte(text), Options{})
		checkParsed(t, rules, err)
	})
}

// TestAnyRule writes rules of all parts that there are: each is read or refused.
func TestAnyRule(t *testing.T) {
	t.Parallel()
	numbers := func(pattern string) *rapid.Generator[string] {
		return rapid.StringMatching(pattern + "(," + pattern + "){0,2}")
	}
	parts := map[string]*rapid.Generator[string]{
		"INTERVAL":   rapid.StringMatching(`[1-9][0-9]{0,2}`),
		"COUNT":      rapid.StringMatching(`[0-9]{1,3}`),
		"UNTIL":      rapid.StringMatching(`20[0-9]{2}0[1-9]1[0-9](T[01][0-9]0000Z?)?`),
		"WKST":       rapid.StringMatching(`(MO|TU|WE|TH|FR|SA|SU)`),
		"BYDAY":      numbers(`(-?([1-9]|[1-4][0-9]|5[0-4]))?(MO|TU|WE|TH|FR|SA|SU)`),
		"BYMONTH":    numbers(`([1-9]|1[0-2])`),
		"BYMONTHDAY": numbers(`-?([1-9]|[12][0-9]|3[01])`),
		"BYYEARDAY":  numbers(`-?([1-9]|[12][0-9]{2}|36[0-6])`),
		"BYWEEKNO":   numbers(`-?([1-9]|[1-4][0-9]|5[0-3])`),
		"BYSETPOS":   numbers(`-?([1-9]|36[0-6])`),
		"BYHOUR":     numbers(`[0-9]`),
	}
	names := slices.Sorted(maps.Keys(parts))
	rapid.Check(t, func(t *rapid.T) {
		rule := "FREQ=" + rapid.SampledFrom([]string{"YEARLY", "MONTHLY", "WEEKLY", "DAILY"}).Draw(t, "freq")
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 4, rapid.ID).Draw(t, "parts") {
			rule += ";" + name + "=" + parts[name].Draw(t, name)
		}
		start := rapid.SampledFrom([]string{"19000101", "19991231", "20240229T100000", "20260105", "21261231"}).Draw(t, "start")
		rules, _, err := ParseICS([]byte(within(happening("DTSTART:"+start, "RRULE:"+rule))), Options{To: calendar.Date{Year: 2040, Month: 1, Day: 1}})
		if err != nil {
			if !job.Is(err, job.Invalid) {
				t.Fatal(err)
			}
			return
		}
		if first, _ := time.Parse("20060102", start[:8]); len(rules.Dates) > 0 && rules.Dates[0].Date.Compare(calendar.DateOf(first)) < 0 {
			t.Fatalf("%s begins %s with %s", rule, start, rules.Dates[0].Date)
		}
	})
}

// TestParsePublished reads a calendar as a publisher of Chinese holidays writes it.
func TestParsePublished(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/published.ics")
	if err != nil {
		t.Fatal(err)
	}
	rules, warnings, err := ParseICS(text, Options{Weekends: true})
	if err != nil || len(warnings) > 0 {
		t.Fatalf("warnings %q, error %v", warnings, err)
	}
	want := "SAT\nSUN\n2026-01-01..2026-01-03 元旦(休)\n+2026-01-04 元旦(班)\nuntil 2026-01-04"
	if diff := cmp.Diff(want, shown(rules)); diff != "" {
		t.Error(diff)
	}
}
