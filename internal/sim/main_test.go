package sim

import (
	"flag"
	"runtime"
	"runtime/debug"
	"testing"

	"go.uber.org/goleak"
)

// The flags of the simulation.
var (
	seedsFlag = flag.Int("seeds", 0, "how many `seeds` to run; 0 runs the usual number")
	firstFlag = flag.Uint64("first", 1, "the first of these `seeds`")
	seedFlag  = flag.Uint64("seed", 0, "the one `seed` to run; 0 runs many, from 1 on")
	longFlag  = flag.Bool("long", false, "let a storm of two minutes pass over all kinds of jobs")
)

// shortSeeds is how many seeds run in short mode.
const shortSeeds = 20

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // worlds are small and many
	if underRace {
		// Two goroutines of a bubble that look at timers which are due run them with one state
		// of the race detector, which crashes when both do so at once (Go 1.26.8,
		// runtime.(*timer).unlockAndRun). One processor lets one after the other look.
		runtime.GOMAXPROCS(1)
	}
	goleak.VerifyTestMain(m)
}
