package logformat

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestUnframe(t *testing.T) {
	t.Parallel()
	const rule = "-----------"
	for in, want := range map[string]string{
		"":                     "",
		"plain\n":              "plain\n",
		"a<br>b\n":             "a<br>b\n",
		"<br>" + rule + " x\n": rule + " x\n",
		"12:00:00 <br>" + rule + " job execute start " + rule + "<br>" + rule + " Param:x\n": "12:00:00 " + rule + " job execute start " + rule + " " + rule + " Param:x\n",
		rule + "<br>text <br>more\n":                   rule + " text <br>more\n",
		"<br>--- three are no frame\n":                 "<br>--- three are no frame\n",
		"<br><br>" + rule + "\n":                       "<br>" + rule + "\n",
		"<br>" + rule + "a\n<br>" + rule + "b":         rule + "a\n" + rule + "b",
		"the end of the text is cut: " + rule + "<br>": "the end of the text is cut: " + rule + " ",
	} {
		if got := Unframe(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

// Lines stay lines, and what has no frame stays as it is.
func TestUnframeKeepsLines(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"<br>", "---------", "-", "x", " ", "\n", "<b", "r>", "你"})).Draw(t, "parts"), "")
		got := Unframe(text)
		if strings.Count(got, "\n") != strings.Count(text, "\n") {
			t.Fatalf("%q becomes %q: the lines are others", text, got)
		}
		if strings.ReplaceAll(strings.ReplaceAll(got, "<br>", ""), " ", "") != strings.ReplaceAll(strings.ReplaceAll(text, "<br>", ""), " ", "") {
			t.Fatalf("%q becomes %q: more than breaks are left out", text, got)
		}
	})
}
