package sqlstore

import (
	"context"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/secrets"
	"github.com/orthd/orth/job"
)

// The sequences of secrets: of their ids, and the version of all of them.
const (
	sequenceSecrets    = "secrets"
	sequenceSecretBook = "secret_book"
)

const (
	secretColumns = `s.id, s.namespace, s.secret_key, s.title, s.groups, s.version, s.created_by, s.updated_by, s.created_at, s.updated_at,
		s.replaced_at, s.used_at`

	// By secrets' unique (namespace, secret_key).
	readSecret = `SELECT ` + secretColumns + ` FROM secrets s WHERE s.namespace = ? AND s.secret_key = ?`
	// By secrets' unique (namespace, secret_key), in its order.
	listSecrets = `SELECT ` + secretColumns + ` FROM secrets s WHERE s.namespace = ? ORDER BY s.secret_key LIMIT ?`
	// By secrets' unique (namespace, secret_key), in its order: at most secrets.MaxSecrets
	// rows, for people.
	listEverySecret = `SELECT ` + secretColumns + ` FROM secrets s ORDER BY s.namespace, s.secret_key LIMIT ?`
	// By a scan of at most secrets.MaxSecrets rows, when one of them has changed.
	listAllSecrets = `SELECT ` + secretColumns + `, s.sealed, 0 FROM secrets s`
	// By a scan of at most secrets.MaxPast rows, when a secret has changed.
	listPastSecrets = `SELECT 0, namespace, secret_key, '', '[]', 0, '', '', 0, 0, 0, 0, sealed, 1 FROM secret_pasts`
	// By secrets' unique (namespace, secret_key).
	readSecretStanding = `SELECT id, version, created_at FROM secrets WHERE namespace = ? AND secret_key = ?`
	// By a scan of at most secrets.MaxSecrets rows, for a new value only.
	countSecrets = `SELECT COUNT(*), COALESCE(SUM(size), 0), COALESCE(SUM(marks), 0) FROM secrets WHERE id <> ?`
	insertSecret = `INSERT INTO secrets (id, namespace, secret_key, title, groups, version, sealed, size, marks, created_by, updated_by, created_at,
		updated_at, replaced_at) VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?)`
	// By secrets' primary key.
	updateSecret = `UPDATE secrets SET title = ?, groups = ?, version = version + 1, updated_by = ?, updated_at = ? WHERE id = ?`
	// By secrets' primary key.
	replaceSecret = `UPDATE secrets SET sealed = ?, size = ?, marks = ?, replaced_at = ? WHERE id = ?`
	// By secrets' primary key.
	deleteSecret = `DELETE FROM secrets WHERE id = ?`
	// By secrets' primary key.
	noteSecretUsed = `UPDATE secrets SET used_at = ? WHERE id = ? AND used_at < ?`

	// By secrets' primary key.
	insertPastSecret = `INSERT INTO secret_pasts (id, namespace, secret_key, sealed, size, marks, until_at)
		SELECT ?, namespace, secret_key, sealed, size, marks, ? FROM secrets WHERE id = ?`
	// By a scan of at most secrets.MaxPast rows, when there is one more.
	countPastSecrets = `SELECT COUNT(*), COALESCE(SUM(size), 0), COALESCE(SUM(marks), 0) FROM secret_pasts`
	// By secret_pasts_until.
	oldestPastSecret = `SELECT id FROM secret_pasts ORDER BY until_at, id LIMIT 1`
	// By secret_pasts' primary key.
	dropPastSecret = `DELETE FROM secret_pasts WHERE id = ?`
	// By secret_pasts_until.
	dropPastSecrets = `DELETE FROM secret_pasts WHERE until_at < ?`

	// By jobs_key, in its order, and executor_groups' primary key: all jobs of the
	// namespace are looked at, for people.
	listSecretUses = `SELECT j.job_key, g.group_key, j.param, j.labels FROM jobs j JOIN executor_groups g ON g.id = j.group_id
		WHERE j.namespace = ? AND j.tombstone = 0 AND (j.param LIKE ? OR j.param LIKE ? OR j.labels LIKE ? OR j.labels LIKE ?)
		ORDER BY j.job_key LIMIT ?`
)

// Secret returns a secret, or NotFound.
func (s *Store) Secret(ctx context.Context, namespace, key string) (job.Secret, error) {
	found, exists, err := first(ctx, s.reader, secretFields, readSecret, namespace, key)
	if err == nil && !exists {
		err = noDefinition("secret", namespace, key)
	}
	return found, err
}

