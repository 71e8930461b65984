package main

import (
	"strings"
	"testing"
	"time"
)

func TestFigures(t *testing.T) {
	t.Parallel()
	machine := calibration{trips16: 20_000}
	for _, c := range []struct {
		figure                   figure
		words, aim, met, inTrips string
	}{
		{plain("recorded", 5000, rate), "recorded 5000/s", "", "", "4"},
		{atMost("late p99", 12.34, millis, 10), "late p99 12.3 ms", "≤ 10 ms", "MISSED", "247"},
		{atMost("drained in", 0.5, seconds, 1), "drained in 0.50 s", "≤ 1 s", "met", "10000"},
		{atLeast("delivered", 3000, rate, 3000), "delivered 3000/s", "≥ 3000/s", "met", "6.67"},
		{atLeast("calls", 19, count, 20), "calls 19", "≥ 20", "MISSED", ""},
		{atMost("lost", 0, count, 0), "lost 0", "≤ 0", "met", ""},
		{atMost("memory", 123.6, mebi, 250), "memory 124 MiB", "≤ 250 MiB", "met", ""},
		{plain("recorded", 0, rate), "recorded 0/s", "", "", ""},
	} {
		f := c.figure
		if f.String() != c.words || f.aim() != c.aim || f.met() != c.met || f.trips(machine) != c.inTrips {
			t.Errorf("%q %q %q %q, want %q %q %q %q", f, f.aim(), f.met(), f.trips(machine), c.words, c.aim, c.met, c.inTrips)
		}
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	err := table(&b, []chapter{
		{"herd", calibration{syncs: 7000, trips16: 30_000}, []figure{atMost("drained in", 2, seconds, 1), plain("recorded", 5000, rate)}},
		{"restart", calibration{}, nil},
	})
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if err != nil || len(lines) != 3 || !strings.HasPrefix(lines[1], "herd") || !strings.Contains(lines[1], "MISSED") ||
		!strings.HasPrefix(lines[2], "  ") {
		t.Errorf("%v:\n%s", err, b.String())
	}
}

func TestNotes(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1_000_000)
	began := func(job int64, planned, late time.Duration) note {
		return note{job, at.Add(planned).UnixMilli(), at.Add(planned + late).UnixMicro()}
	}
	notes := []note{
		began(1, 0, 3*time.Millisecond), began(2, 0, time.Millisecond), began(1, time.Second, 2*time.Millisecond),
		began(2, 0, 9*time.Millisecond),
	}
	if n := doubled(notes); n != 1 {
		t.Errorf("%v were doubled, want 1", n)
	}
	late := latenessOf(notes)
	if late.at(0) != 1 || late.at(0.5) != 3 || late.at(1) != 9 || (lateness{}).at(0.5) != 0 {
		t.Errorf("lateness is %v", late)
	}
	if got, ok := first(notes, at.Add(2*time.Millisecond)); !ok || !got.Equal(at.Add(3*time.Millisecond)) {
		t.Errorf("the first start was at %s, %t", got, ok)
	}
	if _, ok := first(notes, at.Add(time.Hour)); ok {
		t.Error("there is a start an hour later")
	}
}
