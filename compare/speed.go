package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// question is something that the libraries are timed at.
type question struct {
	name, expr, zone string
	parse            bool // how long it takes to make the expression ready
}

func questions() []question {
	const noon, utc = "0 0 12 * * ?", "UTC"
	return []question{
		{name: "each minute", expr: "0 * * * * ?", zone: utc},
		{name: "daily", expr: noon, zone: utc},
		{name: "daily, New York", expr: noon, zone: "America/New_York"},
		{name: "Monday to Friday", expr: "0 30 8 ? * MON-FRI", zone: utc},
		{name: "last day", expr: "0 15 10 L * ?", zone: utc},
		{name: "third Friday", expr: "0 15 10 ? * 6#3", zone: utc},
		{name: "29 February", expr: "0 0 0 29 2 ?", zone: utc},
		{name: "parse a daily", expr: noon, zone: utc, parse: true},
		{name: "parse lists", expr: "0 0/5 14,18 ? JAN-MAR MON-FRI", zone: utc, parse: true},
	}
}

// figure is the cost of an answer of a library; absent when its documentation
// promises none.
type figure struct {
	absent bool
	ns     float64
	allocs int64
}

// measure times each question with each library. The libraries take turns; the
// medians count.
func measure(rounds int) ([][]figure, error) {
	var all [][]figure
	for _, q := range questions() {
		zone, err := time.LoadLocation(q.zone)
		if err != nil {
			return nil, err
		}
		row := make([]figure, len(libraries()))
		times := make([][]float64, len(row))
		for range rounds {
			for i, l := range libraries() {
				if row[i].absent = !l.promises(q.expr); row[i].absent {
					continue
				}
				result, err := ask(l, q, zone)
				if err != nil {
					return nil, fmt.Errorf("%s, %s: %w", l.name, q.name, err)
				}
				times[i] = append(times[i], float64(result.T.Nanoseconds())/float64(result.N))
				row[i].allocs = result.AllocsPerOp()
			}
		}
		for i := range row {
			if !row[i].absent {
				slices.Sort(times[i])
				row[i].ns = times[i][rounds/2]
			}
		}
		all = append(all, row)
	}
	return all, nil
}

func ask(l library, q question, zone *time.Location) (testing.BenchmarkResult, error) {
	expr := l.write(q.expr)
	find, err := l.compile(expr, zone)
	if err != nil {
		return testing.BenchmarkResult{}, err
	}
	return testing.Benchmark(func(b *testing.B) {
		b.Helper()
		start := time.Date(2026, 6, 1, 0, 0, 0, 0, zone)
		at := start
		b.ReportAllocs()
		for b.Loop() {
			if q.parse {
				if _, err := l.compile(expr, zone); err != nil {
					b.Fatal(err)
				}
				continue
			}
			found, ok := find(at)
			if at = found; !ok || at.Year() > 2036 {
				at = start
			}
		}
	}), nil
}

// figuresTable is the figures as a table: Orth's own, and how many times as long
// the others take.
func figuresTable(figures [][]figure) string {
	var w strings.Builder
	w.WriteString("| question |")
	for _, l := range libraries() {
		fmt.Fprintf(&w, " %s |", l.name)
	}
	w.WriteString("\n|---|---|---|---|---|\n")
	for i, q := range questions() {
		fmt.Fprintf(&w, "| %s `%s` |", q.name, q.expr)
		for j, f := range figures[i] {
			switch {
			case f.absent:
				w.WriteString(" – |")
			case j == 0:
				fmt.Fprintf(&w, " %.0f ns, %d allocs |", f.ns, f.allocs)
			default:
				fmt.Fprintf(&w, " ×%.1f, %d allocs |", f.ns/figures[i][0].ns, f.allocs)
			}
		}
		w.WriteString("\n")
	}
	return w.String()
}
