package runlog

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/job"
)

func TestFollow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]Config{"small": {}, "file": {Small: -1}, "both": {Small: 50}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, _ := open(t, c)
			w := create(t, l, 1)
			write(t, w, "line 0\n")
			next := 1
			take := func(page job.LogPage) error {
				for line := range strings.Lines(page.Text) {
					if want := fmt.Sprintf("line %d\n", next); line != want || page.From > next+1 {
						t.Errorf("%q from %+v, want %q", line, page, want)
					}
					next++
					switch {
					case next < 100: // the writer waits for the follower: nothing is polled
						write(t, w, fmt.Sprintf("line %d\n", next))
					case next == 100:
						write(t, w, "line 100")
						closeLog(t, w)
					}
				}
				return nil
			}
			write(t, w, "line 1\n")
			if err := l.Follow(t.Context(), 1, noon, 2, take); err != nil || next != 101 {
				t.Errorf("ended at %d, %v", next, err)
			}
		})
	}
}

// TestFollowWaits: a follower that has read everything is woken by a Write.
func TestFollowWaits(t *testing.T) {
	t.Parallel()
	l, _ := open(t, Config{})
	w := create(t, l, 1)
	write(t, w, "one\n")
	pages := make(chan string)
	ended := make(chan error, 1)
	go func() {
		ended <- l.Follow(t.Context(), 1, noon, 1, func(p job.LogPage) error { pages <- p.Text; return nil })
	}()
	for _, want := range []string{"one\n", "two\n", "three\n"} {
		if got := <-pages; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		switch want {
		case "one\n":
			write(t, w, "two\n")
		case "two\n":
			write(t, w, "three")
			closeLog(t, w)
		}
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestFollowEnds(t *testing.T) {
	t.Parallel()
	l, _ := open(t, Config{})
	none := func(job.LogPage) error { return nil }
	if err := l.Follow(t.Context(), 1, noon, 1, none); !job.Is(err, job.NotFound) {
		t.Errorf("no log: %v", err)
	}
	w := create(t, l, 1)
	ctx, cancel := context.WithCancel(t.Context())
	write(t, w, "x\n")
	err := l.Follow(ctx, 1, noon, 1, func(job.LogPage) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	enough := errors.New("enough")
	if err := l.Follow(t.Context(), 1, noon, 1, func(job.LogPage) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("enough: %v", err)
	}
}

func TestTail(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]Config{"small": {MaxPage: 300}, "file": {Small: -1, MaxPage: 300}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, _ := open(t, c)
			if _, err := l.Tail(1, noon, 5); !job.Is(err, job.NotFound) {
				t.Errorf("no log: %v", err)
			}
			w := create(t, l, 1)
			tail := func(n int) job.LogPage {
				page, err := l.Tail(1, noon, n)
				if err != nil {
					t.Error(err)
				}
				return page
			}
			if diff := cmp.Diff(job.LogPage{}, tail(3)); diff != "" {
				t.Error(diff)
			}
			for i := range 100 {
				write(t, w, fmt.Sprintf("line %02d\n", i+1))
			}
			write(t, w, "half")
			if diff := cmp.Diff(job.LogPage{From: 99, To: 100, Text: "line 99\nline 100\n"}, tail(2)); diff != "" {
				t.Error(diff)
			}
			if page := tail(1000); page.To != 100 || page.Text != read(t, l, 1, page.From).Text || len(page.Text) > 300 || len(page.Text) < 280 {
				t.Errorf("all that fits: %+v", page)
			}
			closeLog(t, w)
			if diff := cmp.Diff(job.LogPage{From: 100, To: 101, Text: "line 100\nhalf\n"}, tail(2)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadAt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]Config{"small": {MaxPage: 256}, "file": {Small: -1, MaxPage: 256}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, _ := open(t, c)
			if _, err := l.ReadAt(1, noon, 0); !job.Is(err, job.NotFound) {
				t.Errorf("no log: %v", err)
			}
			w := create(t, l, 1)
			text := strings.Repeat("世界 hello\r\n", 100)
			write(t, w, text+"世\xe4\xb8")
			pages := func() (got string, open bool) {
				for offset := int64(0); ; {
					page, err := l.ReadAt(1, noon, offset)
					if err != nil || page.Size != int64(len(text)+5) {
						t.Fatal(page, err)
					}
					if page.Text == "" {
						return got, page.Open
					}
					got += page.Text
					offset = page.Next
				}
			}
			if got, open := pages(); got != text+"世" || !open {
				t.Errorf("open %t: %q", open, got)
			}
			closeLog(t, w)
			if got, open := pages(); got != text+"世\uFFFD" || open {
				t.Errorf("open %t: %q", open, got)
			}
			if page, err := l.ReadAt(1, noon, 1<<40); page.Text != "" || page.Next != 1<<40 || err != nil {
				t.Errorf("far beyond: %+v, %v", page, err)
			}
		})
	}
}
