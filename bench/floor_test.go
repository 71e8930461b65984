package main

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// The floor's processes, as goroutines: what is planned is marked, executed and recorded.
func TestFloor(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]options{
		"one at a time": {Jobs: 10, Every: 10 * time.Millisecond},
		"in groups":     {Jobs: floorGroup},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			group := groupOf(o)
			tasks, accepted := pipe(t)
			outcomes, received := pipe(t)
			var book notebook
			accepts, ends, marks := newTestSlate(t), newTestSlate(t), newTestSlate(t)
			sender := floorSender{tasks: tasks, marks: marks, mark: make([]byte, markOf(group)), message: make([]byte, group*floorTask)}
			failed := make(chan error, 3)
			third := &cut{Conn: received, left: 3, ends: []net.Conn{tasks, accepted, outcomes, received}}
			go func() { failed <- sender.run(o) }()
			go func() { failed <- floorExecute(accepted, outcomes, accepts, &book, group) }()
			go func() { failed <- floorRecord(third, ends, group) }()
			for range 3 {
				if err := <-failed; err == nil {
					t.Error("the end of a connection is no error")
				}
			}
			notes := book.notes
			if len(notes) < 3*group {
				t.Fatalf("%d runs have started, want %d", len(notes), 3*group)
			}
			for i, n := range notes {
				if n.Job != int64(i) || n.late() < 0 || n.late() > time.Minute {
					t.Fatalf("run %d is %+v", i, n)
				}
			}
			if got, want := ends.at, int64(3*markOf(group)); got < want {
				t.Errorf("%d bytes of outcomes are recorded, want %d", got, want)
			}
			if got, want := accepts.at, int64(3*group*(floorTask+floorEnd)); got < want {
				t.Errorf("%d bytes of tasks and ends are written, want %d", got, want)
			}
		})
	}
}

// cut closes connections instead of one of its answers.
type cut struct {
	net.Conn

	left int
	ends []net.Conn
}

func (c *cut) Write(b []byte) (int, error) {
	if c.left--; c.left == 0 {
		for _, end := range c.ends {
			_ = end.Close()
		}
	}
	return c.Conn.Write(b)
}

func TestMarkOf(t *testing.T) {
	t.Parallel()
	for group, want := range map[int]int{1: 8192, 13: 8192, 14: 12_288, 64: 40_960} {
		if got := markOf(group); got != want {
			t.Errorf("a mark of %d runs has %d bytes, want %d", group, got, want)
		}
	}
}

func TestSlateGoesRound(t *testing.T) {
	t.Parallel()
	s := newTestSlate(t)
	s.at = floorFile - 3
	for _, err := range []error{s.write([]byte("abc")), s.write([]byte("de")), s.writeDurably([]byte("f"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(s.file.Name())
	if err != nil || len(text) != floorFile || string(text[:3]) != "def" || string(text[floorFile-3:]) != "abc" {
		t.Errorf("%v, %d bytes, begin %q", err, len(text), text[:3])
	}
}

func TestEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		failed := make(chan error, 1)
		failed <- broken
		if err := ended(t.Context(), failed); !errors.Is(err, broken) {
			t.Errorf("%v, want %v", err, broken)
		}
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(time.Millisecond, stop)
		failed <- broken
		if err := ended(ctx, failed); err != nil {
			t.Errorf("the other process was stopped first: %v", err)
		}
	})
}

func newTestSlate(t *testing.T) *slate {
	t.Helper()
	s, err := newSlate(filepath.Join(t.TempDir(), "slate"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.file.Close() })
	return s
}

// pipe returns the two ends of a connection on loopback.
func pipe(t *testing.T) (net.Conn, net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	a, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	b, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	return a, b
}
