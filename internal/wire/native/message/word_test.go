package message

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestWord: whatever came before, a text is read as it is, and keeps no memory of the message.
func TestWord(t *testing.T) {
	t.Parallel()
	text := rapid.OneOf(rapid.StringMatching(`[ab]{0,3}`), rapid.Just(strings.Repeat("a", maxWord)), rapid.Just(strings.Repeat("a", maxWord+1)))
	rapid.Check(t, func(t *rapid.T) {
		var s scanner
		for range 50 {
			want := text.Draw(t, "text")
			raw := []byte(want)
			got := s.word(raw)
			clear(raw)
			if got != want {
				t.Fatalf("%q was read as %q", want, got)
			}
		}
	})
}
