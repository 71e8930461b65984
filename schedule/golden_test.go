package schedule

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var rewrite = flag.Bool("update-dst", false, "write testdata/dst anew")

// scene is a span on the wall of a zone, what happens in it, and the expressions
// that are asked what they do there. The note says what is expected and why; the
// golden file shows both the note and what the code answers, to be read
// together.
type scene struct {
	note     string
	from, to string
	exprs    []string
}

var scenes = []struct {
	file, zone string
	scenes     []scene
}{
	{"new_york", "America/New_York", []scene{
		{
			`8 March 2026: 01:59:59 EST is followed by 03:00:00 EDT.
02:30 does not exist: quartz skips to the 9th, wall fires at 03:00 EDT, before at 01:59:59 EST.
02:00, 02:20 and 02:40 are one lost group: wall fires once, at 03:00, before once, at 01:59:59.
Hours 0-6/2: 02:00 moves to 03:00 EDT, which is two hours after 00:00. It has no neighbours, so it keeps no pace.
Hours 2,3: the moved 02:00 and the true 03:00 are the same instant and fire once.
Every half hour keeps a pace: wall goes from 01:30 EST on to 03:00 EDT, and so does quartz.`,
			"2026-03-08T00:00", "2026-03-09T03:00",
			[]string{
				"0 30 2 * * ?", "0 0/20 2 * * ?", "0 0 0-6/2 ? * SUN", "0 0 2,3 8 * ?", "0 0/30 0-5 ? * SUN",
			},
		},
		{
			`1 November 2026: 01:59:59 EDT is followed by 01:00:00 EST.
01:30 comes twice: quartz takes the second (EST), wall the first (EDT), both takes both.
Every half hour: quartz pauses from 00:30 EDT to 01:00 EST, wall runs straight on through both passes.
Hourly (Unix) is the same with whole hours. 01:15 and 01:45 alone keep no pace: wall takes the first pass.`,
			"2026-11-01T00:00", "2026-11-01T04:00",
			[]string{
				"0 30 1 * * ?", "0 0/30 0-3 * * ?", "0 * * * *", "15,45 1 * * *",
			},
		},
	}},
	{"london", "Europe/London", []scene{
		{
			`29 March 2026: 00:59:59 GMT is followed by 02:00:00 BST. 01:30 is lost: wall fires at 02:00, before at 00:59:59.
1-2 with a minute of 30 names two times of the day, one of which is lost: wall fires at 02:00 and at 02:30.`,
			"2026-03-29T00:00", "2026-03-30T02:00",
			[]string{"0 30 1 * * ?", "0 30 1-2 * * ?", "@hourly"},
		},
		{
			`25 October 2026: 01:59:59 BST is followed by 01:00:00 GMT. 01:00 and 01:30 come twice. 02:00 does not.`,
			"2026-10-25T00:00", "2026-10-25T03:00",
			[]string{"0 0 1 * * ?", "30 1 * * *", "0 0 2 * * ?", "0 */30 * * * ?"},
		},
	}},
	{"lord_howe", "Australia/Lord_Howe", []scene{
		{
			`5 April 2026: 01:59:59 +11 is followed by 01:30:00 +10:30, half an hour back.
01:15 comes once, 01:45 twice. Every quarter: wall keeps the pace, quartz pauses from 01:15 to the second 01:30.`,
			"2026-04-05T01:00", "2026-04-05T02:30",
			[]string{"0 15 1 * * ?", "0 45 1 * * ?", "0 */15 * * * ?"},
		},
		{
			`4 October 2026: 01:59:59 +10:30 is followed by 02:30:00 +11. 02:15 is lost, 02:30 is the first instant after the gap.`,
			"2026-10-04T01:00", "2026-10-05T02:30",
			[]string{"0 15 2 * * ?", "0 0,15,30 2 * * ?", "0 30 2 * * ?"},
		},
	}},
	{"sao_paulo", "America/Sao_Paulo", []scene{
		{
			`4 November 2018: 23:59:59 of the 3rd is followed by 01:00:00. Midnight is lost: wall fires at 01:00 of the 4th,
before in the last second of the 3rd. For "on the 4th" that is a second before its day, as fire_before says.`,
			"2018-11-03T22:00", "2018-11-05T01:00",
			[]string{"@daily", "0 0 0 4 11 ?", "0 0 * * * ?"},
		},
		{
			`17 February 2019: 23:59:59 of the 16th is followed by 23:00:00 of the 16th. 23:30 comes twice, midnight once.`,
			"2019-02-16T22:00", "2019-02-17T02:00",
			[]string{"0 30 23 * * ?", "@daily", "0 0 * * * ?"},
		},
	}},
	{"shanghai", "Asia/Shanghai", []scene{
		{
			`The clock has not stepped since 1991: all rules give the same.`,
			"2026-03-08T00:00", "2026-03-10T00:00",
			[]string{"0 30 2 * * ?", "0 0 */12 * * ?"},
		},
		{
			`14 April 1991: 01:59:59 is followed by 03:00:00.`,
			"1991-04-14T00:00", "1991-04-15T03:00",
			[]string{"0 30 2 * * ?"},
		},
		{
			`15 September 1991: 01:59:59 is followed by 01:00:00.`,
			"1991-09-15T00:00", "1991-09-15T04:00",
			[]string{"0 30 1 * * ?", "0 0 * * * ?"},
		},
	}},
	{"apia", "Pacific/Apia", []scene{
		{
			`30 December 2011 does not exist: 23:59:59 of the 29th (-10) is followed by 00:00:00 of the 31st (+14).
Noon of the 30th: quartz skips it, wall fires at 00:00 of the 31st, before in the last second of the 29th.
Every six hours: four firings of the 30th are lost and become one, which is the true one of 00:00 of the 31st.
"On the 30th of December" fires in 2011 under wall and before, and not under quartz.
Every hour keeps a pace: an hour lies between 23:00 of the 29th and 00:00 of the 31st.`,
			"2011-12-29T12:00", "2011-12-31T13:00",
			[]string{"0 0 12 * * ?", "0 0 */6 * * ?", "0 0 12 30 12 ?", "0 0 * ? * THU,SAT"},
		},
	}},
	{"casablanca", "Africa/Casablanca", []scene{
		{
			`15 February 2026, Ramadan: 02:59:59 +01 is followed by 02:00:00 +00. 02:30 comes twice.`,
			"2026-02-15T01:00", "2026-02-15T04:00",
			[]string{"0 30 2 * * ?", "0 */30 * * * ?"},
		},
		{
			`22 March 2026: 01:59:59 +00 is followed by 03:00:00 +01. 02:30 is lost.`,
			"2026-03-22T01:00", "2026-03-23T03:00",
			[]string{"0 30 2 * * ?", "0 30 2,14 * * ?"},
		},
	}},
	{"calendar", "UTC", []scene{
		{
			`29 February comes every fourth year and not in 2100. Nothing steps in UTC, so all rules give the same.`,
			"2092-01-01T00:00", "2109-01-01T00:00",
			[]string{"0 0 0 29 2 ?", "0 12 29 2 *"},
		},
		{
			`The end of a year: its last second, its first, and what spans it.`,
			"2026-12-31T22:00", "2027-01-01T03:00",
			[]string{"59 59 23 31 12 ?", "@yearly", "0 0 22-2/2 * * ?", "0 0 0 1 1 ? 2027"},
		},
		{
			`Unix days: the 13th or a Friday; odd dates that are Mondays, because */2 begins with a star; 0 and 7 are Sunday.`,
			"2026-02-01T00:00", "2026-03-01T00:00",
			[]string{"0 0 13 * 5", "0 0 */2 * 1", "0 0 * * 7", "0 0 * * 0"},
		},
	}},
}

