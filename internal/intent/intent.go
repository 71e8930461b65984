// Package intent carries with a request who wants what: the principal, the
// operation, the object as it is stored, and how it is to be carried out.
//
// It knows contexts and the words of package access. It must never know HTTP,
// rows, or what an operation does. The door that a request came in by makes an
// [Intent]; rooms pass the context on without a look; the store writes the line of
// the audit, and the key that makes a repetition harmless, in the transaction of
// the change itself, and undoes it all when nothing was to be changed.
package intent

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/access"
)

// Object is what an operation works on, as the audit names it.
type Object struct {
	// Kind is one word: job, run, calendar, user, …
	Kind string
	// Namespace and Group are where the object is; empty for none.
	Namespace, Group string
	// Key is what users call it: its key, or its id in digits; empty for several.
	Key string
}

// Intent is one request that wants to change something. The door fills it in
// before anything happens; from then on only the store and the door touch it.
type Intent struct {
	// By is who wants it, and Address where from, without the port.
	By      access.Principal
	Address string
	// Operation is the id of the operation, as the OpenAPI document has it.
	Operation string
	// Right is the one that was used, on Object.
	Right  access.Right
	Object Object
	// Once is a key that the caller has made up: the same key takes effect once, and
	// Request, a digest of what was asked, tells a repetition from another request.
	// Empty for none.
	Once    string
	Request [32]byte
	// Dry says that nothing is to be changed: all is checked, and undone.
	Dry bool
	// Match are the versions one of which Object has to have when it is changed, as
	// the store names them; [Any] is each that exists. Nil asks for none.
	Match []string
	// Note is what its user says about it, one line; empty for nothing.
	Note string
	// At is when the request came.
	At time.Time

	claimed atomic.Bool
	kept    atomic.Bool
	written atomic.Int64
}

// Claim reports whether the caller, a transaction, is the first of the intent: only
// that one is asked to match, and writes the line and the key. One that fails gives
// the claim back.
func (i *Intent) Claim() bool { return i.claimed.CompareAndSwap(false, true) }

// Release gives the claim back.
func (i *Intent) Release() { i.claimed.Store(false) }

// Kept reports whether the key of the intent is in the store.
func (i *Intent) Kept() bool { return i.kept.Load() }

// SetKept notes that it is. Only who has committed it says so.
func (i *Intent) SetKept() { i.kept.Store(true) }

// Written returns the number of the line in the audit; 0 while there is none: no
// transaction of the intent has been committed.
func (i *Intent) Written() int64 { return i.written.Load() }

// SetWritten notes the number of the line. Only who has committed it says so.
func (i *Intent) SetWritten(number int64) { i.written.Store(number) }

type (
	intentKey struct{}
	callerKey struct{}
)

// With returns a context that carries an intent, and its principal.
func With(ctx context.Context, i *Intent) context.Context {
	return context.WithValue(WithCaller(ctx, i.By), intentKey{}, i)
}

// Of returns the intent of a context; nil when nobody outside wants anything: what a
// loop of the server does has none.
func Of(ctx context.Context) *Intent {
	i, _ := ctx.Value(intentKey{}).(*Intent)
	return i
}

// For returns a context for one object of an operation on many: it has a line of its
// own in the audit, and the key of the whole stays with the whole. A context without
// an intent is returned as it is.
func For(ctx context.Context, right access.Right, o Object) context.Context {
	all := Of(ctx)
	if all == nil {
		return ctx
	}
	return With(ctx, &Intent{
		By: all.By, Address: all.Address, Operation: all.Operation, Right: right, Object: o, Dry: all.Dry, Note: all.Note, At: all.At,
	})
}

// WithCaller returns a context that carries who calls.
func WithCaller(ctx context.Context, p access.Principal) context.Context {
	return context.WithValue(ctx, callerKey{}, p)
}

// Caller returns who calls; nobody, who may do nothing, when the context does not say.
func Caller(ctx context.Context) access.Principal {
	p, _ := ctx.Value(callerKey{}).(access.Principal)
	return p
}
