package sim

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// TestSim lets storms pass over platforms and judges what is left.
func TestSim(t *testing.T) {
	t.Parallel()
	empty := emptyDatabase(t)
	if *seedFlag != 0 {
		simulate(t, *seedFlag, empty)
		return
	}
	seeds, began := *seedsFlag, time.Now()
	if seeds <= 0 {
		seeds = usualSeeds()
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed+1), func(t *testing.T) {
			t.Parallel()
			if *seedsFlag <= 0 && time.Since(began) > enough {
				t.Skipf("the machine is busy: %s are enough for the usual seeds; -seeds runs as many as it says", enough)
			}
			simulate(t, uint64(seed+1), empty)
		})
	}
}

// usualSeeds is how many seeds run when nobody says.
func usualSeeds() int {
	if testing.Short() {
		return shortSeeds
	}
	return defaultSeeds
}

// simulate runs one seed.
func simulate(t *testing.T, seed uint64, empty []byte) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{seed: seed, empty: empty, long: *longFlag})
		faults := w.judged()
		if len(faults) == 0 {
			return
		}
		for _, fault := range faults[:min(len(faults), 20)] {
			t.Error(fault)
		}
		t.Logf("run it again with: go test ./internal/sim -run TestSim -seed %d\nthe first fault:\n%s\nthe end:\n%s",
			seed, w.trace.story(faults[0]), w.trace.newest())
	})
}

// judged runs the world to its end and returns its faults.
func (w *world) judged() []string {
	defer w.stop()
	w.start(workload(newDice(w.seed, "workload"), time.Now(), time.Now().Add(w.lasts), w.all))
	w.run()
	if testing.Verbose() {
		w.t.Log(w.judge.summary())
	}
	return w.judge.verdict()
}
