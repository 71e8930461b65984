package schedule

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// The ends of years, leap days and the ends of time in zones whose clocks step,
// beyond the tables of the zones too.
func TestGoldenEnds(t *testing.T) {
	t.Parallel()
	places := []struct {
		zone string
		scene
	}{
		{"America/New_York", scene{
			`2040 is a leap year beyond the zone's table, where its rules take over. Its 366th day is like any other.`,
			"2040-12-30T18:00", "2041-01-01T06:00",
			[]string{"0 0 */6 * * ?", "59 59 23 31 12 ?", "@yearly", "0 0 0 31 12 ? 2040"},
		}},
		{"America/New_York", scene{
			`The leap days around 2100, which has none.`,
			"2095-01-01T00:00", "2109-01-01T00:00",
			[]string{"0 30 1 29 2 ?", "0 30 1 L 2 ? 2096-2104/4"},
		}},
		{"Australia/Lord_Howe", scene{
			`The end of a summer, in 2096, half an hour back: 01:45 comes twice on 1 April. And the leap day of that year.`,
			"2096-02-28T00:00", "2096-04-02T00:00",
			[]string{"0 45 1 1 4 ?", "0 45 1 29 2 ?"},
		}},
		{"Pacific/Apia", scene{
			`New Year's Eve two years after the lost day, and that of 2011, when the 30th had no evening.`,
			"2011-12-29T23:00", "2014-01-01T02:00",
			[]string{"0 59 23 30,31 12 ?", "@yearly"},
		}},
		{"Asia/Kathmandu", scene{
			`31 December 1985: 23:59:59 +05:30 is followed by 00:15:00 +05:45 of the new year. Its first quarter is lost.`,
			"1985-12-31T23:00", "1986-01-01T01:00",
			[]string{"@yearly", "0 10 0 * * ?", "0 */10 * * * ?"},
		}},
		{"Pacific/Kiritimati", scene{
			`31 December 1994 does not exist: 23:59:59 of the 30th (-10) is followed by 00:00:00 of 1 January 1995 (+14).`,
			"1994-12-30T22:00", "1995-01-01T02:00",
			[]string{"0 0 12 31 12 ?", "0 0 23 L 12 ?", "@yearly", "0 0 * * * ?"},
		}},
		{"America/New_York", scene{
			`The last day of all is 31 December 2126, on the wall. Nothing fires after it.`,
			"2126-12-30T22:00", "2127-01-02T00:00",
			[]string{"59 59 23 * * ?", "0 0 0 1 1 ?"},
		}},
		{"Pacific/Kiritimati", scene{
			`The first day of all is 1 January 1970, on the wall, where the clock was at -10:40.`,
			"1969-12-31T00:00", "1970-01-02T01:00",
			[]string{"0 0 0 * * ?"},
		}},
	}
	var b strings.Builder
	b.WriteString("# What fires at odd ends. The lines with # say what is expected and why.\n")
	for _, p := range places {
		zone := mustZone(t, p.zone)
		fmt.Fprintf(&b, "\n# %s. %s\n", p.zone, strings.ReplaceAll(p.note, "\n", "\n# "))
		for _, expr := range p.exprs {
			writeScene(t, &b, expr, zone, instant(t, p.from, zone), instant(t, p.to, zone))
		}
	}
	compareGolden(t, filepath.Join("testdata", "dst", "ends.golden"), b.String())
}
