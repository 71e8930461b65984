package output

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/orthd/orth/internal/terminal"
)

// TestNarrowTables: on a narrow screen times leave their zone to the head, then texts are
// cut, then columns are left out; the key, times and ids stay whole.
func TestNarrowTables(t *testing.T) {
	t.Parallel()
	const at, later = "2030-01-31 08:00:00 UTC", "2030-02-01 09:30:00 UTC"
	jobs := func() (string, [][]string) {
		return "KEY GROUP SCHEDULE NEXT LAST", [][]string{
			{"nightly-report-eu", "billing-team", "cron 0 30 2 * * ? Europe/Berlin", at, later},
			{"b", "-", "every 10s", "-", at},
		}
	}
	for _, c := range []struct {
		screen int
		want   string
	}{
		{120, "" +
			"KEY                GROUP         SCHEDULE                         NEXT                     LAST\n" +
			"nightly-report-eu  billing-team  cron 0 30 2 * * ? Europe/Berlin  2030-01-31 08:00:00 UTC  2030-02-01 09:30:00 UTC\n" +
			"b                  -             every 10s                        -                        2030-01-31 08:00:00 UTC\n"},
		{108, "" +
			"KEY                GROUP         SCHEDULE                         NEXT (UTC)           LAST (UTC)\n" +
			"nightly-report-eu  billing-team  cron 0 30 2 * * ? Europe/Berlin  2030-01-31 08:00:00  2030-02-01 09:30:00\n" +
			"b                  -             every 10s                        -                    2030-01-31 08:00:00\n"},
		{90, "" +
			"KEY                GROUP         SCHEDULE         NEXT (UTC)           LAST (UTC)\n" +
			"nightly-report-eu  billing-team  cron 0 30 2 * …  2030-01-31 08:00:00  2030-02-01 09:30:00\n" +
			"b                  -             every 10s        -                    2030-01-31 08:00:00\n"},
		{80, "" +
			"KEY                GROUP         SCHEDULE                    NEXT (UTC)\n" +
			"nightly-report-eu  billing-team  cron 0 30 2 * * ? Europe/…  2030-01-31 08:00:00\n" +
			"b                  -             every 10s                   -\n" +
			"(-o wide shows LAST)\n"},
		{40, "" +
			"KEY                GROUP\n" +
			"nightly-report-eu  billing-team\n" +
			"b                  -\n" +
			"(-o wide shows SCHEDULE, NEXT, LAST)\n"},
		{10, "" +
			"KEY\n" +
			"nightly-report-eu\n" +
			"b\n" +
			"(-o wide …\n"},
	} {
		head, rows := jobs()
		var out strings.Builder
		p := Printer{Out: &out, Getenv: func(string) string { return "" }, Cells: c.screen}
		if err := p.Table(head, rows); err != nil || out.String() != c.want {
			t.Errorf("%d cells, %v:\n%s\nwant\n%s", c.screen, err, out.String(), c.want)
		}
	}
}

// TestNamedColumnsStay: columns that somebody asked for are never left out.
func TestNamedColumnsStay(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	p := Printer{Out: &out, Getenv: func(string) string { return "" }, Cells: 30, Columns: []string{"last", "key"}}
	if err := p.Table("KEY NEXT LAST", [][]string{{"nightly", "-", "2030-01-31 08:00:00 UTC"}}); err != nil {
		t.Fatal(err)
	}
	if want := "LAST (UTC)           KEY\n2030-01-31 08:00:00  nightly\n"; out.String() != want {
		t.Errorf("%s\nwant\n%s", out.String(), want)
	}
}

