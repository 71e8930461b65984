//go:build race

package sim

// defaultSeeds is what two cores do in about a minute under the race detector.
const defaultSeeds = 40
