package sqlstore

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// Operations that can wait do so while others come often, never for long, and not at all when
// nobody has come for a while.
func TestCompany(t *testing.T) {
	t.Parallel()
	began := time.UnixMilli(1_000_000)
	for _, c := range []struct {
		every time.Duration
		times int
		after time.Duration
		want  time.Duration
	}{
		{0, 0, 0, 0},
		{time.Second, 100, 0, 0},
		{10 * time.Millisecond, 1, 0, 0},
		{10 * time.Millisecond, 200, 0, patience},
		{10 * time.Millisecond, 200, 19 * time.Millisecond, patience},
		{10 * time.Millisecond, 200, 21 * time.Millisecond, 0},
		{15 * time.Millisecond, 200, 0, patience},
		{25 * time.Millisecond, 200, 0, 0},
		{time.Millisecond, 200, 0, 2 * time.Millisecond},
		{0, 200, 0, 0},
	} {
		t.Run(fmt.Sprint(c.times, " every ", c.every, ", then ", c.after), func(t *testing.T) {
			t.Parallel()
			var of company
			now := began
			for range c.times {
				now = now.Add(c.every)
				of.came(now)
			}
			if got := of.wait(now.Add(c.after)); (got - c.want).Abs() > 20*time.Microsecond {
				t.Errorf("it waits %s, want %s", got, c.want)
			}
		})
	}
}

// A patient operation is committed with what comes soon after it, and waits for nobody else.
func TestPatientOperations(t *testing.T) {
	t.Parallel()
	const patient, hurried = true, false
	type arrival struct {
		after   time.Duration
		patient bool
	}
	for _, c := range []struct {
		name  string
		first bool
		gap   time.Duration // between operations that cannot wait
		then  []arrival
		stop  time.Duration
		took  time.Duration
		group int
	}{
		{name: "nobody comes", first: patient, gap: 3 * time.Millisecond, took: 6 * time.Millisecond, group: 1},
		{name: "one that cannot wait", first: patient, gap: 8 * time.Millisecond, then: []arrival{{3 * time.Millisecond, hurried}}, took: 3 * time.Millisecond, group: 2},
		{
			name: "patient ones", first: patient, gap: 8 * time.Millisecond,
			then: []arrival{{2 * time.Millisecond, patient}, {4 * time.Millisecond, patient}}, took: patience, group: 3,
		},
		{name: "one that cannot wait itself", first: hurried, gap: 8 * time.Millisecond, group: 1},
		{name: "others are rare", first: patient, gap: time.Second, group: 1},
		{name: "the end", first: patient, gap: 8 * time.Millisecond, stop: time.Millisecond, took: time.Millisecond, group: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWriter(&Config{})
				w.company = company{last: time.Now(), gap: c.gap}
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				if c.stop > 0 {
					time.AfterFunc(c.stop, stop)
				}
				for _, a := range c.then {
					time.AfterFunc(a.after, func() { w.queue <- &operation{patient: a.patient} })
				}
				began := time.Now()
				w.await(ctx, &operation{patient: c.first})
				if took := time.Since(began); took != c.took || len(w.group) != c.group {
					t.Errorf("after %s %d operations are committed, want %d after %s", took, len(w.group), c.group, c.took)
				}
			})
		})
	}
}
