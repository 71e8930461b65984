package holidays

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule/calendar"
)

func date(t *testing.T, text string) calendar.Date {
	t.Helper()
	d, err := calendar.ParseDate(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// shown writes rules such that a test can be read: days with their names, ranges
// with two dots, exceptions with a plus.
func shown(r calendar.Rules) string {
	var b strings.Builder
	for _, w := range r.Weekdays {
		fmt.Fprintf(&b, "%s\n", w)
	}
	for _, d := range r.Dates {
		fmt.Fprintf(&b, "%s %s\n", d.Date, d.Name)
	}
	for _, s := range r.Ranges {
		fmt.Fprintf(&b, "%s..%s %s\n", s.From, s.To, s.Name)
	}
	for _, d := range r.Except {
		fmt.Fprintf(&b, "+%s %s\n", d.Date, d.Name)
	}
	fmt.Fprintf(&b, "until %s", r.KnownUntil)
	return b.String()
}

func TestParseCSV(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		options    Options
		want       string
	}{
		{
			"plain", "2026-12-25,Christmas\n2026-01-01\n",
			Options{},
			"2026-01-01 \n2026-12-25 Christmas\nuntil 2026-12-25",
		},
		{
			"chinese", "\uFEFF日期;名称;类型\r\n2026-10-01..2026-10-07;国庆节;休\r\n2026/10/10;国庆节;班\r\n20260101;元旦;\r\n",
			Options{Weekends: true},
			"SAT\nSUN\n2026-01-01 元旦\n2026-10-01..2026-10-07 国庆节\n+2026-10-10 国庆节\nuntil 2026-10-10",
		},
		{
			"columns in another order", "Type\tcountry\tName\tDate\nwork\tXX\tMake-up\t2026-02-14\nholiday\tXX\t\"New\tYear\"\t2026-01-01",
			Options{},
			"2026-01-01 New Year\n+2026-02-14 Make-up\nuntil 2026-02-14",
		},
		{
			"comments and empty lines", "# closing days\n\n ,,\n2026-12-31, \"Stock, all\"\n",
			Options{},
			"2026-12-31 Stock, all\nuntil 2026-12-31",
		},
		{
			"empty fields between tabs", "2026-12-31\t\twork\n2026-12-30\t\t",
			Options{},
			"2026-12-30 \n+2026-12-31 \nuntil 2026-12-31",
		},
		{
			"several names", "2026-05-01,Labour Day\n2026-05-01,Beltane\n2026-05-01,Labour Day\n2026-05-01",
			Options{},
			"2026-05-01 Labour Day, Beltane\nuntil 2026-05-01",
		},
		{
			"days in a row with one name", "2026-05-02,Rest\n2026-05-01,Rest\n2026-05-03,Other",
			Options{},
			"2026-05-03 Other\n2026-05-01..2026-05-02 Rest\nuntil 2026-05-03",
		},
		{
			"bounds", "2025-12-31,before\n2026-01-30..2026-02-02,across\n2026-02-03,after",
			Options{From: date(t, "2026-01-01"), To: date(t, "2026-02-01")},
			"2026-01-30..2026-02-01 across\nuntil 2026-02-01",
		},
	}
	for _, tt := range tests {
		rules, warnings, err := ParseCSV([]byte(tt.text), tt.options)
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

func TestParseCSVRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text, want string
		options    Options
	}{
		{text: "", want: "text: names no day from 1970-01-01 to 2126-12-31: give a text with dates in that time"},
		{
			text: "2026-01-01", want: "text: names no day from 2027-01-01 to 2126-12-31: give a text with dates in that time",
			options: Options{From: date(t, "2027-01-01")},
		},
		{
			text: "2026-01-01", want: "to: 2026-01-01 is before 2027-01-01: exchange the bounds",
			options: Options{From: date(t, "2027-01-01"), To: date(t, "2026-01-01")},
		},
		{
			text: "date,name\n2026-01-01,a\n31.12.2026,b",
			want: `text: line 3: "31.12.2026" is no date in the years 1970-2126: ` +
				`write it such as 2026-10-01, or 2026-10-01..2026-10-07 for several days`,
		},
		{text: "2026-02-29", want: `text: line 1: "2026-02-29" is no date in the years 1970-2126: ` + dateHint},
		{text: "1969-12-31", want: `text: line 1: "1969-12-31" is no date in the years 1970-2126: ` + dateHint},
		{text: "2026-10-01..", want: `text: line 1: "" is no date in the years 1970-2126: ` + dateHint},
		{text: "\n\n,name", want: `text: line 3: "" is no date in the years 1970-2126: ` + dateHint},
		{text: "2026-10-07..2026-10-01", want: "text: line 1: 2026-10-01 is before 2026-10-07: exchange them"},
		{text: "name,2026-10-07", want: `text: line 1: "name" is no date in the years 1970-2126: ` + dateHint},
		{
			text: "2026-10-07,a,b",
			want: `text: line 1: "b" is no type of a day: leave it out or write holiday, or work for a working day that makes up for a holiday`,
		},
		{
			text: "2026-10-07,\"a\n2026-10-08",
			want: "text: line 2: cannot be split into fields: extraneous or missing \" in quoted-field" +
				"; set quotes around a whole field, and double those within",
		},
		{text: strings.Repeat("x", MaxBytes+1), want: "text: has 524289 bytes: at most 524288 are allowed"},
		{
			text: strings.Repeat("1970-01-01..2126-12-31\n", 5),
			want: "text: line 4: up to here the text names days more than 200000 times: leave some out",
		},
	}
	for _, tt := range tests {
		_, _, err := ParseCSV([]byte(tt.text), tt.options)
		if !job.Is(err, job.Invalid) || err.Error() != tt.want {
			t.Errorf("%.40q: error %v, want %s", tt.text, err, tt.want)
		}
	}
}

func TestTooManyDays(t *testing.T) {
	t.Parallel()
	rules, warnings, err := ParseCSV([]byte("2000-01-01..2020-12-31,closed\n2000-01-01..2026-12-31,worked,work"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"the text names more than 5000 days; those after 2013-09-08 were left out"}
	if diff := cmp.Diff(want, warnings); diff != "" {
		t.Error(diff)
	}
	if got := len(rules.Except); got != MaxDays {
		t.Errorf("%d exceptions, want %d", got, MaxDays)
	}
	if diff := cmp.Diff([]calendar.Range{{From: date(t, "2000-01-01"), To: date(t, "2013-09-08"), Name: "closed"}}, rules.Ranges); diff != "" {
		t.Error(diff)
	}
	if _, err := rules.Compile(); err != nil {
		t.Error(err)
	}
}

func TestManyRanges(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range calendar.MaxRanges + 2 {
		from := calendar.Date{Year: 2000, Month: 1, Day: 1}.Add(i * 3)
		fmt.Fprintf(&text, "%s..%s,two\n", from, from.Add(1))
	}
	rules, _, err := ParseCSV([]byte(text.String()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(rules.Ranges) != calendar.MaxRanges || len(rules.Dates) != 4 {
		t.Errorf("%d ranges and %d dates", len(rules.Ranges), len(rules.Dates))
	}
	if _, err := rules.Compile(); err != nil {
		t.Error(err)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("好", calendar.MaxName)
	tests := []struct{ a, b, want string }{
		{"", "", ""},
		{"", "b", "b"},
		{"a", "", "a"},
		{"a, b", "b", "a, b"},
		{"a, b", "c", "a, b, c"},
		{long, "c", long},
	}
	for _, tt := range tests {
		if got := joinNames(tt.a, tt.b); got != tt.want {
			t.Errorf("joinNames(%q, %q) = %q, want %q", tt.a, tt.b, got, tt.want)
		}
	}
	if got, want := cleanName(" a\n\tb\xff "), "a b"; got != want {
		t.Errorf("cleanName = %q, want %q", got, want)
	}
	if got, want := cleanName(long+"!"), strings.Repeat("好", calendar.MaxName-1)+"…"; got != want {
		t.Errorf("cleanName = %q, want %q", got, want)
	}
}

func FuzzParseCSV(f *testing.F) {
	f.Add("date,name,type\n2026-10-01..2026-10-07,国庆节,休\n2026-10-10,x,work\n")
	f.Add("\uFEFF日期;名称;类型\r\n20261001;\"国;庆\";班\r\n")
	f.Add("1970-01-01..2126-12-31\n2026/1/1\ta")
	f.Fuzz(func(t *testing.T, text string) {
		rules, _, err := ParseCSV([]byte(text), Options{Weekends: true})
		checkParsed(t, rules, err)
	})
}

// checkParsed fails when rules that were read from some text are not valid.
func checkParsed(t *testing.T, rules calendar.Rules, err error) {
	t.Helper()
	if err != nil {
		if !job.Is(err, job.Invalid) || len(err.Error()) > 1000 {
			t.Fatalf("error %v", err)
		}
		return
	}
	if _, err := rules.Compile(); err != nil && !strings.Contains(err.Error(), "allows no day") {
		t.Fatal(err)
	}
	if rules.KnownUntil.IsZero() {
		t.Fatal("the rules have no end")
	}
}
