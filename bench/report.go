package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// figure is one number that a part of the benchmark gave.
type figure struct {
	what   string
	got    float64
	unit   string // one of the units below
	target float64
	rule   rule
}

// Units of figures. Times and rates are set against what loopback carries in the
// same minute.
const (
	seconds = "s"
	millis  = "ms"
	micros  = "µs"
	rate    = "/s"
	mebi    = "MiB"
	bytesOf = "bytes"
	percent = "%"
	ratio   = "×"
	count   = ""
)

// rule is how a figure stands to its target.
type rule int

const (
	none rule = iota
	most
	least
)

func plain(what string, got float64, unit string) figure {
	return figure{what: what, got: got, unit: unit}
}

func atMost(what string, got float64, unit string, target float64) figure {
	return figure{what, got, unit, target, most}
}

func atLeast(what string, got float64, unit string, target float64) figure {
	return figure{what, got, unit, target, least}
}

// met says in a word whether the figure keeps its target.
func (f figure) met() string {
	switch {
	case f.rule == none:
		return ""
	case f.rule == most && f.got <= f.target, f.rule == least && f.got >= f.target:
		return "met"
	}
	return "MISSED"
}

// aim is the target with its rule.
func (f figure) aim() string {
	switch f.rule {
	case most:
		return "≤ " + number(f.target, f.unit)
	case least:
		return "≥ " + number(f.target, f.unit)
	default:
		return ""
	}
}

// trips says how many HTTP round trips loopback would have carried meanwhile: in
// a time, or for each of what a rate counts.
func (f figure) trips(c calibration) string {
	per := map[string]float64{seconds: f.got, millis: f.got / 1e3, rate: 1 / f.got}[f.unit]
	if f.got <= 0 || per == 0 {
		return ""
	}
	return number(per*c.trips16, count)
}

func (f figure) String() string { return f.what + " " + number(f.got, f.unit) }

// number prints three or more digits of what matters.
func number(v float64, unit string) string {
	digits := 0
	switch {
	case v == float64(int64(v)):
	case v < 10:
		digits = 2
	case v < 100:
		digits = 1
	}
	text := fmt.Sprintf("%.*f", digits, v)
	switch unit {
	case count:
		return text
	case percent, ratio, rate:
		return text + unit
	default:
		return text + " " + unit
	}
}

// inMillis is a duration as the figures have it.
func inMillis(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }

// chapter is a part of the benchmark with its figures and what the machine could
// do in the minute before it.
type chapter struct {
	name    string
	machine calibration
	figures []figure
}

// table prints all figures, one a line.
func table(w io.Writer, chapters []chapter) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "scenario\tfigure\tvalue\ttarget\t\tin round trips\tround trips/s\tsyncs/s")
	for _, c := range chapters {
		for i, f := range c.figures {
			name, machine := "", "\t"
			if i == 0 {
				name, machine = c.name, fmt.Sprintf("%.0f\t%.0f", c.machine.trips16, c.machine.syncs)
			}
			_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
				name, f.what, number(f.got, f.unit), f.aim(), f.met(), f.trips(c.machine), machine)
		}
	}
	return t.Flush()
}
