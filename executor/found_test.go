package executor

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/job"
)

// spoken is one way to servers that writes down what goes it.
type spoken struct {
	name string
	said *[]string
	err  error
}

func (s *spoken) Register(context.Context, string, string) error {
	*s.said = append(*s.said, s.name+" beat")
	return s.err
}

func (s *spoken) Deregister(context.Context, string, string) error {
	*s.said = append(*s.said, s.name+" farewell")
	return s.err
}

func (s *spoken) SendOutcomes(context.Context, []job.Outcome) error {
	*s.said = append(*s.said, s.name+" outcomes")
	return s.err
}

// TestFound: the own protocol is spoken to who knows it, from the first beat on, and
// others are hardly ever bothered with it.
func TestFound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var said []string
		gone := errors.New("not known here")
		own, family := &spoken{"own", &said, nil}, &spoken{"family", &said, nil}
		f := &found{own: own, family: family, logger: slog.New(slog.DiscardHandler)}
		expect := func(what, want string, call func() error) {
			t.Helper()
			said = nil
			if err := call(); err != nil && want != "" && !strings.HasSuffix(want, "!") {
				t.Errorf("%s: %v", what, err)
			}
			if got := strings.Join(said, ", "); got != strings.TrimSuffix(want, "!") {
				t.Errorf("%s: %s; want %s", what, got, want)
			}
		}
		beat := func() error { return f.Register(t.Context(), "g", "http://h/") }
		report := func() error { return f.SendOutcomes(t.Context(), nil) }
		expect("an outcome of before", "family outcomes", report)
		expect("the first beat", "own beat", beat)
		expect("an outcome", "own outcomes", report)

		own.err = job.Errorf(job.Refused, "another executor has the address") // the family's way would be refused, too
		expect("a refused beat", "own beat!", beat)
		own.err = gone // the server is replaced by one of the family
		expect("a beat", "own beat, family beat", beat)
		expect("the next", "family beat", beat)
		expect("an outcome", "family outcomes", report)
		time.Sleep(askKnown)
		expect("a minute later", "own beat, family beat", beat)
		expect("the next", "family beat", beat)

		own.err = nil // and by one of Orth
		time.Sleep(askKnown)
		expect("a minute later", "own beat", beat)
		own.err, family.err = gone, gone // no server listens
		expect("a beat", "own beat, family beat!", beat)
		expect("an outcome", "own outcomes!", report)
		own.err, family.err = nil, nil
		expect("they are back", "own beat", beat)
		expect("the end", "own farewell", func() error { return f.Deregister(t.Context(), "g", "http://h/") })

		said = nil
		never := &found{own: &spoken{"own", &said, gone}, family: family, logger: f.logger}
		for range int(askOther / (10 * time.Second)) {
			if err := never.Register(t.Context(), "g", "http://h/"); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Second)
		}
		if n := strings.Count(strings.Join(said, " "), "own beat"); n != 1 {
			t.Errorf("a server of the family was asked %d times in ten minutes", n)
		}
	})
}

// TestFoundCancelled: who leaves in the middle of a question does not ask another.
func TestFoundCancelled(t *testing.T) {
	t.Parallel()
	var said []string
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := &found{own: &spoken{"own", &said, context.Canceled}, family: &spoken{"family", &said, nil}, logger: slog.New(slog.DiscardHandler)}
	if err := f.Register(ctx, "g", "http://h/"); !errors.Is(err, context.Canceled) || len(said) != 1 {
		t.Errorf("%v after %v", err, said)
	}
}
