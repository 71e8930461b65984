package runlog

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/orthd/orth/job"
)

// TestChanged: a follower of logs is notified once that one has more than was read, until
// it is read.
func TestChanged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]Config{"small": {}, "file": {Small: -1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var told []int64
			c.Changed = func(attempt int64) {
				mu.Lock()
				defer mu.Unlock()
				told = append(told, attempt)
			}
			heard := func() []int64 {
				mu.Lock()
				defer mu.Unlock()
				all := told
				told = nil
				return all
			}
			l, _ := open(t, c)
			one, two := create(t, l, 1), create(t, l, 2)
			if got := heard(); got != nil {
				t.Errorf("nothing is written, and it was told of %d", got)
			}
			write(t, one, "a\n")
			write(t, one, "b\n")
			write(t, two, "c")
			write(t, one, "d\n")
			if got := heard(); !slices.Equal(got, []int64{1, 2}) {
				t.Errorf("it was told of %d, want each once", got)
			}
			if page := read(t, l, 1, 1); page.To != 3 {
				t.Errorf("%+v", page)
			}
			write(t, one, "e\n")
			write(t, two, "f\n")
			if got := heard(); !slices.Equal(got, []int64{1}) {
				t.Errorf("after one was read it was told of %d", got)
			}
			closeLog(t, one)
			closeLog(t, two)
		})
	}
}

// TestReadOn: a reader knows when it has all that there is, whatever the size of a page.
func TestReadOn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]Config{"small": {MaxPage: 256}, "file": {Small: -1, MaxPage: 256}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, _ := open(t, c)
			if _, _, err := l.ReadOn(1, noon, 1); !job.Is(err, job.NotFound) {
				t.Errorf("no log: %v", err)
			}
			w := create(t, l, 1)
			all := func() (text string) {
				for line := 1; ; {
					page, more, err := l.ReadOn(1, noon, line)
					if err != nil {
						t.Fatal(err)
					}
					text += page.Text
					line += strings.Count(page.Text, "\n")
					rest, _, err := l.ReadOn(1, noon, line)
					if err != nil || more != (rest.Text != "") {
						t.Fatalf("more is %t, and behind line %d is %q, %v", more, line-1, rest.Text, err)
					}
					if !more {
						return text
					}
				}
			}
			want := strings.Repeat("some 世界 text\r\n", 100)
			write(t, w, want+"and half a")
			want = strings.ReplaceAll(want, "\r", "")
			if got := all(); got != want {
				t.Errorf("while it is written: %q", got)
			}
			write(t, w, " line")
			closeLog(t, w)
			if got := all(); got != want+"and half a line\n" {
				t.Errorf("at the end: %q", got)
			}
		})
	}
}
