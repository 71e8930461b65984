package kit

import (
	"bytes"
	"strings"
	"testing"
)

// TestConfirm: only an explicit yes is one, and the question goes where results
// do not.
func TestConfirm(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]bool{
		"y\n": true, "yes\n": true, "\tYES\r\n": true, "y": true,
		"": false, "\n": false, "n\n": false, "no\n": false, "yep\n": false, "\ny\n": false,
		strings.Repeat(" ", 200) + "y\n": false,
	} {
		var out, errs bytes.Buffer
		asked := New(Config{Stdin: strings.NewReader(answer), Stdout: &out, Stderr: &errs})
		sure, err := asked.Confirm("Remove 3 dead items?")
		if err != nil || sure != want {
			t.Errorf("%q means %v, %v", answer, sure, err)
		}
		if out.Len() > 0 || !strings.HasPrefix(errs.String(), "Remove 3 dead items? [y/N] ") {
			t.Errorf("printed %q and %q", &out, &errs)
		}
		if !want && !strings.Contains(errs.String(), "nothing was changed") {
			t.Errorf("%q: said only %q", answer, &errs)
		}
	}
	if AsksAPerson(strings.NewReader("y\n")) {
		t.Error("a reader is no person")
	}
}
