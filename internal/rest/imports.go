package rest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/job"
)

// importsPath is where imports are asked for, and importFor the longest that one may
// take.
const (
	importsPath = "/imports"
	importFor   = 10 * time.Minute
)

// Imports takes over what other schedulers have.
type Imports interface {
	// Import takes over what wanted names, through the API of the server itself as who
	// asks. Kinds: Invalid, Full, Unavailable.
	Import(ctx context.Context, wanted api.NewImport, through http.RoundTripper) (api.Import, error)
}

type importAsked struct{ Body api.NewImport }

type importReply struct{ Body api.Import }

func (s *server) registerImports() {
	register(s, huma.Operation{
		OperationID: "import", Method: http.MethodPost, Path: importsPath, Tags: []string{"imports"},
		Summary: "Take over what another scheduler has, or tell what that would come to",
		Description: "Groups and jobs are compared with what is here and made or changed, so that the same request changes nothing the second " +
			"time; users and executors that are here stay as they are. Each thing succeeds or fails by itself, and has its line in the audit. " +
			"One import is under way at a time, for at most 10 minutes: what is done then stays done, and the same request goes on from there.",
	}, s.importForeign)
}

func (s *server) importForeign(ctx context.Context, in *importAsked) (*importReply, error) {
	if s.config.Imports == nil {
		return nil, job.Errorf(job.NotFound, "this server takes nothing over: use 'orth import'")
	}
	report, err := s.config.Imports.Import(ctx, in.Body, itself{s.inner})
	if err != nil {
		return nil, err
	}
	return &importReply{report}, nil
}

// itself is a way to the server's own API without a network and a credential: requests
// are those of who calls in their context, with all rules but the rates.
type itself struct{ handler http.Handler }

// RoundTrip implements http.RoundTripper.
func (t itself) RoundTrip(r *http.Request) (*http.Response, error) {
	outer := r.Context()
	inner := intent.WithCaller(context.WithValue(bare{outer}, itselfKey{}, true), intent.Caller(outer))
	r = r.WithContext(inner)
	if i := intent.Of(outer); i != nil {
		r.RemoteAddr = i.Address + ":0"
	}
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
