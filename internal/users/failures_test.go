package users

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/audit"
)

// shelf keeps lines.
type shelf struct {
	lines []audit.Line
	err   error
}

func (s *shelf) AppendAudit(_ context.Context, lines []audit.Line) error {
	s.lines = append(s.lines, lines...)
	return s.err
}

func onlyAnn(_ context.Context, name string) (bool, error) { return name == "ann", nil }

func told(lines []audit.Line) []string {
	said := make([]string, len(lines))
	for i, l := range lines {
		said[i] = fmt.Sprintf("%s %s/%s %s %s", l.Operation, l.Kind, l.Key, l.Address, l.After)
	}
	return said
}

// Tries of a minute are one line for each account and place; what is no account is not
// named, since it may be a password.
func TestFailures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s shelf
		f := NewFailures(&s, onlyAnn, nil)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- f.Run(ctx) }()
		for i := range 3 {
			f.Failed("ann", "10.0.0.1", i == 2)
			time.Sleep(time.Second)
		}
		f.Failed("correct horse battery", "10.0.0.1", false)
		f.Failed("", "10.0.0.1", true)
		f.Failed("ann", "10.0.0.2", false)
		time.Sleep(time.Minute)
		synctest.Wait()
		want := []string{
			`sign-in-failed user/ann 10.0.0.1 {"tries":3,"turned_away":1,"until":"2000-01-01T00:00:02Z"}`,
			`sign-in-failed / 10.0.0.1 {"tries":2,"turned_away":1,"until":"2000-01-01T00:00:03Z"}`,
			`sign-in-failed user/ann 10.0.0.2 {"tries":1,"turned_away":0,"until":"2000-01-01T00:00:03Z"}`,
		}
		if diff := cmp.Diff(want, told(s.lines)); diff != "" {
			t.Error(diff)
		}
		time.Sleep(10 * time.Minute)
		f.Failed("ann", "10.0.0.3", false)
		cancel()
		if err := <-ended; err != nil || len(s.lines) != 4 || s.lines[3].Address != "10.0.0.3" {
			t.Errorf("at the end: %v, %q", err, told(s.lines))
		}
	})
}

// However many accounts are tried from however many places, there are few lines, and
// each try is counted in one.
func TestFailuresAreBounded(t *testing.T) {
	t.Parallel()
	var s shelf
	f := NewFailures(&s, func(context.Context, string) (bool, error) { return true, nil }, nil)
	for i := range 5000 {
		f.Failed(fmt.Sprint("user", i), fmt.Sprint("10.0.", i%7, ".", i%250), false)
	}
	if len(f.tries) > maxFailures+1 {
		t.Errorf("%d accounts and places are kept", len(f.tries))
	}
	f.write(t.Context())
	counted := 0
	for _, l := range s.lines {
		var n int
		if _, err := fmt.Sscanf(l.After, `{"tries":%d`, &n); err != nil {
			t.Error(err)
		}
		counted += n
	}
	if len(s.lines) != maxFailureLines || counted != 5000 {
		t.Errorf("%d lines count %d tries", len(s.lines), counted)
	}
	f.write(t.Context())
	if len(s.lines) != maxFailureLines {
		t.Error("nothing has lines")
	}
}

// A book that takes nothing, and accounts that cannot be read, stop nobody.
func TestFailuresThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	s := shelf{err: errors.New("the disk is full")}
	f := NewFailures(&s, func(context.Context, string) (bool, error) { return false, errors.New("away") }, nil)
	f.Failed("ann", "10.0.0.1", false)
	f.write(t.Context())
	if len(s.lines) != 1 || strings.Contains(s.lines[0].Key, "ann") {
		t.Errorf("got %q", told(s.lines))
	}
}
