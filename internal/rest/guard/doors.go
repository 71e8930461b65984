package guard

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/internal/rest/browser"
)

// SpokenFor returns a request with the client address that a trusted proxy names.
func (g *Guard) SpokenFor(r *http.Request) *http.Request { return g.browser.SpokenFor(r) }

// Admit returns a context with the caller of a request that arrived through another
// handler: the holder of the token, or of the session's secret when there is no token. With
// neither the caller is anonymous and may only sign in. A request of a browser must come
// from a page of this server; programs send no Origin. Kinds: Unauthorized, Forbidden,
// Full.
func (g *Guard) Admit(r *http.Request, token, session string) (context.Context, error) {
	r = g.browser.SpokenFor(r)
	ctx := g.browser.Visiting(r)
	caller, err := g.admitted(ctx, r, token, session)
	if err != nil {
		_, late := g.metered(&access.Principal{}, r.RemoteAddr, Strange)
		if late == nil && token != "" {
			_, late = g.guessed(r, token, err)
		}
		if late != nil {
			err = late
		}
		return nil, err
	}
	return intent.WithCaller(ctx, caller), nil
}

func (g *Guard) admitted(ctx context.Context, r *http.Request, token, session string) (access.Principal, error) {
	if token != "" {
		return g.holder(ctx, token)
	}
	if err := g.browser.CheckOrigin(r); err != nil {
		return access.Principal{}, err
	}
	switch {
	case session == "":
		return access.Principal{}, nil
	case g.config.Sessions == nil:
		return access.Principal{}, unauthorized("this server has no users")
	}
	return g.config.Sessions.Caller(ctx, session)
}

// RoundTrip makes a request of the API as who calls in its context, which is one of
// Admit's. Its path is one of the API, its host does not count. It implements
// http.RoundTripper.
func (g *Guard) RoundTrip(r *http.Request) (*http.Response, error) {
	return itself{g.guarded(g.inner), false}.RoundTrip(r)
}

// Within returns a way to the API for an operation that consists of others: they count for
// no rate.
func (g *Guard) Within() http.RoundTripper { return itself{g.inner, true} }

// itself is a way to the server's own API without a network and a credential: requests
// are those of who calls in their context, with all rules. Those that are paid count for
// no rate, because the request that they are made for does.
type itself struct {
	handler http.Handler
	paid    bool
}

// RoundTrip implements http.RoundTripper.
func (t itself) RoundTrip(r *http.Request) (*http.Response, error) {
	outer := r.Context()
	visit := browser.VisitOf(outer)
	inner := browser.WithVisit(bare{outer}, visit)
	if t.paid {
		inner = context.WithValue(inner, itselfKey{}, true)
	}
	r = r.WithContext(intent.WithCaller(inner, intent.Caller(outer)))
	r.RemoteAddr = net.JoinHostPort(visit.Address, "0")
	r.RequestURI = r.URL.RequestURI()
	if r.Body == nil {
		r.Body = http.NoBody
	}
	answer := &kept{header: http.Header{}}
	t.handler.ServeHTTP(answer, r)
	if answer.status == 0 {
		answer.status = http.StatusOK
	}
	return &http.Response{
		StatusCode: answer.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: answer.header,
		Body: io.NopCloser(&answer.body), ContentLength: int64(answer.body.Len()), Request: r,
	}, nil
}

type itselfKey struct{}

// asksItself reports whether the server itself makes a request.
func asksItself(ctx context.Context) bool { return ctx.Value(itselfKey{}) != nil }

// bare is a context that ends as another one does, and carries nothing of it: what the
// outer request wants is not what those want that are made for it.
type bare struct{ context.Context }

// Value returns nothing.
func (bare) Value(any) any { return nil }

// kept takes an answer.
type kept struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header returns the headers of the answer.
func (k *kept) Header() http.Header { return k.header }

// WriteHeader keeps the status of the answer.
func (k *kept) WriteHeader(status int) {
	if k.status == 0 {
		k.status = status
	}
}

// Write keeps the text of the answer.
func (k *kept) Write(b []byte) (int, error) {
	if k.status == 0 {
		k.status = http.StatusOK
	}
	return k.body.Write(b)
}
