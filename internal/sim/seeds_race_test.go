//go:build race

package sim

// defaultSeeds is what two cores do in about a minute under the race detector.
const defaultSeeds = 40

// underRace says that the race detector watches.
const underRace = true
