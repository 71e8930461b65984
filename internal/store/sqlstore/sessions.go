package sqlstore

import (
	"context"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/job"
)

// sequenceSessions is that of the ids of sessions.
const sequenceSessions = "sessions"

const (
	sessionColumns = `id, user_id, way, epoch, address, agent, created_at, seen_at, ends_at`
	insertSession  = `INSERT INTO sessions (id, user_id, hash, way, epoch, address, agent, created_at, seen_at, ends_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	// By sessions' unique hash.
	findSession = `SELECT ` + sessionColumns + ` FROM sessions WHERE hash = ?`
	// By sessions' primary key.
	touchSession = `UPDATE sessions SET seen_at = ? WHERE id = ? AND seen_at < ?`
	// By sessions_user, backwards.
	listSessions = `SELECT ` + sessionColumns + ` FROM sessions WHERE user_id = ? ORDER BY id DESC`
	// By sessions_user, backwards: the newest of those that are too many.
	findSurplusSession = `SELECT id FROM sessions WHERE user_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?`
	// By sessions_user.
	deleteOldSessions = `DELETE FROM sessions WHERE user_id = ? AND id <= ?`
	// By sessions' primary key.
	deleteSession = `DELETE FROM sessions WHERE id = ? AND user_id = ?`
	// By sessions_user.
	deleteSessionsOf = `DELETE FROM sessions WHERE user_id = ? AND id <> ?`
	// By sessions_end.
	deleteEndedSessions = `DELETE FROM sessions WHERE ends_at <= ?`
	// By sessions_seen.
	deleteIdleSessions = `DELETE FROM sessions WHERE seen_at <= ?`
	// By sign_in_places' primary key.
	findPlace = `SELECT seen_at FROM sign_in_places WHERE account = ? AND network = ? AND seen_at > ?`
	// By sign_in_places' primary key.
	touchPlace  = `UPDATE sign_in_places SET seen_at = ? WHERE account = ? AND network = ?`
	insertPlace = `INSERT INTO sign_in_places (account, network, seen_at) VALUES (?, ?, ?)`
	// By sign_in_places_account, backwards: the newest of those that are too many.
	findSurplusPlace = `SELECT network FROM sign_in_places WHERE account = ? ORDER BY seen_at DESC LIMIT 1 OFFSET ?`
	// By sign_in_places' primary key.
	deletePlace = `DELETE FROM sign_in_places WHERE account = ? AND network = ?`
	// By sign_in_places_seen.
	deleteOldPlaces = `DELETE FROM sign_in_places WHERE seen_at <= ?`
)

// maxPlaces is how many places are known of an account: one more forgets the oldest.
const maxPlaces = 20

// AddSession writes a session and returns it with its id; of a user with
// access.MaxSessions the oldest ends.
func (s *Store) AddSession(ctx context.Context, a access.Session, hash string) (access.Session, error) {
	err := s.writer.update(ctx, func(t *tx) (err error) {
		if a.ID, err = t.reserve(sequenceSessions, 1); err != nil {
			return err
		}
		if err := t.do(insertSession, a.ID, a.User, hash, string(a.Way), a.Epoch, a.Address, a.Agent,
			job.Millis(a.CreatedAt), job.Millis(a.SeenAt), job.Millis(a.EndsAt)); err != nil {
			return err
		}
		var surplus int64
		found, err := t.read(findSurplusSession, []any{a.User, access.MaxSessions}, []any{&surplus})
		if err == nil && found {
			err = t.do(deleteOldSessions, a.User, surplus)
		}
		return err
	})
	if err != nil {
		return access.Session{}, err
	}
	return a, nil
}

func sessionFields(a *access.Session) []any {
	return []any{
		(*integer)(&a.ID), (*integer)(&a.User), (*text)(&a.Way), (*integer)(&a.Epoch), (*text)(&a.Address), (*text)(&a.Agent),
		(*instant)(&a.CreatedAt), (*instant)(&a.SeenAt), (*instant)(&a.EndsAt),
	}
}

// SessionByHash returns a session. Kinds: NotFound.
func (s *Store) SessionByHash(ctx context.Context, hash string) (access.Session, error) {
	a, found, err := first(ctx, s.reader, sessionFields, findSession, hash)
	if err == nil && !found {
		err = job.Errorf(job.NotFound, "there is no such session")
	}
	return a, err
}

// TouchSession records when a session was used. A deleted session is no error.
func (s *Store) TouchSession(ctx context.Context, id int64, at time.Time) error {
	return s.writer.submit(ctx, func(t *tx) error {
		return t.do(touchSession, job.Millis(at), id, job.Millis(at))
	})
}

// SessionsOf returns the sessions of a user, the newest first.
func (s *Store) SessionsOf(ctx context.Context, user int64) ([]access.Session, error) {
	return list(ctx, s.reader, sessionFields, listSessions, user)
}

// RemoveSession ends a session of a user. Kinds: NotFound.
func (s *Store) RemoveSession(ctx context.Context, user, id int64) error {
	return s.writer.update(ctx, func(t *tx) error {
		found, err := t.one(deleteSession, id, user)
		if err == nil && !found {
			err = job.Errorf(job.NotFound, "the user has no session %d", id)
		}
		return err
	})
}

// RemoveSessionsOf ends all sessions of a user but one.
func (s *Store) RemoveSessionsOf(ctx context.Context, user, but int64) error {
	return s.writer.update(ctx, func(t *tx) error {
		return t.do(deleteSessionsOf, user, but)
	})
}

// KnowsPlace reports whether an account has signed in from a network since an instant.
func (s *Store) KnowsPlace(ctx context.Context, account, network string, since time.Time) (bool, error) {
	fields := func(at *int64) []any { return []any{(*integer)(at)} }
	_, found, err := first(ctx, s.reader, fields, findPlace, account, network, job.Millis(since))
	return found, err
}

// AddPlace notes that an account has signed in from a network.
func (s *Store) AddPlace(ctx context.Context, account, network string, at time.Time) error {
	return s.writer.submit(ctx, func(t *tx) error {
		known, err := t.one(touchPlace, job.Millis(at), account, network)
		if err != nil || known {
			return err
		}
		if err := t.do(insertPlace, account, network, job.Millis(at)); err != nil {
			return err
		}
		var old string
		found, err := t.read(findSurplusPlace, []any{account, maxPlaces}, []any{&old})
		if err == nil && found {
			err = t.do(deletePlace, account, old)
		}
		return err
	})
}

// PruneSessions deletes sessions that ended, or were used last, by an instant, and forgets
// places without a sign-in since.
func (s *Store) PruneSessions(ctx context.Context, ended, seen, places time.Time) error {
	return s.writer.update(ctx, func(t *tx) error {
		if err := t.do(deleteEndedSessions, job.Millis(ended)); err != nil {
			return err
		}
		if err := t.do(deleteIdleSessions, job.Millis(seen)); err != nil {
			return err
		}
		return t.do(deleteOldPlaces, job.Millis(places))
	})
}
