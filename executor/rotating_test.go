package executor

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"
)

// TestRotating: the queue's log is rotated for as long as the executor runs, whatever a rotation comes to.
func TestRotating(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		rotations := 0
		ended := make(chan error, 1)
		part := rotating(func() error { rotations++; return errors.New("the disk is full") }, slog.New(slog.DiscardHandler))
		go func() { ended <- part(ctx) }()
		time.Sleep(time.Minute + time.Second)
		synctest.Wait()
		if rotations != 2 {
			t.Errorf("%d rotations in a minute", rotations)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
