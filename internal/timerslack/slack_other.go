//go:build !linux

package timerslack

// Coarsen does nothing: the system has no such setting.
func Coarsen() {}

// Refine does nothing.
func Refine() (undo func()) { return func() {} }
