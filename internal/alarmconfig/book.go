package alarmconfig

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/job"
)

const (
	// freshFor is how long what was read is used without a look at the rows, and
	// goodFor how long when the rows cannot be read.
	freshFor = 2 * time.Second
	goodFor  = 5 * time.Second
	// readFor ends a look at the rows.
	readFor = 2 * time.Second
)

// Config sets what a Book works with.
type Config struct {
	// Store is required.
	Store Store
	// Reader is what the Book looks at again and again. Required.
	Reader Reader
	// Kinds defines the settings of each kind of channel. Required.
	Kinds Kinds
	// Sender carries the messages of the test button. Required.
	Sender Sender
	// Render makes the texts of a message, and CheckTemplate reports what is wrong with a
	// template. Required.
	Render        func(t alarm.Template, m alarm.Message) (title, text string, err error)
	CheckTemplate func(t alarm.Template) error
	// Page returns the address of the page of channels, which messages of the test button
	// link to; empty when it is not known. Defaults to none.
	Page func() string
	// Sealer closes secrets before they are written. Defaults to nil: channels with
	// secrets are refused.
	Sealer *credential.Sealer
	// Logger gets what cannot be read. Defaults to discarding it.
	Logger *slog.Logger
}

// Kinds knows the kinds of channels.
type Kinds interface {
	// Check reports what is wrong with the settings and secrets of a channel, with
	// the field at fault: settings.NAME or secrets.NAME.
	Check(c alarm.Channel) error
	// Fields returns what a channel of the kind may have, in the order in which
	// people are asked.
	Fields(kind alarm.ChannelKind) []alarm.Field
}

// Sender carries a message.
type Sender interface {
	// Send returns when the channel has accepted the message, or why it has not. The error
	// reveals no secret.
	Send(ctx context.Context, c alarm.Channel, m alarm.Message) error
}

// Book keeps definitions. Its methods may be used from many goroutines.
type Book struct {
	config  Config
	latest  atomic.Pointer[edition] // nil until it was read; written under reading
	reading sync.Mutex              // held while the rows are read
	trials  trials
}

// edition is the definitions as they were read. It never changes.
type edition struct {
	readAt  time.Time // before the reading
	version int64
	all     alarm.Definitions
	sealed  map[int64]string        // by channel
	enabled map[string][]alarm.Rule // by namespace
}

// New returns a Book; Run keeps it fresh.
func New(c Config) (*Book, error) {
	if c.Store == nil || c.Reader == nil || c.Kinds == nil || c.Sender == nil || c.Render == nil || c.CheckTemplate == nil {
		return nil, errors.New("alarmbook: Config.Store, Reader, Kinds, Sender, Render and CheckTemplate are needed")
	}
	if c.Page == nil {
		c.Page = func() string { return "" }
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &Book{config: c}, nil
}

// Run looks at the rows every two seconds, so that [Book.Wants] knows them, until
// ctx has ended.
func (b *Book) Run(ctx context.Context) error {
	tick := time.NewTicker(freshFor)
	defer tick.Stop()
	failed := false
	for {
		_, err := b.readEdition(ctx)
		if err != nil && !failed && ctx.Err() == nil {
			b.config.Logger.Error("the definitions of alerts could not be read; no notification is sent until they can", "error", err)
		}
		failed = err != nil
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Definitions returns the definitions of all namespaces as they stand, or stood a
// few seconds ago. A channel whose secrets cannot be opened has none. Kinds:
// Unavailable.
func (b *Book) Definitions(ctx context.Context) (alarm.Definitions, error) {
	e := b.latest.Load()
	if e != nil && time.Since(e.readAt) < freshFor {
		return e.all, nil
	}
	read, err := b.readEdition(ctx)
	if err == nil {
		return read.all, nil
	}
	if e = b.latest.Load(); e != nil && time.Since(e.readAt) < goodFor {
		return e.all, nil
	}
	return alarm.Definitions{}, err
}

// Wants reports whether an event may have a recipient: a rule that is enabled, or the
// addresses that its job names. It reads no rows, and returns true when it has read none
// lately. It does not keep e.
func (b *Book) Wants(e *alarm.Event) bool {
	known := b.latest.Load()
	if known == nil || time.Since(known.readAt) > goodFor || e.Mailed() {
		return true
	}
	rules := known.enabled[e.Namespace]
	for i := range rules {
		if rules[i].Wants(e) {
			return true
		}
	}
	return false
}

// Health writes how a channel did: nil is a success. Kinds: Unavailable.
func (b *Book) Health(ctx context.Context, channel int64, at time.Time, failure error) error {
	text := ""
	if failure != nil {
		text = job.Clean(failure.Error(), maxFailure)
	}
	if err := b.config.Reader.NoteAlarmChannel(ctx, channel, at, text); err != nil {
		return fmt.Errorf("write how channel %d did: %w", channel, err)
	}
	return nil
}

// maxFailure is the characters of a failure that are kept.
const maxFailure = 1000

// readEdition looks at the rows.
func (b *Book) readEdition(ctx context.Context) (*edition, error) {
	asked := time.Now()
	b.reading.Lock()
	defer b.reading.Unlock()
	was, known, now := b.latest.Load(), int64(0), time.Now()
	if was != nil {
		if known = was.version; was.readAt.After(asked) {
			return was, nil // another caller read while this one waited
		}
	}
	ctx, cancel := context.WithTimeout(ctx, readFor)
	defer cancel()
	stored, err := b.config.Reader.AlarmBook(ctx, known)
	if err != nil {
		return nil, fmt.Errorf("read the definitions of alarms: %w", err)
	}
	next := &edition{}
	if stored == nil {
		*next = *was
	} else {
		next = b.newEdition(stored, was)
	}
	next.readAt = now
	b.latest.Store(next)
	return next, nil
}

// newEdition makes an edition of what was read, and opens what was not open before.
func (b *Book) newEdition(s *Stored, was *edition) *edition {
	e := &edition{
		version: s.Version, all: alarm.Definitions{Version: s.Version, Silences: s.Silences},
		sealed: map[int64]string{}, enabled: map[string][]alarm.Rule{},
	}
	for i := range s.Rules {
		r := s.Rules[i].WithDefaults()
		e.all.Rules = append(e.all.Rules, r)
		if r.Enabled {
			e.enabled[r.Namespace] = append(e.enabled[r.Namespace], r)
		}
	}
	for i := range s.Channels {
		c := s.Channels[i].WithDefaults()
		e.sealed[c.ID] = s.Channels[i].Sealed
		c.Secrets = b.secretsOf(&s.Channels[i], was)
		e.all.Channels = append(e.all.Channels, c)
	}
	return e
}

// secretsOf returns the secrets of a channel, those that were open before without
// opening them again.
func (b *Book) secretsOf(c *Channel, was *edition) map[string]string {
	if was != nil && was.sealed[c.ID] == c.Sealed {
		for i := range was.all.Channels {
			if old := &was.all.Channels[i]; old.ID == c.ID {
				return old.Secrets
			}
		}
	}
	secrets, err := b.openSecrets(c)
	if err != nil {
		b.config.Logger.Error("the secrets of a channel cannot be opened: it sends nothing until they are set again",
			"namespace", c.Namespace, "channel", c.Key, "error", err)
	}
	return secrets
}

// changed makes this server see a change of its own at once. When that fails, it
// sees it with the next look.
func (b *Book) changed(ctx context.Context) {
	if _, err := b.readEdition(context.WithoutCancel(ctx)); err != nil {
		b.config.Logger.Warn("a change of alarm definitions is seen a little later", "error", err)
	}
}