// TestZonesThatDiffer: times of several zones keep them.
func TestZonesThatDiffer(t *testing.T) {
	t.Parallel()
	known := newAtoms()
	for want, cells := range map[string][]string{
		"UTC": {"2030-01-31 08:00:00 UTC", "-", "never"}, "+0330": {"2030-01-31 08:00:00 +0330"}, "CET": {"2030-01-31 08:00 CET"},
	} {
		if got := known.commonZone(cells); got != want {
			t.Errorf("%q: %q, want %q", cells, got, want)
		}
	}
	for _, cells := range [][]string{
		{"2030-03-30 08:00:00 CET", "2030-04-01 08:00:00 CEST"}, {"-"}, {}, {"2030-01-31 08:00:00 UTC, late"}, {"2030-01-31"}, {"2030-01-31 08:00:00 UTC", "12"},
	} {
		if got := known.commonZone(cells); got != "" {
			t.Errorf("%q: %q, want none", cells, got)
		}
	}
}

// TestCutsSpareTimesAndIDs: a text is cut before the time or the id that would be cut.
func TestCutsSpareTimesAndIDs(t *testing.T) {
	t.Parallel()
	known := newAtoms()
	for _, c := range []struct {
		text  string
		cells int
		want  string
	}{
		{"held until 2030-01-31 08:00:00 UTC by ada", 41, "held until 2030-01-31 08:00:00 UTC by ada"},
		{"held until 2030-01-31 08:00:00 UTC by ada", 38, "held until 2030-01-31 08:00:00 UTC by…"},
		{"held until 2030-01-31 08:00:00 UTC by ada", 30, "held until…"},
		{"run 123456789 was lost", 10, "run…"},
		{"at 08:15:00.250 on 4f2a09bc11", 20, "at 08:15:00.250 on …"},
		{"at 08:15:00.250 on 4f2a09bc11", 26, "at 08:15:00.250 on…"},
		{"日报 (2030-01-31) 很长", 12, "日报…"},
		{"no times at all", 8, "no time…"},
	} {
		if got := known.cutCells(c.text, c.cells); got != c.want {
			t.Errorf("%q in %d cells: %q, want %q", c.text, c.cells, got, c.want)
		}
	}
	long := strings.Repeat("x", 50) + " 2030-01-31 08:00:00 UTC"
	if got, want := OneLine(long), strings.Repeat("x", 50)+"…"; got != want {
		t.Errorf("a cell: %q, want %q", got, want)
	}
	if got := OneLine(strings.Repeat("日", 60)); got != strings.Repeat("日", 60) {
		t.Errorf("60 characters are cut: %q", got)
	}
	if got, want := OneLine(strings.Repeat("日", 61)), strings.Repeat("日", 59)+"…"; got != want {
		t.Errorf("61 characters: %q", got)
	}
}

