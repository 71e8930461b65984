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
	for i := range seedCount() {
		seed := *firstFlag + uint64(i)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			simulate(t, seed, empty)
		})
	}
}

// seedCount is how many seeds run: the flag decides, and without it the kind of test run.
func seedCount() int {
	switch {
	case *seedsFlag > 0:
		return *seedsFlag
	case testing.Short():
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
