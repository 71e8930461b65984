//go:build !linux

package groovy

import "os/exec"

// runBound is [exec.Cmd.Run]. Only Linux ends a child with its parent: elsewhere
// a compiler outlives an executor that is killed by up to [buildTime].
func runBound(cmd *exec.Cmd) error { return cmd.Run() }
