//go:build !failpoints

package failpoint

// Hit marks a place where a test may kill the process. In this build it does
// nothing.
func Hit(string) {}
