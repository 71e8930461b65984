//go:build !torture

package wal

// How much of the whole is tried in a quick run.
const (
	powerSeeds = 3
	badSeeds   = 10
	flipEvery  = 97 // bits
	cutEvery   = 53 // bytes
)
