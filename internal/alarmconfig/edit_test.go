package alarmconfig_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/job"
)

func TestRules(t *testing.T) {
	t.Parallel()
	b, s := newBook(t)
	bad := aRule()
	bad.Channels = nil
	_, err := b.CreateRule(t.Context(), bad)
	refused(t, err, job.Invalid, "channels: are missing")
	wish := aRule()
	wish.ID, wish.Version = 99, 99
	made, err := b.CreateRule(t.Context(), wish)
	ok(t, err)
	if made.ID != 7 || made.Version != 1 || made.CreatedAt.IsZero() || !made.CreatedAt.Equal(made.UpdatedAt) {
		t.Errorf("made %+v", made)
	}
	changed, err := b.UpdateRule(t.Context(), "default", "nightly", 1, func(r alarm.Rule) (alarm.Rule, error) {
		r.Title, r.Key, r.Namespace, r.ID, r.Version = "Night", "other", "other", 0, 77
		return r, nil
	})
	ok(t, err)
	want := made
	want.Title, want.Version, want.UpdatedAt = "Night", 2, changed.UpdatedAt
	if diff := cmp.Diff(want, changed); diff != "" {
		t.Errorf("changed (-want +got):\n%s", diff)
	}
	same, err := b.UpdateRule(t.Context(), "default", "nightly", 0, func(r alarm.Rule) (alarm.Rule, error) { return r, nil })
	if err != nil || same.Version != 2 {
		t.Errorf("a change of nothing: %+v, %v", same, err)
	}
	for name, c := range map[string]struct {
		key     string
		version int64
		edit    func(alarm.Rule) (alarm.Rule, error)
		kind    job.Kind
		text    string
	}{
		"another version": {"nightly", 1, nil, job.Conflict, "has version 2 by now"},
		"no such rule":    {"weekly", 0, nil, job.NotFound, `no alarm rule "weekly"`},
		"a wrong change": {"nightly", 0, func(r alarm.Rule) (alarm.Rule, error) {
			r.Kinds = nil
			return r, nil
		}, job.Invalid, "kinds"},
		"no change": {"nightly", 0, func(r alarm.Rule) (alarm.Rule, error) {
			return r, job.FieldErrorf("x", "no")
		}, job.Invalid, "x: no"},
	} {
		_, err := b.UpdateRule(t.Context(), "default", c.key, c.version, c.edit)
		if refused(t, err, c.kind, c.text); t.Failed() {
			t.Log(name)
		}
	}
	ok(t, b.DeleteRule(t.Context(), "default", "nightly"))
	if got, err := b.Definitions(t.Context()); err != nil || len(got.Rules) != 0 {
		t.Errorf("a change of one's own is not seen at once: %+v, %v", got, err)
	}
	s.fail(errAway)
	refused(t, b.DeleteRule(t.Context(), "default", "nightly"), job.Unavailable, "delete alarm rule nightly")
	_, err = b.CreateRule(t.Context(), aRule())
	refused(t, err, job.Unavailable, "create alarm rule nightly")
	_, err = b.Rules(t.Context(), "default")
	refused(t, err, job.Unavailable, "list alarm rules")
}

