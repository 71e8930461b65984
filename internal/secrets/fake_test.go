package secrets_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/lifecycle/lifecycletest"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/secrets"
	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shelf is a store in memory. It does not judge: that is the matter of the suite of
// stores.
type shelf struct {
	mu      sync.Mutex
	err     error // the answer to everything
	version int64
	values  []secrets.StoredValue
	jobs    []job.Job
	used    map[int64]time.Time
	dropped time.Time
}

func (s *shelf) SaveSecret(_ context.Context, x job.Secret, v *secrets.Value) (job.Secret, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return job.Secret{}, s.err
	}
	s.version++
	x.ID, x.Version = s.version, x.Version+1
	i := slices.IndexFunc(s.values, func(o secrets.StoredValue) bool { return !o.Past && o.Secret.Key == x.Key })
	if i < 0 {
		s.values = append(s.values, secrets.StoredValue{Secret: x, Sealed: v.Sealed})
		return x, nil
	}
	if v != nil {
		past := s.values[i]
		past.Past = true
		s.values = append(s.values, past)
		s.values[i].Sealed = v.Sealed
	}
	s.values[i].Secret = x
	return x, nil
}

func (s *shelf) DeleteSecret(_ context.Context, x job.Secret, _ time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	for i := range s.values {
		if s.values[i].Secret.Key == x.Key {
			s.values[i].Past = true
		}
	}
	return s.err
}

func (s *shelf) Secret(_ context.Context, namespace, key string) (job.Secret, error) {
	all, err := s.Secrets(context.Background(), namespace)
	for _, x := range all {
		if x.Key == key {
			return x, err
		}
	}
	return job.Secret{}, job.Errorf(job.NotFound, "secret %s does not exist", key)
}

func (s *shelf) Secrets(_ context.Context, namespace string) (all []job.Secret, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.values {
		if !v.Past && v.Secret.Namespace == namespace {
			all = append(all, v.Secret)
		}
	}
	return all, s.err
}

func (s *shelf) SecretUses(context.Context, string, string, int) ([]job.Job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.jobs), s.err
}

func (s *shelf) SecretBook(_ context.Context, known int64) (*secrets.Stored, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil || s.version == known {
		return nil, s.err
	}
	return &secrets.Stored{Version: s.version, Values: slices.Clone(s.values)}, nil
}

func (s *shelf) NoteSecretsUsed(_ context.Context, used map[int64]time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.used = used
	}
	return s.err
}

func (s *shelf) DropPastSecrets(_ context.Context, before time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropped = before
	return s.err
}

// lastUsed returns when a secret was used, as it was written.
func (s *shelf) lastUsed(id int64) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used[id]
}

// fail makes err the answer to everything.
func (s *shelf) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

// rig is a book on a shelf.
type rig struct {
	*testing.T
	*secrets.Book
	shelf  *shelf
	hidden []string // of one goroutine at a time
	ctx    context.Context
}

func newRig(t *testing.T) *rig {
	t.Helper()
	sealer, err := credential.OpenSealer(filepath.Join(t.TempDir(), "secrets.key"))
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{T: t, shelf: &shelf{}, ctx: t.Context()}
	r.Book, err = secrets.New(secrets.Config{Store: r.shelf, Sealer: sealer, Hide: func(texts []string) error {
		r.hidden = texts
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	r.ok(r.Load(r.ctx))
	return r
}

func (r *rig) ok(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// set makes a secret.
func (r *rig) set(key, value string, groups ...string) job.Secret {
	r.Helper()
	s, err := r.Create(r.ctx, job.Secret{Namespace: job.DefaultNamespace, Key: key, Groups: groups, CreatedBy: "ada"}, redacted.New(value))
	r.ok(err)
	return s
}

// refused checks that an error is of a kind and has a text in it.
func (r *rig) refused(err error, kind job.Kind, text string) {
	r.Helper()
	if !job.Is(err, kind) || !strings.Contains(err.Error(), text) {
		r.Errorf("got %v, want %s with %q", err, kind, text)
	}
}

// synced runs the book within a bubble; stop ends it and waits for that.
func (r *rig) synced(t *testing.T) (ctx context.Context, stop func()) {
	t.Helper()
	return t.Context(), lifecycletest.Start(t, r.Book.Run)
}
