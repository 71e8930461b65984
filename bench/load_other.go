//go:build !linux

package main

import (
	"context"
	"errors"
)

// serve needs Linux: its load is served by the kernel's own waiting.
func (l *load) serve(context.Context, int, func() bool) error {
	return errors.New("the flood needs Linux")
}
