package alarmconfig_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/alarmconfig"
	"github.com/orthd/orth/internal/alarmtext"
	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/job"
)

var errAway = job.Errorf(job.Unavailable, "the database is away")

func TestNewNeedsItsParts(t *testing.T) {
	t.Parallel()
	s := &shelf{}
	for _, c := range []alarmconfig.Config{{}, {Store: s, Kinds: s, Sender: s, Render: alarmtext.Render}, {Reader: s, CheckTemplate: alarmtext.Check}} {
		if _, err := alarmconfig.New(c); err == nil {
			t.Errorf("%+v will do", c)
		}
	}
}

// Definitions are whole: with defaults and secrets.
func TestDefinitions(t *testing.T) {
	t.Parallel()
	b, _ := newBook(t)
	_, err := b.CreateChannel(t.Context(), aChannel())
	ok(t, err)
	_, err = b.CreateRule(t.Context(), aRule())
	ok(t, err)
	_, err = b.CreateSilence(t.Context(), alarm.Silence{Namespace: "default", Comment: "x", Until: time.Now().Add(time.Hour)})
	ok(t, err)
	got, err := b.Definitions(t.Context())
	ok(t, err)
	if len(got.Rules) != 1 || len(got.Channels) != 1 || len(got.Silences) != 1 || got.Version != 4 {
		t.Fatalf("got %+v", got)
	}
	if r := got.Rules[0]; r.Severity != alarm.Warning || r.Interval != 5*time.Minute {
		t.Errorf("the rule has no defaults: %+v", r)
	}
	c := got.Channels[0]
	if diff := cmp.Diff(map[string]string{"password": "geheim-1"}, c.Secrets); diff != "" || c.PerMinute != 20 {
		t.Errorf("the channel is not whole: %+v\n%s", c, diff)
	}
}

// What another server changes is seen within two seconds; a read that fails is
// forgiven for five.
func TestDefinitionsAreFresh(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{version: 1}
		b := bookOver(t, s, nil)
		count := func() int {
			t.Helper()
			got, err := b.Definitions(t.Context())
			ok(t, err)
			return len(got.Rules)
		}
		if n := count(); n != 0 {
			t.Errorf("%d rules", n)
		}
		s.rules, s.version = []alarm.Rule{aRule()}, 2
		time.Sleep(1900 * time.Millisecond)
		if n := count(); n != 0 || s.reads != 1 {
			t.Errorf("%d rules after %d reads", n, s.reads)
		}
		time.Sleep(200 * time.Millisecond)
		if n := count(); n != 1 || s.reads != 2 {
			t.Errorf("%d rules after %d reads", n, s.reads)
		}
		s.fail(errAway)
		time.Sleep(4 * time.Second)
		if n := count(); n != 1 {
			t.Errorf("%d rules while the database is away", n)
		}
		time.Sleep(1100 * time.Millisecond)
		if _, err := b.Definitions(t.Context()); !job.Is(err, job.Unavailable) {
			t.Errorf("got %v", err)
		}
		s.fail(nil)
		if n := count(); n != 1 {
			t.Errorf("%d rules when it is back", n)
		}
	})
}

// Run keeps the book fresh for those who never read.
func TestRunKeepsWantsFresh(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{version: 1}
		b := bookOver(t, s, nil)
		e := &alarm.Event{Source: alarm.SourceRun, State: job.Failed, Namespace: "default", JobKey: "report", Group: "g"}
		if !b.Wants(e) {
			t.Error("a book that was not read says no")
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- b.Run(ctx) }()
		synctest.Wait()
		if b.Wants(e) {
			t.Error("nobody wants it, and it is wanted")
		}
		mailed := *e
		mailed.Emails = []string{"ops@example.com"}
		if !b.Wants(&mailed) {
			t.Error("the job names addresses, and it is not wanted")
		}
		s.mu.Lock()
		off := aRule()
		off.Key, off.Enabled = "off", false
		s.rules, s.version = []alarm.Rule{off, aRule()}, 2
		s.mu.Unlock()
		time.Sleep(2100 * time.Millisecond)
		if !b.Wants(e) {
			t.Error("a rule wants it, and it is not wanted")
		}
		if e.Namespace = "team"; b.Wants(e) {
			t.Error("a rule of another namespace wants it")
		}
		s.fail(errAway)
		time.Sleep(8 * time.Second)
		if !b.Wants(e) {
			t.Error("a book that could not be read says no")
		}
		cancel()
		ok(t, <-ended)
	})
}

func TestHealth(t *testing.T) {
	t.Parallel()
	b, s := newBook(t)
	ok(t, b.Health(t.Context(), 1, time.Now(), nil))
	ok(t, b.Health(t.Context(), 1, time.Now(), errors.New(strings.Repeat("x", 2000))))
	if s.notes[0] != "" || len(s.notes[1]) > 1010 || !strings.HasPrefix(s.notes[1], "xxx") {
		t.Errorf("noted %q", s.notes)
	}
	s.fail(errAway)
	refused(t, b.Health(t.Context(), 1, time.Now(), nil), job.Unavailable, "write how channel 1 did")
}

// A channel whose secrets cannot be opened has none, and the others keep theirs.
func TestSecretsOfAnotherKey(t *testing.T) {
	t.Parallel()
	b, s := newBook(t)
	_, err := b.CreateChannel(t.Context(), aChannel())
	ok(t, err)
	other, err := credential.OpenSealer(t.TempDir() + "/other.key")
	ok(t, err)
	lost := bookOver(t, s, other)
	got, err := lost.Definitions(t.Context())
	ok(t, err)
	if len(got.Channels) != 1 || got.Channels[0].Secrets != nil {
		t.Errorf("got %+v", got.Channels)
	}
	_, err = lost.TestChannel(t.Context(), "default", "mail")
	refused(t, err, job.Invalid, "another key")
	_, err = lost.UpdateChannel(t.Context(), "default", "mail", 0, func(c alarm.Channel) (alarm.Channel, error) {
		c.Title = "new"
		return c, nil
	})
	refused(t, err, job.Invalid, "cannot be opened")
	_, err = lost.UpdateChannel(t.Context(), "default", "mail", 0, func(c alarm.Channel) (alarm.Channel, error) {
		c.Secrets = map[string]string{"password": "geheim-2"}
		return c, nil
	})
	ok(t, err)
	if got, err = lost.Definitions(t.Context()); err != nil || got.Channels[0].Secrets["password"] != "geheim-2" {
		t.Errorf("got %+v, %v", got.Channels, err)
	}
}

// What is sealed for one channel does not open for another.
func TestSecretsStayWhereTheyAre(t *testing.T) {
	t.Parallel()
	b, s := newBook(t)
	_, err := b.CreateChannel(t.Context(), aChannel())
	ok(t, err)
	s.channels[0].Key = "robbed"
	s.version++
	_, err = b.TestChannel(t.Context(), "default", "robbed")
	refused(t, err, job.Invalid, "cannot be opened")
	if strings.Contains(s.channels[0].Sealed, "geheim") {
		t.Error("the secret can be read")
	}
}
