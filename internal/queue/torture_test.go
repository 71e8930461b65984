//go:build torture

package queue_test

const (
	powerSeeds = 20
	cutEvery   = 1
	badSeeds   = 200
	flipEvery  = 1
)
