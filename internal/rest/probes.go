package rest

import (
	"encoding/json"
	"io"
	"net/http"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/internal/rest/guard"
)

// ReadyPath answers 200 while the server does its work, and 503 while it does not.
const ReadyPath = "/readyz"

// MetricsPath shows the figures of the server to those that may see all of it.
const MetricsPath = "/metrics"

// serveReady serves the readiness probe. The reasons are only for authenticated callers.
func (s *server) serveReady() http.Handler {
	known := s.Authorized(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reasons := s.config.Unready()
		if reasons == nil {
			reasons = []api.Unready{}
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(readyStatus(reasons))
		_ = json.NewEncoder(w).Encode(api.Readiness{Ready: len(reasons) == 0, Reasons: reasons}) // a watcher that has gone reads nothing
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.Header.Values("Authorization")) > 0 {
			known.ServeHTTP(w, r)
			return
		}
		reasons := s.config.Unready()
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(readyStatus(reasons))
		text := "ok\n"
		if len(reasons) > 0 {
			text = "not ready\n"
		}
		_, _ = io.WriteString(w, text)
	})
}

func readyStatus(reasons []api.Unready) int {
	if len(reasons) > 0 {
		return http.StatusServiceUnavailable
	}
	return http.StatusOK
}

// serveMetrics shows the figures.
func (s *server) serveMetrics() http.Handler {
	return s.Authorized(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller := intent.Caller(r.Context())
		if !caller.May(access.View, access.Server()) {
			guard.WriteProblem(w, api.NewProblem(access.Denied(&caller, access.View)))
			return
		}
		s.config.Metrics.ServeHTTP(w, r)
	}))
}
