//go:build !torture

package queue_test

// How much of the property tests is done by default.
const (
	powerSeeds = 2
	cutEvery   = 7
	badSeeds   = 12
	flipEvery  = 211
)
