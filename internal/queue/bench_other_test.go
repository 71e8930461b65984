//go:build !linux && !windows

package queue_test

import "os"

func syncFile(f *os.File) error { return f.Sync() }
