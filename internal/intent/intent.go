// Package intent attaches to a request its principal, the operation, the stored object, and
// the options of the change.
//
// It knows contexts and the vocabulary of package access. It must never know HTTP, rows, or
// what an operation does. The endpoint that received a request creates an [Intent]; other
// packages pass the context on unread. The store writes the audit entry, and the
// idempotency key, in the transaction of the change itself, and rolls everything back for a
// dry run.
package intent

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/access"
)

// Object is the object of an operation, as the audit log names it.
type Object struct {
	// Kind is one word: job, run, calendar, user, …
	Kind string
	// Namespace and Group are where the object is; empty for none.
	Namespace, Group string
	// Key is the name that users know: its key, or its id in digits; empty for several.
	Key string
}

// Intent is one request for a change. The endpoint fills it in before the operation starts;
// from then on only the store and the endpoint use it.
type Intent struct {
	// By is the principal, and Address where the request came from, without the port.
	By      access.Principal
	Address string
	// Operation is the operation id of the OpenAPI document.
	Operation string
	// Right is the right that was used, on Object.
	Right  access.Right
	Object Object
	// Once is the caller's idempotency key: the same key takes effect once. Request is a
	// digest of the request, which distinguishes a repetition from another request. Empty
	// for none.
	Once    string
	Request [32]byte
	// Dry marks a dry run: everything is checked and rolled back.
	Dry bool
	// Match are versions, as the store names them; Object must have one of them when it is
	// changed. [Any] matches every existing object. Nil sets no condition.
	Match []string
	// Note is the user's comment on the change, one line; empty for none.
	Note string
	// At is when the request came.
	At time.Time

	claimed atomic.Bool
	kept    atomic.Bool
	written atomic.Int64
}

// Claim reports whether the caller, a transaction, is the first of the intent: only that
// one checks Match, and writes the audit entry and the key. A transaction that fails
// releases the claim.
func (i *Intent) Claim() bool { return i.claimed.CompareAndSwap(false, true) }

// Release releases the claim.
func (i *Intent) Release() { i.claimed.Store(false) }

// Kept reports whether the key of the intent is in the store.
func (i *Intent) Kept() bool { return i.kept.Load() }

// SetKept records that it is. Only the transaction that committed it calls SetKept.
func (i *Intent) SetKept() { i.kept.Store(true) }

// Written returns the number of the audit entry; 0 while there is none: no transaction of
// the intent has been committed.
func (i *Intent) Written() int64 { return i.written.Load() }

// SetWritten records the number of the audit entry. Only the transaction that committed it
// calls SetWritten.
func (i *Intent) SetWritten(number int64) { i.written.Store(number) }

type (
	intentKey struct{}
	callerKey struct{}
)

// With returns a context that carries an intent, and its principal.
func With(ctx context.Context, i *Intent) context.Context {
	return context.WithValue(WithCaller(ctx, i.By), intentKey{}, i)
}

// Of returns the intent of a context; nil without a request from outside: the loops of the
// server have none.
func Of(ctx context.Context) *Intent {
	i, _ := ctx.Value(intentKey{}).(*Intent)
	return i
}

// For returns a context for one object of an operation on many: it has its own audit entry,
// and the idempotency key stays with the whole operation. A context without an intent is
// returned unchanged.
func For(ctx context.Context, right access.Right, o Object) context.Context {
	all := Of(ctx)
	if all == nil {
		return ctx
	}
	return With(ctx, &Intent{
		By: all.By, Address: all.Address, Operation: all.Operation, Right: right, Object: o, Dry: all.Dry, Note: all.Note, At: all.At,
	})
}

// WithCaller returns a context with the calling principal.
func WithCaller(ctx context.Context, p access.Principal) context.Context {
	return context.WithValue(ctx, callerKey{}, p)
}

// Caller returns the calling principal; when the context has none, a principal without
// rights.
func Caller(ctx context.Context) access.Principal {
	p, _ := ctx.Value(callerKey{}).(access.Principal)
	return p
}
