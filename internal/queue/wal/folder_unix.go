//go:build !windows

package wal

import (
	"os"
	"path/filepath"
)

// syncFolder makes the name of a file durable.
func syncFolder(name string) error {
	f, err := os.Open(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
