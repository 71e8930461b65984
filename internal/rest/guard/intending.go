package guard

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/job"
)

// Ledger is the guard's access to the audit log and to the idempotency keys.
type Ledger interface {
	Concluder
	Onces
}

// Concluder ends an intent.
type Concluder interface {
	// Conclude writes the line of an operation that acted outside of the database, and
	// keeps the key of one that changed nothing.
	Conclude(ctx context.Context, acted bool) error
	// Version names how an object stands; empty when there is none.
	Version(ctx context.Context, o intent.Object) (string, error)
}

// Onces keeps what was answered to requests with a key.
type Onces interface {
	Once(ctx context.Context, caller, key string) (intent.Reuse, bool, error)
	SetReply(ctx context.Context, caller, key, reply string) error
}

// The headers and the parameter that control how a request is carried out.
const (
	headerOnce     = "Idempotency-Key"
	headerReplayed = "Idempotency-Replayed"
	headerDry      = "Orth-Dry-Run"
	queryDry       = "dry_run"
	queryNote      = "note"
)

// intend continues with an authorized request. The context of a request that may change
// something has the change and its author.
func (g *Guard) intend(ctx huma.Context, op *Op, f *Found, next func(huma.Context)) {
	if op.reads() {
		g.tag(ctx, op, f, next)
		return
	}
	i, err := g.intentOf(ctx, op, f)
	if err != nil {
		g.Refuse(ctx, op.ID, err)
		return
	}
	on := carried{plain: ctx, context: context.WithValue(intent.With(ctx.Context(), i), policyKey{}, op.Policy)}
	switch {
	case i.Dry:
		g.dry(on, next)
	case i.Once != "":
		g.once(on, i, op.Policy, next)
	default:
		next(on)
	}
}

// intentOf returns the intent of a request, or the reason why it cannot be carried out.
func (g *Guard) intentOf(ctx huma.Context, op *Op, f *Found) (*intent.Intent, error) {
	c := &op.Policy
	address, _, _ := net.SplitHostPort(ctx.RemoteAddr())
	i := &intent.Intent{
		By: intent.Caller(ctx.Context()), Address: address, Operation: op.ID, Right: op.Right, Object: f.named, At: time.Now(),
	}
	if c.Kind != "" {
		i.Object.Kind = c.Kind
	}
	if c.Made {
		i.Object.Key = ""
	}
	switch text := ctx.Query(queryDry); {
	case text == "" || text == "false":
	case text != "true":
		return nil, job.FieldErrorf(queryDry, "must be true or false")
	case !c.Dry:
		return nil, job.FieldErrorf(queryDry, "cannot be asked of operation %s: it does more than can be undone", op.ID)
	default:
		i.Dry = true
	}
	if i.Note = ctx.Query(queryNote); i.Note != "" && !c.Noted {
		return nil, job.FieldErrorf(queryNote, "cannot be given to operation %s: it makes no revision of a job", op.ID)
	}
	if err := job.CheckNote(queryNote, i.Note); err != nil {
		return nil, err
	}
	if err := g.expect(ctx, op, i); err != nil {
		return nil, err
	}
	if key := ctx.Header(headerOnce); key != "" && ctx.Method() == http.MethodPost && i.By.Kind != "" {
		if err := checkOnce(key); err != nil {
			return nil, err
		}
		i.Once = key
	}
	return i, nil
}

// NoteObject records the object that the body of a request names, before it is changed.
func NoteObject(ctx context.Context, kind, key string) {
	if i := intent.Of(ctx); i != nil {
		i.Object.Kind, i.Object.Key = kind, key
	}
}

type policyKey struct{}

// concluded ends what a request wants once it has succeeded.
func (g *Guard) concluded(ctx context.Context) error {
	p, changes := ctx.Value(policyKey{}).(Policy)
	if !changes {
		return nil
	}
	return g.config.Ledger.Conclude(ctx, p.Acts)
}

// dry carries a request out of which nothing is to stay.
func (g *Guard) dry(on carried, next func(huma.Context)) {
	on.SetHeader(headerDry, "true")
	out := &replied{carried: on}
	next(out)
	if out.status < http.StatusMultipleChoices {
		out.status = http.StatusOK
	}
	out.header.Del("Location") // there is nothing
	out.send()
}

// plain is the context of huma that another one stands around.
type plain huma.Context

// carried is the context of a request that is carried out in a way that the operation
// itself knows nothing of.
type carried struct {
	plain
	context context.Context
	body    io.Reader // nil for that of the request
}

// Context returns the context with the intent.
func (c carried) Context() context.Context { return c.context }

// Unwrap leads to the connection.
func (c carried) Unwrap() huma.Context { return c.plain }

// URL returns the URL without the parameters that the operation does not know.
func (c carried) URL() url.URL {
	u := c.plain.URL()
	if query := u.Query(); query.Has(queryDry) || query.Has(queryNote) {
		query.Del(queryDry)
		query.Del(queryNote)
		u.RawQuery = query.Encode()
	}
	return u
}

// BodyReader returns the body, also when it was read already.
func (c carried) BodyReader() io.Reader {
	if c.body != nil {
		return c.body
	}
	return c.plain.BodyReader()
}

// mismatched returns the error for an object that has another version than expected, nil
// for another error.
func mismatched(err error) *intent.MismatchError {
	m, _ := errors.AsType[*intent.MismatchError](err)
	return m
}
