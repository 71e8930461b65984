//go:build unix

package e2e

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/orthd/orth/internal/wire/xxl"
	"github.com/orthd/orth/job"
)

const secretToken = "a-secret-of-the-torture-tests"

// admin is a server that only writes down what executors tell it.
type admin struct {
	url string
	// forgetful loses the answer to every n-th callback after it was taken
	// in; 0 loses none.
	forgetful atomic.Int64
	away      atomic.Bool // every call is answered with 503

	mu  sync.Mutex
	got map[int64][]job.Outcome // guarded by mu; in the order of arrival
}

func newAdmin(t *testing.T) *admin {
	t.Helper()
	a := &admin{got: make(map[int64][]job.Outcome)}
	door := xxl.NewAdminHandler(xxl.AdminConfig{Token: secretToken, Leases: a, Outcomes: a})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a.away.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		answer := httptest.NewRecorder()
		door.ServeHTTP(answer, r)
		if n := a.forgetful.Load(); n > 0 && rand.Int64N(n) == 0 {
			panic(http.ErrAbortHandler)
		}
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	}))
	t.Cleanup(server.Close)
	a.url = server.URL
	return a
}

func (a *admin) Register(context.Context, job.Beat) error         { return nil }
func (a *admin) Deregister(context.Context, string, string) error { return nil }

func (a *admin) CompleteAs(_ context.Context, _ job.Caller, outcomes []job.Outcome) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, o := range outcomes {
		a.got[o.AttemptID] = append(a.got[o.AttemptID], o)
	}
	return nil
}

// of returns the outcomes of an attempt in words, each once.
func (a *admin) of(attempt int64) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var distinct []string
	seen := make(map[string]bool)
	for _, o := range a.got[attempt] {
		text := fmt.Sprintf("%s: %s", o.State, o.Message)
		if !seen[text] {
			distinct = append(distinct, text)
		}
		seen[text] = true
	}
	return distinct
}

// attempts returns the attempts that have an outcome.
func (a *admin) attempts() []int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	ids := make([]int64, 0, len(a.got))
	for id := range a.got {
		ids = append(ids, id)
	}
	return ids
}