// TestTablesKeepTimes: whatever a table has, on whatever screen: no line is wider than the
// screen, unless its key is; and each time and id that begins a line's cells is whole.
func TestTablesKeepTimes(t *testing.T) {
	t.Parallel()
	stamp := rapid.StringMatching(`20[0-9]{2}-(0[1-9]|1[0-2])-[0-2][1-9] [0-1][0-9]:[0-5][0-9]:[0-5][0-9] (UTC|CET|[+]0330)`)
	id := rapid.StringMatching(`[1-9][0-9]{4,17}|[0-9a-f]{12}`)
	cell := rapid.OneOf(stamp, id, rapid.StringMatching(`[a-z-]{1,30}`), rapid.StringMatching(`[a-z]{1,9}( [a-z日]{1,9}){1,6}`), rapid.Just(""))
	text := rapid.Custom(func(r *rapid.T) string {
		return "held until " + stamp.Draw(r, "stamp") + " as " + id.Draw(r, "id") + " says"
	})
	rapid.Check(t, func(r *rapid.T) {
		head := slices.Clone([]string{"KEY", "AT", "WHAT", "RUN", "STATE", "NOTE"}[:rapid.IntRange(1, 6).Draw(r, "columns")])
		for i := range head {
			if rapid.Bool().Draw(r, "spare") {
				head[i] += "?"
			}
		}
		var rows [][]string
		known := map[string]bool{"0330": true} // of a zone in a head
		for range rapid.IntRange(1, 5).Draw(r, "rows") {
			row := make([]string, len(head))
			for i := range row {
				row[i] = rapid.OneOf(cell, text).Draw(r, "cell")
			}
			for _, c := range row {
				for _, atom := range newAtoms().all.FindAllString(c, -1) {
					known[atom] = true
					if at, zone, zoned := strings.Cut(atom, " "); zoned {
						known[at+" "+zone[:len("08:00:00")]] = true // the head has its zone
					}
				}
			}
			rows = append(rows, row)
		}
		longest := len("KEY")
		for _, row := range rows {
			longest = max(longest, terminal.Width(OneLine(row[0])))
		}
		var out strings.Builder
		screen := rapid.SampledFrom([]int{20, 40, 60, 80, 100, 132}).Draw(r, "screen")
		p := Printer{Out: &out, Getenv: func(string) string { return "" }, Cells: screen}
		if err := p.Table(strings.Join(head, " "), rows); err != nil {
			r.Fatal(err)
		}
		digits := regexp.MustCompile(`[0-9a-f-]*\d{4,}[0-9a-f-]*( \d\d:\d\d:\d\d( [A-Z]{3}| [+]0330)?)?`)
		for line := range strings.Lines(out.String()) {
			line = strings.TrimSuffix(line, "\n")
			if terminal.Width(line) > max(screen, longest) {
				r.Fatalf("%d cells on a screen of %d: %q\n%s", terminal.Width(line), screen, line, &out)
			}
			for _, atom := range digits.FindAllString(line, -1) {
				if !known[atom] {
					r.Fatalf("%q is cut: %q\n%s", atom, line, &out)
				}
			}
		}
	})
}

// TestNarrowTablesSayWhy: where a table marks columns as spare, the last one, which says
// why, has room before they have a place; on a wide screen it has the rest of the line.
func TestNarrowTablesSayWhy(t *testing.T) {
	t.Parallel()
	const head = "ID JOB STATE CAUSE? PLANNED? ENDED TRIES? MESSAGE"
	const message = "exit status 3: psql: error: connection to server at db failed: Connection refused"
	for _, c := range []struct {
		screen  int
		columns []string
		want    string
	}{
		{200, nil, "1024  nightly  failed  schedule  2030-01-31 01:30:00 CET  2030-01-31 01:30:05 CET  3      " + message},
		{132, nil, "1024  nightly  failed  schedule  2030-01-31 01:30:00  2030-01-31 01:30:05  3      exit status 3: psql: error: connection to server …"},
		{100, nil, "1024  nightly  failed  schedule  2030-01-31 01:30:05  exit status 3: psql: error: connection to ser…"},
		{80, nil, "1024  nightly  failed  2030-01-31 01:30:05  exit status 3: psql: error: connect…"},
		{60, nil, "1024  nightly  failed  2030-01-31 01:30:05  exit status 3: …"},
		{80, []string{"id", "cause", "planned", "message"}, "1024  schedule  2030-01-31 01:30:00  exit status 3: psql: error: connection to …"},
		{0, nil, "1024  nightly  failed  schedule  2030-01-31 01:30:00 CET  2030-01-31 01:30:05 CET  3      exit status 3: psql: error: connection to server at db fail…"},
	} {
		var out strings.Builder
		p := Printer{Out: &out, Getenv: func(string) string { return "" }, Columns: c.columns, Cells: c.screen}
		if err := p.Table(head, [][]string{{"1024", "nightly", "failed", "schedule", "2030-01-31 01:30:00 CET", "2030-01-31 01:30:05 CET", "3", message}}); err != nil {
			t.Fatal(err)
		}
		heads, rest, _ := strings.Cut(out.String(), "\n")
		line, _, _ := strings.Cut(rest, "\n")
		if line != c.want || strings.Contains(heads, "?") || c.screen > 0 && terminal.Width(line) > c.screen {
			t.Errorf("%d cells, %v: %d cells\n%s\n%s\nwant\n%s", c.screen, c.columns, terminal.Width(line), heads, line, c.want)
		}
	}
}
