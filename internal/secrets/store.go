package secrets

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
)

// Limits of what a server keeps: all values are held in memory, and each line of them
// is looked for in all logs.
const (
	// MaxSecrets is the secrets of all namespaces, MaxBytes the bytes of their values,
	// and MaxMarks the texts that are looked for because of them.
	MaxSecrets = 2000
	MaxBytes   = 16 << 20
	MaxMarks   = 25_000
	// KeepPast is how long a value is looked for in logs after another has taken its
	// place, or its secret was deleted: a run may still have it. Of such values at most
	// MaxPast, MaxPastBytes and MaxPastMarks are kept, the latest ones.
	KeepPast     = 30 * 24 * time.Hour
	MaxPast      = 2000
	MaxPastBytes = 8 << 20
	MaxPastMarks = 10_000
	// MaxUses is the jobs that are named as those that refer to a secret.
	MaxUses = 1000
)

// Store keeps secrets.
type Store interface {
	Writer
	Reader
	Shelf
}

// Writer changes secrets.
type Writer interface {
	// SaveSecret writes a new secret when its Version is 0, else one over the version it
	// was read at, and returns it as it stands. v is its new value, nil to keep the one
	// that it has; the one before is kept as a past one for KeepPast. Kinds: Conflict
	// when the key is taken or it has another version, NotFound when there is none to
	// write over, Full.
	SaveSecret(ctx context.Context, s job.Secret, v *Value) (job.Secret, error)
	// DeleteSecret removes the version of a secret that was read; its value is kept as
	// a past one. Kinds: NotFound, Conflict.
	DeleteSecret(ctx context.Context, s job.Secret, now time.Time) error
}

// Reader finds secrets.
type Reader interface {
	// Secret returns a secret, or NotFound.
	Secret(ctx context.Context, namespace, key string) (job.Secret, error)
	// Secrets returns those of a namespace in order of key.
	Secrets(ctx context.Context, namespace string) ([]job.Secret, error)
	// SecretUses returns the jobs of a namespace that may refer to a secret, in order of
	// key: all that do, and perhaps others, at most limit. Only their keys, groups,
	// parameters and labels are filled.
	SecretUses(ctx context.Context, namespace, key string, limit int) ([]job.Job, error)
}

// Shelf is what a book reads again and again, and what it notes.
type Shelf interface {
	// SecretBook returns all values, and nil when their version is still known. What it
	// returns is at least as new as its version.
	SecretBook(ctx context.Context, known int64) (*Stored, error)
	// NoteSecretsUsed writes when the values of secrets last went out, by id. Those that
	// are gone are passed over.
	NoteSecretsUsed(ctx context.Context, used map[int64]time.Time) error
	// DropPastSecrets forgets the values that were good before an instant for the last
	// time.
	DropPastSecrets(ctx context.Context, before time.Time) error
}

// Value is a value as it is stored.
type Value struct {
	// Sealed is closed for the namespace and the key of its secret.
	Sealed string
	// Size is the bytes of the value, Marks the texts that are looked for because of it.
	Size, Marks int
}

// Stored is everything of all namespaces.
type Stored struct {
	Version int64
	Values  []StoredValue
}

// StoredValue is a value with its secret. Of a past one only the namespace and the key of
// the secret are known.
type StoredValue struct {
	Secret job.Secret
	Sealed string
	Past   bool
}
