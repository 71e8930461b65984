package sqlstore

import (
	"context"
	"encoding/hex"
	"time"

	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/job"
)

const (
	// By once_keys_number, backwards.
	readLastOnce = `SELECT number FROM once_keys WHERE caller = ? ORDER BY number DESC LIMIT 1`
	insertOnce   = `INSERT INTO once_keys (caller, once_key, number, request, operation, line, created_at, reply) VALUES (?, ?, ?, ?, ?, ?, ?, '')`
	// By once_keys_number.
	dropOldOnce = `DELETE FROM once_keys WHERE caller = ? AND number <= ?`
	// By once_keys' primary key.
	readOnce = `SELECT request, operation, line, created_at, reply FROM once_keys WHERE caller = ? AND once_key = ?`
	// By once_keys' primary key. The first answer counts.
	setReply = `UPDATE once_keys SET reply = ? WHERE caller = ? AND once_key = ? AND reply = ''`
	// By once_keys_created.
	dropOnce = `DELETE FROM once_keys WHERE created_at < ?`
)

// dayOfOnce is how long a key is kept.
const dayOfOnce = 24 * time.Hour

// maxOnce is how many keys of one caller are kept: the newest.
const maxOnce = 10_000

// keepOnce writes down the key of an intent, if it has one.
func (t *tx) keepOnce(i *intent.Intent, line int64) error {
	if i.Once == "" {
		return nil
	}
	caller := intent.CallerOf(&i.By)
	var last int64
	if _, err := t.read(readLastOnce, []any{caller}, []any{(*integer)(&last)}); err != nil {
		return err
	}
	_, err := t.exec(insertOnce, caller, i.Once, last+1, hex.EncodeToString(i.Request[:]), i.Operation, line, job.Millis(i.At))
	if err != nil && t.dialect.Fault(err) == FaultTaken {
		taken := job.Errorf(job.Conflict, "the key %q was used by another request at the same time", i.Once)
		taken.Hint = "send the request again with the same key to get the result of that request"
		return taken
	}
	if err != nil || last < maxOnce {
		return err
	}
	return t.do(dropOldOnce, caller, last+1-maxOnce)
}

// Once returns what is known of a key that a caller has used, and false for nothing.
// Keys are forgotten after a day.
func (s *Store) Once(ctx context.Context, caller, key string) (intent.Reuse, bool, error) {
	fields := func(r *intent.Reuse) []any {
		return []any{digest{&r.Request}, (*text)(&r.Operation), (*integer)(&r.Line), (*instant)(&r.At), (*text)(&r.Reply)}
	}
	return first(ctx, s.reader, fields, readOnce, caller, key)
}

// SetReply keeps what was answered to the request with a key. The first answer counts.
func (s *Store) SetReply(ctx context.Context, caller, key, reply string) error {
	return s.writer.submit(ctx, func(t *tx) error {
		return t.do(setReply, reply, caller, key)
	})
}

// DropOnce forgets the keys that are older than a day.
func (s *Store) DropOnce(ctx context.Context, now time.Time) error {
	return s.writer.submit(ctx, func(t *tx) error {
		return t.do(dropOnce, job.Millis(now.Add(-dayOfOnce)))
	})
}

// digest receives a SHA-256 in hex.
type digest struct{ into *[32]byte }

// Scan implements sql.Scanner. What is none is that of no request.
func (d digest) Scan(src any) error {
	var raw text
	if err := raw.Scan(src); err != nil {
		return err
	}
	*d.into = [32]byte{}
	if sum, err := hex.DecodeString(string(raw)); err == nil && len(sum) == len(d.into) {
		copy(d.into[:], sum)
	}
	return nil
}
