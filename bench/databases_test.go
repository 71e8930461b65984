package main

import (
	"strings"
	"testing"

	"github.com/orthd/orth/job"
)

func TestDatabases(t *testing.T) {
	t.Parallel()
	setups := []setup{
		{"SQLite", false, job.DialectNative, 1},
		{"family", true, job.DialectXXL, 1},
		{"native", true, job.DialectNative, 1},
		{"two", true, job.DialectNative, 2},
	}
	at := func(rates ...float64) []result {
		var all []result
		for _, r := range rates {
			all = append(all, result{rate: r, server: 100, executor: 50, database: 70})
		}
		return all
	}
	figures := judged(setups, [][]result{at(5000), at(9000, 11_000, 10_500), at(25_000, 1, 15_000), at(14_000)}, at(30_000))
	got := map[string]string{}
	for _, f := range figures {
		got[f.String()] = f.met()
	}
	for figure, met := range map[string]string{
		"SQLite 5000/s": "", "family 10500/s": "met", "family, of the peer 0.35×": "MISSED", "native 15000/s": "MISSED",
		"native, of the peer 0.50×": "MISSED", "two 14000/s": "", "two, of one server 0.93×": "MISSED", "native, database CPU 70 µs": "",
		"family, doubled 0": "met", "the peer 30000/s": "",
	} {
		if said, there := got[figure]; !there || said != met {
			t.Errorf("%s is %q, want %q", figure, said, met)
		}
	}
	for figure := range got {
		if strings.HasPrefix(figure, "SQLite, database") {
			t.Errorf("%s: it has none of its own", figure)
		}
	}
	if got := medianOf(nil, func(r result) float64 { return r.rate }); got != 0 {
		t.Errorf("the median of nothing is %g", got)
	}
}
