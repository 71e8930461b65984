//go:build !linux && !windows

package wal_test

import "os"

func syncFile(f *os.File) error { return f.Sync() }
