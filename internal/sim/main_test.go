package sim

import (
	"flag"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The flags of the simulation.
var (
	seedsFlag = flag.Int("seeds", 0, "how many `seeds` to run; 0 runs the usual ones, as far as time allows")
	seedFlag  = flag.Uint64("seed", 0, "the one `seed` to run; 0 runs many, from 1 on")
	longFlag  = flag.Bool("long", false, "let the storm last twice as long")
)

// defaultSeeds is what two cores that are free do in half a minute, and enough the
// time after which no further one begins.
const (
	defaultSeeds = 60
	enough       = 45 * time.Second
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
