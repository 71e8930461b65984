//go:build torture

package wal

const (
	powerSeeds = 50
	badSeeds   = 200
	flipEvery  = 1
	cutEvery   = 1
)
