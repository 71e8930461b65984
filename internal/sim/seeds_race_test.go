//go:build race

package sim

// defaultSeeds is what two cores that are free do in some minutes under the race
// detector.
const defaultSeeds = 60
