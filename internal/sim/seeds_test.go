//go:build !race

package sim

// defaultSeeds is what two cores do in about 20 s. The nightly lane runs thousands.
const defaultSeeds = 100

// underRace says that the race detector watches.
const underRace = false