func TestChannels(t *testing.T) {
	t.Parallel()
	b, s := newBook(t)
	for name, c := range map[string]struct {
		change func(c *alarm.Channel)
		text   string
	}{
		"a wrong kind":        {func(c *alarm.Channel) { c.Kind = "fax" }, "kind: "},
		"what the kind needs": {func(c *alarm.Channel) { c.Settings = nil }, "settings.host: is missing"},
		"a secret in sight": {func(c *alarm.Channel) {
			c.Settings = map[string]string{"host": "x", "password": "geheim"}
		}, "settings.password: is a secret"},
		"a wrong template": {func(c *alarm.Channel) { c.Template.Text = "{{.Nothing" }, "template"},
	} {
		wish := aChannel()
		c.change(&wish)
		_, err := b.CreateChannel(t.Context(), wish)
		if refused(t, err, job.Invalid, c.text); t.Failed() || strings.Contains(err.Error(), "geheim") {
			t.Error(name, err)
		}
	}
	made, err := b.CreateChannel(t.Context(), aChannel())
	ok(t, err)
	if made.Secrets != nil || !cmp.Equal(made.SecretNames, []string{"password"}) || made.Version != 1 {
		t.Errorf("made %+v", made)
	}
	secrets := func() map[string]string {
		t.Helper()
		got, err := b.Definitions(t.Context())
		ok(t, err)
		return got.Channels[0].Secrets
	}
	update := func(change func(c *alarm.Channel)) (alarm.Channel, error) {
		return b.UpdateChannel(t.Context(), "default", "mail", 0, func(c alarm.Channel) (alarm.Channel, error) {
			if c.Secrets != nil {
				t.Error("an edit is shown secrets")
			}
			change(&c)
			return c, nil
		})
	}
	changed, err := update(func(c *alarm.Channel) { c.Title, c.Failures, c.Key = "Mail", 9, "x" })
	ok(t, err)
	if changed.Title != "Mail" || changed.Failures != 0 || changed.Key != "mail" || changed.Version != 2 || changed.Secrets != nil {
		t.Errorf("changed %+v", changed)
	}
	if got := secrets(); !maps.Equal(got, map[string]string{"password": "geheim-1"}) {
		t.Errorf("an absent secret is gone: %d left", len(got))
	}
	changed, err = update(func(c *alarm.Channel) { c.Secrets = map[string]string{"url": "geheim-2"} })
	ok(t, err)
	if got := secrets(); !maps.Equal(got, map[string]string{"password": "geheim-1", "url": "geheim-2"}) || len(changed.SecretNames) != 2 {
		t.Errorf("another secret: %v", changed.SecretNames)
	}
	if changed, err = update(func(*alarm.Channel) {}); err != nil || changed.Version != 3 {
		t.Errorf("a change of nothing: %+v, %v", changed, err)
	}
	changed, err = update(func(c *alarm.Channel) { c.Secrets = map[string]string{"url": "", "password": ""} })
	ok(t, err)
	if got := secrets(); len(got) != 0 || len(changed.SecretNames) != 0 || s.channels[0].Sealed != "" {
		t.Errorf("secrets that were taken away are there: %v", changed.SecretNames)
	}
	_, err = update(func(c *alarm.Channel) { c.Kind = alarm.Slack })
	refused(t, err, job.Invalid, "stays of its kind")
	_, err = b.UpdateChannel(t.Context(), "default", "mail", 1, nil)
	refused(t, err, job.Conflict, "has version 4 by now")
	_, err = b.UpdateChannel(t.Context(), "team", "mail", 0, nil)
	refused(t, err, job.NotFound, `no alarm channel "mail" in namespace "team"`)
	all, err := b.Channels(t.Context(), "default")
	if err != nil || len(all) != 1 || len(b.ChannelFields()) != len(alarm.ChannelKinds()) {
		t.Errorf("%d channels, %v", len(all), err)
	}
	ok(t, b.DeleteChannel(t.Context(), "default", "mail"))
	_, err = b.Channel(t.Context(), "default", "mail")
	refused(t, err, job.NotFound, "no alarm channel")
}

// What is kept of a channel does not follow it to another place.
func TestSecretsDoNotMove(t *testing.T) {
	t.Parallel()
	b, _ := newBook(t)
	_, err := b.CreateChannel(t.Context(), aChannel())
	ok(t, err)
	move := func(secrets map[string]string) error {
		_, err := b.UpdateChannel(t.Context(), "default", "mail", 0, func(c alarm.Channel) (alarm.Channel, error) {
			c.Settings = map[string]string{"host": "thief.example"}
			c.Secrets = secrets
			return c, nil
		})
		return err
	}
	refused(t, move(nil), job.Invalid, "secrets.password: must be given again, or taken away: host changes")
	refused(t, move(map[string]string{"url": "new"}), job.Invalid, "secrets.password")
	c, err := b.Channel(t.Context(), "default", "mail")
	if err != nil || c.Settings["host"] == "thief.example" || c.Version != 1 {
		t.Errorf("after refusals: %+v, %v", c, err)
	}
	ok(t, move(map[string]string{"password": "geheim-3"}))
	got, err := b.Definitions(t.Context())
	if ok(t, err); !maps.Equal(got.Channels[0].Secrets, map[string]string{"password": "geheim-3"}) {
		t.Errorf("%d secrets", len(got.Channels[0].Secrets))
	}
}

// A server without a key keeps no secret, and channels without one all the same.
func TestNoSealer(t *testing.T) {
	t.Parallel()
	b := bookOver(t, &shelf{}, nil)
	_, err := b.CreateChannel(t.Context(), aChannel())
	refused(t, err, job.Invalid, "secrets: cannot be kept")
	c := aChannel()
	c.Secrets = map[string]string{"password": ""}
	_, err = b.CreateChannel(t.Context(), c)
	ok(t, err)
}

