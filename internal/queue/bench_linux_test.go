package queue_test

import (
	"os"

	"golang.org/x/sys/unix"
)

func syncFile(f *os.File) error { return unix.Fdatasync(int(f.Fd())) }
