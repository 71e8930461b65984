package alarmconfig_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/alarmconfig"
	"github.com/orthd/orth/internal/alarmtext"
	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shelf is a store in memory, with kinds and a sender. It does not judge: that is the
// matter of the suite of stores.
type shelf struct {
	mu       sync.Mutex
	err      error // the answer to everything
	reads    int
	version  int64
	rules    []alarm.Rule
	channels []alarmconfig.Channel
	silences []alarm.Silence
	forget   time.Time
	notes    []string

	sent  []alarm.Message
	via   []alarm.Channel
	reply func(ctx context.Context) error // the answer of Send
}

// put writes v over the one that same finds, or adds it.
func put[T any](all []T, v T, same func(T) bool) []T {
	if i := slices.IndexFunc(all, same); i >= 0 {
		all[i] = v
		return all
	}
	return append(all, v)
}

func (s *shelf) write() (func(), error) {
	s.mu.Lock()
	if s.err == nil {
		s.version++
	}
	return s.mu.Unlock, s.err
}

func (s *shelf) SaveAlarmRule(_ context.Context, r alarm.Rule) (alarm.Rule, error) {
	done, err := s.write()
	defer done()
	r.ID, r.Version = 7, r.Version+1
	if err == nil {
		s.rules = put(s.rules, r, func(o alarm.Rule) bool { return o.Key == r.Key && o.Namespace == r.Namespace })
	}
	return r, err
}

func (s *shelf) DeleteAlarmRule(context.Context, string, string) error {
	done, err := s.write()
	defer done()
	s.rules = nil
	return err
}

func (s *shelf) AlarmRules(_ context.Context, namespace string) ([]alarm.Rule, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.rules), s.err
}

func (s *shelf) SaveAlarmChannel(_ context.Context, c alarmconfig.Channel) (alarmconfig.Channel, error) {
	done, err := s.write()
	defer done()
	if c.ID == 0 {
		c.ID = int64(len(s.channels) + 1)
	}
	c.Version++
	if err == nil {
		s.channels = put(s.channels, c, func(o alarmconfig.Channel) bool { return o.Key == c.Key })
	}
	return c, err
}

func (s *shelf) DeleteAlarmChannel(context.Context, string, string) error {
	done, err := s.write()
	defer done()
	s.channels = nil
	return err
}

func (s *shelf) AlarmChannels(context.Context, string) ([]alarmconfig.Channel, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.channels), s.err
}

func (s *shelf) SaveAlarmSilence(_ context.Context, q alarm.Silence, forget time.Time) (alarm.Silence, error) {
	done, err := s.write()
	defer done()
	if s.forget = forget; q.ID == 0 {
		q.ID = int64(len(s.silences) + 1)
	}
	if err == nil {
		s.silences = put(s.silences, q, func(o alarm.Silence) bool { return o.ID == q.ID })
	}
	return q, err
}

func (s *shelf) DeleteAlarmSilence(context.Context, int64) error {
	done, err := s.write()
	defer done()
	s.silences = nil
	return err
}

func (s *shelf) AlarmSilences(context.Context, string) ([]alarm.Silence, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.silences), s.err
}

func (s *shelf) AlarmBook(_ context.Context, known int64) (*alarmconfig.Stored, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	if s.err != nil || known == s.version {
		return nil, s.err
	}
	return &alarmconfig.Stored{
		Version: s.version, Rules: slices.Clone(s.rules), Channels: slices.Clone(s.channels), Silences: slices.Clone(s.silences),
	}, nil
}

func (s *shelf) NoteAlarmChannel(_ context.Context, id int64, _ time.Time, failure string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes = append(s.notes, failure)
	return s.err
}

// fail makes everything fail, or work again.
func (s *shelf) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

func (s *shelf) Fields(kind alarm.ChannelKind) []alarm.Field {
	return []alarm.Field{{Name: "host", Needed: true, Place: true}, {Name: "password", Secret: true}, {Name: "url", Secret: true}}
}

func (s *shelf) Check(c alarm.Channel) error {
	if c.Settings["host"] == "" {
		return job.FieldErrorf("settings.host", "is missing")
	}
	return nil
}

func (s *shelf) Send(ctx context.Context, c alarm.Channel, m alarm.Message) error {
	s.mu.Lock()
	s.sent, s.via = append(s.sent, m), append(s.via, c)
	s.mu.Unlock()
	if s.reply == nil {
		return nil
	}
	return s.reply(ctx)
}

// newBook returns a book over a new shelf.
func newBook(t *testing.T) (*alarmconfig.Book, *shelf) {
	t.Helper()
	s := &shelf{version: 1}
	sealer, err := credential.OpenSealer(t.TempDir() + "/secrets.key")
	if err != nil {
		t.Fatal(err)
	}
	return bookOver(t, s, sealer), s
}

func bookOver(t *testing.T, s *shelf, sealer *credential.Sealer) *alarmconfig.Book {
	t.Helper()
	b, err := alarmconfig.New(alarmconfig.Config{
		Store: s, Reader: s, Kinds: s, Sender: s, Render: alarmtext.Render, CheckTemplate: alarmtext.Check, Sealer: sealer,
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// refused checks the kind of an error, and that it has a text.
func refused(t *testing.T, err error, kind job.Kind, text string) {
	t.Helper()
	if !job.Is(err, kind) || !strings.Contains(err.Error(), text) {
		t.Errorf("got %v of kind %q, want %q with %q", err, job.KindOf(err), kind, text)
	}
}

func aRule() alarm.Rule {
	return alarm.Rule{
		Namespace: "default", Key: "nightly", Enabled: true, Kinds: []alarm.Kind{alarm.KindFailed}, Channels: []string{"mail"},
	}
}

func aChannel() alarm.Channel {
	return alarm.Channel{
		Namespace: "default", Key: "mail", Kind: alarm.Email, Enabled: true, Settings: map[string]string{"host": "mx"},
		Secrets: map[string]string{"password": "geheim-1"},
	}
}
