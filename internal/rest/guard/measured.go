package guard

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// Hooks report requests to metrics. They are called concurrently and must return at once.
type Hooks struct {
	// Served is called at the end of each request, with the id of its operation, or
	// [NoOperation].
	Served func(operation string, status int, took time.Duration)
	// Streaming is called with 1 when a request begins that lasts, and with -1 at its
	// end.
	Streaming func(change int)
}

// NoOperation stands for requests that were not one of an operation, or were
// refused before that was known.
const NoOperation = "none"

func (h *Hooks) fill() {
	if h.Served == nil {
		h.Served = func(string, int, time.Duration) {}
	}
	if h.Streaming == nil {
		h.Streaming = func(int) {}
	}
}

// served is what is noted of a request while it is served. The goroutine of the
// request alone uses it.
type served struct {
	http.ResponseWriter
	operation string
	status    int
}

type servedKey struct{}

// WriteHeader notes the status.
func (s *served) WriteHeader(status int) {
	if s.status == 0 && status >= http.StatusOK {
		s.status = status
	}
	s.ResponseWriter.WriteHeader(status)
}

// Write records the implicit status.
func (s *served) Write(b []byte) (int, error) {
	if s.status == 0 {
		s.status = http.StatusOK
	}
	return s.ResponseWriter.Write(b)
}

// Unwrap leads http.ResponseController to the connection.
func (s *served) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// measured reports the end of each request.
func (g *Guard) measured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(plain http.ResponseWriter, r *http.Request) {
		began := time.Now()
		w := &served{ResponseWriter: plain, operation: NoOperation}
		defer func() {
			if w.status == 0 {
				w.status = http.StatusOK
			}
			g.config.Hooks.Served(w.operation, w.status, time.Since(began))
		}()
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), servedKey{}, w)))
	})
}

// naming notes which operation a request is of.
func (g *Guard) naming(o *Op) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		if w, _ := ctx.Context().Value(servedKey{}).(*served); w != nil {
			w.operation = o.ID
		}
		if o.Class == Streaming {
			g.config.Hooks.Streaming(1)
			defer g.config.Hooks.Streaming(-1)
		}
		next(ctx)
	}
}
