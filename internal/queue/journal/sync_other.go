//go:build !linux

package journal

// Sync writes the file in the strongest way that the system offers.
func (f osFile) Sync() error { return f.File.Sync() }
