//go:build !race

package app

const underRace = false
