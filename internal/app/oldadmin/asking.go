package oldadmin

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/intent"
)

// WithOrigin adds the origin of a request to its context.
func WithOrigin(r *http.Request) *http.Request {
	address, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		address = r.RemoteAddr
	}
	return r.WithContext(intent.WithAddress(r.Context(), address))
}

// groupAsks returns a context in which a group of executors acts on one of its jobs, so
// that the audit log records it.
func groupAsks(ctx context.Context, operation string, right access.Right, o intent.Object) context.Context {
	return asks(ctx, access.Principal{Kind: access.Executors, Name: o.Group}, operation, right, o)
}

func asks(ctx context.Context, by access.Principal, operation string, right access.Right, o intent.Object) context.Context {
	return intent.With(ctx, &intent.Intent{
		By: by, Address: intent.Address(ctx), Operation: operation, Right: right, Object: o, At: time.Now(),
	})
}
