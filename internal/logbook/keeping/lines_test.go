package keeping

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzWholeLines: every text of an executor becomes as many lines as it has, which can be
// stored, and which stay as they are when they are taken again.
func FuzzWholeLines(f *testing.F) {
	f.Add("")
	f.Add("one\ntwo")
	f.Add("\xff\n\x00\n\n")
	f.Add(strings.Repeat("é", maxLine) + "\nlast")
	f.Fuzz(func(t *testing.T, text string) {
		got := wholeLines(text)
		want := strings.Count(text, "\n")
		if text != "" && !strings.HasSuffix(text, "\n") {
			want++
		}
		switch {
		case strings.Count(got, "\n") != want:
			t.Errorf("%d lines became %d", want, strings.Count(got, "\n"))
		case !utf8.ValidString(got):
			t.Error("it is no UTF-8")
		case got != "" && !strings.HasSuffix(got, "\n"):
			t.Error("it does not end with a line")
		case longest(got) > maxLine+100:
			t.Errorf("a line has %d bytes", longest(got))
		case longest(text) <= maxLine && utf8.ValidString(text) && strings.TrimSuffix(got, "\n") != strings.TrimSuffix(text, "\n"):
			t.Errorf("%q became %q", text, got)
		}
	})
}

// TestMaskKeepsLines: a mask that would change how many lines there are does not.
func TestMaskKeepsLines(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		mask func(string) string
		want string
	}{
		"a good one":            {func(s string) string { return strings.ReplaceAll(s, "b", "***") }, "a\n***\nc\n"},
		"one that joins lines":  {func(s string) string { return strings.ReplaceAll(s, "a\nb\n", "***\n") }, "a\nb\nc\n"},
		"one that adds lines":   {func(s string) string { return strings.ReplaceAll(s, "b", "1\n2") }, "a\n1 2\nc\n"},
		"one that eats the end": {strings.TrimSpace, "a\nb\nc\n"},
	} {
		if got := masked("a\nb\nc\n", c.mask); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestCutLines(t *testing.T) {
	t.Parallel()
	for room, want := range map[int64]string{-1: "", 0: "", 1: "", 2: "a\n", 4: "a\n", 5: "a\nbb\n", 9: "a\nbb\n"} {
		if got := cutLines("a\nbb\n", room); got != want {
			t.Errorf("with room for %d: %q, want %q", room, got, want)
		}
	}
	if got := behind("a\nb\nc\n", 2); got != "c\n" {
		t.Errorf("behind two lines is %q", got)
	}
	if got := behind("a\n", 5); got != "" {
		t.Errorf("behind more than there are is %q", got)
	}
}
