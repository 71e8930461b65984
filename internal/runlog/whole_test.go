package runlog

import (
	"strings"
	"testing"

	"github.com/orthd/orth/job"
)

// A closed log that is small is returned whole, as an outcome carries it; every other one is
// not.
func TestWhole(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ written, want string }{
		"lines":           {"one\ntwo\n", "one\ntwo\n"},
		"half a line":     {"one\ntwo", "one\ntwo\n"},
		"invalid UTF-8":   {"a\xffb\n", "a\uFFFDb\n"},
		"nothing":         {"", ""},
		"as many as may":  {strings.Repeat("x", job.MaxOutcomeLog-1), strings.Repeat("x", job.MaxOutcomeLog-1) + "\n"},
		"one too many":    {strings.Repeat("x", job.MaxOutcomeLog), ""},
		"grows by repair": {strings.Repeat("a\xff", job.MaxOutcomeLog*2/5), ""},
	} {
		l, _ := open(t, Config{})
		w, err := l.Create(1, noon)
		if err != nil {
			t.Fatal(err)
		}
		write(t, w, c.written)
		if got := w.Whole(); got != "" {
			t.Errorf("%s: %q before it was closed", name, got)
		}
		closeLog(t, w)
		if got := w.Whole(); got != c.want {
			t.Errorf("%s: %d bytes, want %d", name, len(got), len(c.want))
		}
	}
}

// A log that has left memory may have lost what it had there, and a log with a hole is
// not whole.
func TestWholeIsNothingLess(t *testing.T) {
	t.Parallel()
	l, _ := open(t, Config{Small: -1})
	w, err := l.Create(1, noon)
	if err != nil {
		t.Fatal(err)
	}
	write(t, w, "in a file\n")
	closeLog(t, w)
	if got := w.Whole(); got != "" {
		t.Errorf("of a log in its own file: %q", got)
	}
	l, _ = open(t, Config{})
	w, err = l.Create(2, noon)
	if err != nil {
		t.Fatal(err)
	}
	write(t, w, "begun\n")
	w.(*writer).lost = 3
	closeLog(t, w)
	if got := w.Whole(); got != "begun\n----------- 3 bytes are missing here: <nil> -----------\n" {
		t.Errorf("of a log that tells its loss: %q", got)
	}
}
