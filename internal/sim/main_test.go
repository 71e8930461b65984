package sim

import (
	"flag"
	"runtime/debug"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The flags of the simulation.
var (
	seedsFlag = flag.Int("seeds", 0, "how many `seeds` to run; 0 runs the usual ones, as far as time allows")
	seedFlag  = flag.Uint64("seed", 0, "the one `seed` to run; 0 runs many, from 1 on")
	longFlag  = flag.Bool("long", false, "let a storm of two minutes pass over all kinds of jobs")
)

// shortSeeds is how many seeds run when time is short, and enough the time after
// which no further one begins.
const (
	shortSeeds = 40
	enough     = 4 * time.Minute
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // worlds are small and many
	goleak.VerifyTestMain(m)
}
