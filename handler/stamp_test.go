package handler

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestStamp: the short way of writing an instant is that of its layout.
func TestStamp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		at := time.UnixMilli(rapid.Int64Range(0, 253402300799999-86400000).Draw(t, "at")).In(time.FixedZone("", rapid.IntRange(-50000, 50000).Draw(t, "zone")))
		if got, want := string(appendStamp([]byte("x"), at)), "x"+at.Format(stampLayout); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
