package secrets

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

const (
	// lookEvery is how often it is looked whether other servers have changed something,
	// and noteEvery how often it is written which secrets are in use.
	lookEvery = 2 * time.Second
	noteEvery = time.Minute
	// dropEvery is how often past values are forgotten.
	dropEvery = time.Hour
	// noteFor bounds the last note of a server that stops.
	noteFor = 2 * time.Second
)

// Config sets what a Book works with.
type Config struct {
	// Store is required.
	Store Store
	// Sealer closes values before they are written. Required.
	Sealer *credential.Sealer
	// Hide is called with all texts that are to be hidden in logs, in place of those
	// before. It returns before a task gets any of them. Defaults to nothing.
	Hide func(literals []string) error
	// Logger gets what cannot be read. Defaults to discarding it.
	Logger *slog.Logger
}

// Book keeps secrets. Its methods may be used from many goroutines.
type Book struct {
	config Config
	latest atomic.Pointer[edition] // nil until it was read; written under reading

	reading sync.Mutex // held while the rows are read

	mu   sync.Mutex
	used map[int64]time.Time // guarded by mu: by id, what is not written yet
}

// edition is the values as they were read. It never changes.
type edition struct {
	version int64
	values  map[secretName]cachedSecret
	// opened are all values by what they were opened from, so that the next edition
	// need not open them again.
	opened map[closed]redacted.Text
}

// closed is a value as it is stored, of a secret: of another one it does not open.
type closed struct {
	of     secretName
	sealed string
}

// secretName names a secret.
type secretName struct{ namespace, key string }

// cachedSecret is a secret with its value, or why there is none.
type cachedSecret struct {
	secret job.Secret
	value  redacted.Text
	err    error
}

// New returns a Book. Load comes first; Run keeps it fresh.
func New(c Config) (*Book, error) {
	if c.Store == nil || c.Sealer == nil {
		return nil, errors.New("vault: Config.Store and Sealer are needed")
	}
	if c.Hide == nil {
		c.Hide = func([]string) error { return nil }
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &Book{config: c, used: make(map[int64]time.Time)}, nil
}

// Load reads all values, so that they are hidden in logs before the first one is shown.
// Kinds: Unavailable.
func (b *Book) Load(ctx context.Context) error {
	_, err := b.readEdition(ctx)
	return err
}

// Run looks for what other servers have changed, and writes which secrets are in use,
// until ctx has ended.
func (b *Book) Run(ctx context.Context) error {
	look, note, drop := time.NewTicker(lookEvery), time.NewTicker(noteEvery), time.NewTicker(dropEvery)
	defer look.Stop()
	defer note.Stop()
	defer drop.Stop()
	failed := false
	for {
		var err error
		select {
		case <-ctx.Done():
			b.lastNote(ctx)
			return nil
		case <-look.C:
			_, err = b.readEdition(ctx)
		case <-note.C:
			err = b.writeUses(ctx)
		case <-drop.C:
			err = b.config.Store.DropPastSecrets(ctx, time.Now().Add(-KeepPast))
		}
		if err != nil && !failed && ctx.Err() == nil {
			b.config.Logger.Error("secrets cannot be read or noted; tasks that refer to one wait", "error", err)
		}
		failed = err != nil
	}
}

// lastNote writes which secrets are in use when the server stops. It is no loss when that
// does not work.
func (b *Book) lastNote(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteFor)
	defer cancel()
	if err := b.writeUses(ctx); err != nil {
		b.config.Logger.Warn("when secrets were last used is not written", "error", err)
	}
}

// readEdition looks at the rows, and hides what is new before anybody gets it.
func (b *Book) readEdition(ctx context.Context) (*edition, error) {
	b.reading.Lock()
	defer b.reading.Unlock()
	was, known := b.latest.Load(), int64(0)
	if was != nil {
		known = was.version
	}
	stored, err := b.config.Store.SecretBook(ctx, known)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the secrets: %w", err)
	case stored == nil && was != nil:
		return was, nil
	case stored == nil:
		stored = &Stored{}
	}
	next, texts := b.newEdition(stored, was)
	if err := b.config.Hide(texts); err != nil {
		return nil, fmt.Errorf("hide the secrets in logs: %w", err)
	}
	b.latest.Store(next)
	return next, nil
}

// newEdition makes an edition of what was read, and returns the texts that are to be hidden.
func (b *Book) newEdition(s *Stored, was *edition) (*edition, []string) {
	next := &edition{version: s.Version, values: make(map[secretName]cachedSecret), opened: make(map[closed]redacted.Text)}
	var texts []string
	for i := range s.Values {
		v := &s.Values[i]
		value, err := b.openValue(v, was)
		if err == nil {
			next.opened[closedOf(v)] = value
			texts = append(texts, literals(value.Reveal())...)
		}
		if v.Past {
			continue
		}
		if err != nil {
			b.config.Logger.Error("a secret cannot be opened: tasks that refer to it fail until its value is set again",
				"namespace", v.Secret.Namespace, "secret", v.Secret.Key, "error", err)
		}
		next.values[secretName{v.Secret.Namespace, v.Secret.Key}] = cachedSecret{v.Secret, value, err}
	}
	slices.Sort(texts)
	return next, slices.Compact(texts)
}

func closedOf(v *StoredValue) closed {
	return closed{secretName{v.Secret.Namespace, v.Secret.Key}, v.Sealed}
}

// bound returns what a value is sealed for, so that it opens for no other secret. No
// group's key has a blank in it.
func bound(namespace, key string) (kind, name string) { return "named secret", namespace + "/" + key }

// openValue returns a value, one that was open before without opening it again. The error
// reveals nothing of it.
func (b *Book) openValue(v *StoredValue, was *edition) (redacted.Text, error) {
	if was != nil {
		if value, known := was.opened[closedOf(v)]; known {
			return value, nil
		}
	}
	kind, name := bound(v.Secret.Namespace, v.Secret.Key)
	value, err := b.config.Sealer.Open(v.Sealed, kind, name)
	if err != nil {
		return redacted.Text{}, errors.New("it was sealed with another key than that of this server, or what is kept of it was changed")
	}
	return value, nil
}

// noteUse notes that the value of a secret goes out.
func (b *Book) noteUse(s *job.Secret, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.used) < MaxSecrets {
		b.used[s.ID] = now.Truncate(time.Minute)
	}
}

// writeUses writes which secrets are in use. What cannot be written is kept for the next time.
func (b *Book) writeUses(ctx context.Context) error {
	b.mu.Lock()
	used := b.used
	b.used = make(map[int64]time.Time)
	b.mu.Unlock()
	if len(used) == 0 {
		return nil
	}
	err := b.config.Store.NoteSecretsUsed(ctx, used)
	if err == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	maps.Copy(used, b.used)
	b.used = used
	return fmt.Errorf("write when %s were last used: %w", plural.Count(len(used), "secret"), err)
}