func TestSilences(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{}
		b := bookOver(t, s, nil)
		now := time.Now()
		made, err := b.CreateSilence(t.Context(), alarm.Silence{Namespace: "default", Comment: "x", Until: now.Add(time.Hour)})
		ok(t, err)
		if made.ID != 1 || !made.From.Equal(now) || !made.CreatedAt.Equal(now) || !s.forget.Equal(now.Add(-30*24*time.Hour)) {
			t.Errorf("made %+v, forgets before %s", made, s.forget)
		}
		later, err := b.CreateSilence(t.Context(), alarm.Silence{
			Namespace: "default", Comment: "x", From: now.Add(2 * time.Hour), Until: now.Add(3 * time.Hour),
		})
		ok(t, err)
		_, err = b.CreateSilence(t.Context(), alarm.Silence{Namespace: "default", Comment: "x", Until: now})
		refused(t, err, job.Invalid, "until: ")
		_, err = b.CreateSilence(t.Context(), alarm.Silence{Namespace: "default", Until: now.Add(time.Hour)})
		refused(t, err, job.Invalid, "comment: ")

		time.Sleep(time.Minute)
		ended, err := b.EndSilence(t.Context(), made.ID)
		ok(t, err)
		if _, holds := ended.Holds(time.Now()); holds || !ended.Until.Equal(time.Now()) {
			t.Errorf("ended %+v", ended)
		}
		ended, err = b.EndSilence(t.Context(), later.ID)
		ok(t, err)
		if begins, holds := ended.Holds(time.Now()); holds || !begins.IsZero() {
			t.Errorf("it begins all the same: %+v", ended)
		}
		time.Sleep(time.Minute)
		again, err := b.EndSilence(t.Context(), made.ID)
		if err != nil || !again.Until.Equal(now.Add(time.Minute)) {
			t.Errorf("it ended anew: %+v, %v", again, err)
		}
		_, err = b.EndSilence(t.Context(), 9)
		refused(t, err, job.NotFound, "no silence 9")
		ok(t, b.DeleteSilence(t.Context(), 1))
		if all, err := b.Silences(t.Context(), "default"); err != nil || len(all) != 0 {
			t.Errorf("%d silences, %v", len(all), err)
		}
	})
}

func TestTrial(t *testing.T) {
	t.Parallel()
	b, s := newBook(t)
	_, err := b.CreateChannel(t.Context(), aChannel())
	ok(t, err)
	trial, err := b.TestChannel(t.Context(), "default", "mail")
	ok(t, err)
	if !trial.Delivered || trial.Answer == "" {
		t.Errorf("got %+v", trial)
	}
	m, via := s.sent[0], s.via[0]
	if !m.Test || m.ID == "" || m.Title == "" || m.Text == "" || m.Language != "en" || via.Secrets["password"] != "geheim-1" {
		t.Errorf("sent %+v", m)
	}
	s.reply = func(context.Context) error { return errors.New("535 wrong password geheim-1") }
	trial, err = b.TestChannel(t.Context(), "default", "mail")
	ok(t, err)
	if trial.Delivered || trial.Answer != "535 wrong password ***" {
		t.Errorf("got %+v", trial)
	}
	_, err = b.TestSettings(t.Context(), alarm.Channel{Namespace: "default", Key: "x", Kind: alarm.Email})
	refused(t, err, job.Invalid, "settings.host")
	_, err = b.TestChannel(t.Context(), "default", "nobody")
	refused(t, err, job.NotFound, "nobody")
	unsaved := aChannel()
	unsaved.Key = "new"
	trial, err = b.TestSettings(t.Context(), unsaved)
	if err != nil || trial.Answer != "535 wrong password ***" || s.sent[2].ID == m.ID {
		t.Errorf("got %+v, %v", trial, err)
	}
}

// A channel that never answers is given up, and one that is tested too often waits.
func TestTrialBounds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{}
		b := bookOver(t, s, nil)
		c := aChannel()
		c.Secrets = nil
		s.reply = func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}
		trial, err := b.TestSettings(t.Context(), c)
		if err != nil || trial.Delivered || trial.Took != 15*time.Second || !strings.Contains(trial.Answer, "did not answer within 15s") {
			t.Errorf("got %+v, %v", trial, err)
		}
		s.reply = nil
		for range 5 {
			_, err := b.TestSettings(t.Context(), c)
			ok(t, err)
		}
		_, err = b.TestSettings(t.Context(), c)
		refused(t, err, job.Full, "tested 6 times")
		_, err = b.CreateChannel(t.Context(), c)
		ok(t, err)
		_, err = b.TestChannel(t.Context(), "default", "mail") // it has a count of its own
		ok(t, err)
		time.Sleep(46 * time.Second)
		_, err = b.TestSettings(t.Context(), c)
		ok(t, err)
		time.Sleep(time.Minute)
		_, err = b.TestSettings(t.Context(), c)
		ok(t, err)
	})
}