func TestGoldenClockChanges(t *testing.T) {
	t.Parallel()
	for _, place := range scenes {
		t.Run(place.file, func(t *testing.T) {
			t.Parallel()
			zone := mustZone(t, place.zone)
			var b strings.Builder
			fmt.Fprintf(&b, "# What fires in %s. The lines with # say what is expected and why.\n", place.zone)
			for _, s := range place.scenes {
				fmt.Fprintf(&b, "\n# %s\n", strings.ReplaceAll(s.note, "\n", "\n# "))
				for _, expr := range s.exprs {
					writeScene(t, &b, expr, zone, instant(t, s.from, zone), instant(t, s.to, zone))
				}
			}
			compareGolden(t, filepath.Join("testdata", "dst", place.file+".golden"), b.String())
		})
	}
}

// writeScene writes the firings under each set of rules, a line for each day.
func writeScene(t *testing.T, b *strings.Builder, expr string, zone *time.Location, from, to time.Time) {
	t.Helper()
	rules := []struct {
		name string
		dst  DST
	}{{"quartz", Quartz()}, {"wall", Wall()}, {"before, both", DST{Gap: GapBefore, Overlap: OverlapBoth}}}
	fmt.Fprintf(b, "\n%s\n", expr)
	for _, r := range rules {
		cron, err := ParseCronWith(expr, CronOptions{Zone: zone, DST: r.dst})
		if err != nil {
			t.Fatalf("ParseCronWith(%q) = %v", expr, err)
		}
		fmt.Fprintf(b, "  %s:", r.name)
		day := ""
		for _, at := range Between(cron, from, to, 100) {
			local := at.In(zone)
			if date := local.Format(time.DateOnly); date != day {
				day = date
				fmt.Fprintf(b, "\n    %s ", day)
			}
			fmt.Fprintf(b, " %s", local.Format("15:04:05-07:00"))
		}
		if day == "" {
			b.WriteString(" nothing")
		}
		b.WriteString("\n")
	}
}

func compareGolden(t *testing.T, path, got string) {
	t.Helper()
	if *rewrite {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; write it with -update-dst and read it", err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
