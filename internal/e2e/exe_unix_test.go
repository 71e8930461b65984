//go:build unix

package e2e

const exeSuffix = ""