// Secrets returns those of a namespace, [access.All] for all, in order of namespace and
// key.
func (s *Store) Secrets(ctx context.Context, namespace string) ([]job.Secret, error) {
	if namespace == access.All {
		return list(ctx, s.reader, secretFields, listEverySecret, secrets.MaxSecrets)
	}
	return list(ctx, s.reader, secretFields, listSecrets, namespace, secrets.MaxSecrets)
}

// SecretUses returns the jobs of a namespace that may refer to a secret, in order of key,
// at most limit.
func (s *Store) SecretUses(ctx context.Context, namespace, key string, limit int) ([]job.Job, error) {
	whole, filtered := "%${secret:"+key+"}%", "%${secret:"+key+"|%"
	fields := func(j *job.Job) []any {
		return []any{(*text)(&j.Key), (*text)(&j.Group), (*text)(&j.Param), document[map[string]string]{&j.Labels}}
	}
	found, err := list(ctx, s.reader, fields, listSecretUses, namespace, whole, filtered, whole, filtered, limit)
	for i := range found {
		found[i].Namespace = namespace
	}
	return found, err
}

// SaveSecret writes a new secret when its Version is 0, else one over the version it was
// read at, and returns it as it stands. v is its new value, nil to keep the one that it
// has. Kinds: Conflict when the key is taken or it has another version, NotFound when
// there is none to write over, Full.
func (s *Store) SaveSecret(ctx context.Context, sec job.Secret, v *secrets.Value) (job.Secret, error) {
	groups, err := encodeNames(sec.Groups)
	if err != nil {
		return job.Secret{}, err
	}
	given := sec
	err = s.writer.update(ctx, func(t *tx) error {
		sec = given // it may be done again
		had, err := t.overwriting(readSecretStanding, "secret", sec.Namespace, sec.Key, sec.Version)
		if err != nil {
			return err
		}
		if v != nil {
			if err := t.roomForSecret(had.id, v); err != nil {
				return err
			}
		}
		if had.version == 0 {
			err = t.addSecret(&sec, groups, v)
		} else {
			sec.ID, sec.Version, sec.CreatedAt = had.id, had.version+1, had.created
			err = t.changeSecret(&sec, groups, v)
		}
		if err != nil {
			return err
		}
		t.names("secret", sec.Namespace, "", sec.Key)
		return t.touchSecretBook()
	})
	if err != nil {
		return job.Secret{}, err
	}
	return sec, nil
}

func (t *tx) addSecret(s *job.Secret, groups string, v *secrets.Value) (err error) {
	if v == nil {
		return job.FieldErrorf("value", "is missing")
	}
	if s.ID, err = t.reserve(sequenceSecrets, 1); err != nil {
		return err
	}
	s.Version = 1
	return t.do(insertSecret, s.ID, s.Namespace, s.Key, s.Title, groups, v.Sealed, v.Size, v.Marks, s.CreatedBy, s.UpdatedBy,
		job.Millis(s.CreatedAt), job.Millis(s.UpdatedAt), job.Millis(s.ReplacedAt))
}

func (t *tx) changeSecret(s *job.Secret, groups string, v *secrets.Value) error {
	if err := t.do(updateSecret, s.Title, groups, s.UpdatedBy, job.Millis(s.UpdatedAt), s.ID); err != nil || v == nil {
		return err
	}
	if err := t.keepPastSecret(s.ID, s.ReplacedAt); err != nil {
		return err
	}
	return t.do(replaceSecret, v.Sealed, v.Size, v.Marks, job.Millis(s.ReplacedAt), s.ID)
}

// roomForSecret reports as Full that there is no room for the value of a secret.
func (t *tx) roomForSecret(id int64, v *secrets.Value) error {
	var n, size, marks int64
	if _, err := t.read(countSecrets, []any{id}, []any{&n, &size, &marks}); err != nil {
		return err
	}
	if n < secrets.MaxSecrets && size+int64(v.Size) <= secrets.MaxBytes && marks+int64(v.Marks) <= secrets.MaxMarks {
		return nil
	}
	full := job.Errorf(job.Full, "there is no room for the value: there are %d secrets of %d bytes in all, at most %d of %d are kept", n, size, secrets.MaxSecrets, secrets.MaxBytes)
	full.Hint = "delete secrets that no job refers to: 'orth secret usage' lists the jobs of a secret"
	return full
}

