package rest

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/intent"
)

// API is the handler of the API. Doors that take requests of other shapes ask it who
// makes them, and make requests of it in the caller's place.
type API struct {
	handler http.Handler
	server  *server
}

// ServeHTTP implements http.Handler.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.handler.ServeHTTP(w, r) }

// SpokenFor returns a request with the client address that a trusted proxy names.
func (a *API) SpokenFor(r *http.Request) *http.Request { return a.server.browser.spokenFor(r) }

// Admit returns a context with the caller of a request that arrived through another
// handler: the holder of the token, or of the session's secret when there is no token. With
// neither the caller is anonymous and may only sign in. A request of a browser must come
// from a page of this server; programs send no Origin. Kinds: Unauthorized, Forbidden,
// Full.
func (a *API) Admit(r *http.Request, token, session string) (context.Context, error) {
	s := a.server
	r = s.browser.spokenFor(r)
	ctx := s.browser.visiting(r)
	caller, err := s.admitted(ctx, r, token, session)
	if err != nil {
		_, late := s.metered(&access.Principal{}, r.RemoteAddr, Strange)
		if late == nil && token != "" {
			_, late = s.guessed(r, token, err)
		}
		if late != nil {
			err = late
		}
		return nil, err
	}
	return intent.WithCaller(ctx, caller), nil
}

func (s *server) admitted(ctx context.Context, r *http.Request, token, session string) (access.Principal, error) {
	if token != "" {
		return s.holder(ctx, token)
	}
	if err := s.browser.checkOrigin(r); err != nil {
		return access.Principal{}, err
	}
	switch {
	case session == "":
		return access.Principal{}, nil
	case s.config.Sessions == nil:
		return access.Principal{}, unauthorized("this server has no users")
	}
	return s.config.Sessions.Caller(ctx, session)
}

// RoundTrip makes a request of the API as who calls in its context, which is one of
// Admit's. Its path is one of the API, its host does not count. It implements
// http.RoundTripper.
func (a *API) RoundTrip(r *http.Request) (*http.Response, error) {
	return itself{a.server.guarded(a.server.inner), false}.RoundTrip(r)
}

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
	visit := visitOf(outer)
	inner := context.WithValue(bare{outer}, visitKey{}, visit)
	if t.paid {
		inner = context.WithValue(inner, itselfKey{}, true)
	}
	r = r.WithContext(intent.WithCaller(inner, intent.Caller(outer)))
	r.RemoteAddr = net.JoinHostPort(visit.address, "0")
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
