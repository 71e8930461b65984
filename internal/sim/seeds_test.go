//go:build !race

package sim

// defaultSeeds is what two cores that are free do in less than three minutes.
const defaultSeeds = 1000
