//go:build !linux

package machine

// BootID is unknown here, so every start counts as a new boot: a task that was about to
// start when the process died is reported, not run again.
func BootID() string { return "" }