// keepPastSecret keeps the value that a secret has, which is no longer good from now on,
// and forgets the oldest ones when there are too many.
func (t *tx) keepPastSecret(id int64, now time.Time) error {
	past, err := t.reserve(sequenceSecrets, 1)
	if err != nil {
		return err
	}
	if err := t.do(insertPastSecret, past, job.Millis(now), id); err != nil {
		return err
	}
	for {
		var n, size, marks int64
		if _, err := t.read(countPastSecrets, nil, []any{&n, &size, &marks}); err != nil {
			return err
		}
		if n <= secrets.MaxPast && size <= secrets.MaxPastBytes && marks <= secrets.MaxPastMarks {
			return nil
		}
		var oldest int64
		if found, err := t.read(oldestPastSecret, nil, []any{&oldest}); err != nil || !found {
			return err
		}
		if err := t.do(dropPastSecret, oldest); err != nil {
			return err
		}
	}
}

// DeleteSecret removes the version of a secret that was read; its value is kept as a past
// one. Kinds: NotFound, Conflict.
func (s *Store) DeleteSecret(ctx context.Context, sec job.Secret, now time.Time) error {
	return s.writer.update(ctx, func(t *tx) error {
		had, err := t.overwriting(readSecretStanding, "secret", sec.Namespace, sec.Key, sec.Version)
		if err != nil {
			return err
		}
		if err := t.keepPastSecret(had.id, now); err != nil {
			return err
		}
		if err := t.do(deleteSecret, had.id); err != nil {
			return err
		}
		return t.touchSecretBook()
	})
}

// touchSecretBook records that values have changed.
func (t *tx) touchSecretBook() error {
	return t.do(advanceSequence, 1, sequenceSecretBook)
}

// SecretBook returns all values, and nil when their version is still known. What it
// returns is at least as new as its version.
func (s *Store) SecretBook(ctx context.Context, known int64) (*secrets.Stored, error) {
	number := func(n *int64) []any { return []any{(*integer)(n)} }
	version, found, err := first(ctx, s.reader, number, readSequence, sequenceSecretBook)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, job.Errorf(job.Internal, "the sequence %s does not exist", sequenceSecretBook)
	case version == known:
		return nil, nil //nolint:nilnil // The contract requires it.
	}
	all := &secrets.Stored{Version: version}
	for _, query := range []string{listPastSecrets, listAllSecrets} {
		values, err := list(ctx, s.reader, valueFields, query)
		if err != nil {
			return nil, err
		}
		all.Values = append(all.Values, values...)
	}
	return all, nil
}

// NoteSecretsUsed records when the values of secrets were last sent, by id. Deleted ones
// are passed over.
func (s *Store) NoteSecretsUsed(ctx context.Context, used map[int64]time.Time) error {
	return s.writer.update(ctx, func(t *tx) error {
		for id, at := range used {
			if err := t.do(noteSecretUsed, job.Millis(at), id, job.Millis(at)); err != nil {
				return err
			}
		}
		return nil
	})
}

// DropPastSecrets forgets the values that were good before an instant for the last time.
func (s *Store) DropPastSecrets(ctx context.Context, before time.Time) error {
	return s.writer.update(ctx, func(t *tx) error {
		if dropped, err := t.one(dropPastSecrets, job.Millis(before)); err != nil || !dropped {
			return err
		}
		return t.touchSecretBook()
	})
}

// encodeNames returns names as JSON text; none are [].
func encodeNames(names []string) (string, error) {
	if len(names) == 0 {
		return "[]", nil
	}
	return encode(names)
}

func secretFields(s *job.Secret) []any {
	return []any{
		(*integer)(&s.ID), (*text)(&s.Namespace), (*text)(&s.Key), (*text)(&s.Title),
		document[[]string]{&s.Groups},
		(*integer)(&s.Version),
		(*text)(&s.CreatedBy), (*text)(&s.UpdatedBy), (*instant)(&s.CreatedAt), (*instant)(&s.UpdatedAt), (*instant)(&s.ReplacedAt), (*instant)(&s.UsedAt),
	}
}

func valueFields(v *secrets.StoredValue) []any {
	return append(secretFields(&v.Secret), (*text)(&v.Sealed), (*truth)(&v.Past))
}
