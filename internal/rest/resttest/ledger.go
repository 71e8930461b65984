package resttest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/internal/audit"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/job"
)

// FakeLedger keeps what it is told. The rooms behind the API are fakes that write
// nothing: so the key of a request is kept at its end.
type FakeLedger struct {
	mu       sync.Mutex
	Acted    []string // operations that acted outside of the database
	Intents  []*intent.Intent
	Versions map[string]string // of objects, by kind and key
	Reuses   map[string]intent.Reuse
	Lines    []audit.Line
	Query    audit.Query
	Pruned   audit.Removed
	Err      error
}

// AuditLines implements LedgerReader.
func (l *FakeLedger) AuditLines(_ context.Context, q audit.Query) ([]audit.Line, error) {
	l.Query = q
	return l.Lines[:min(len(l.Lines), q.Limit)], l.Err
}

// PruneAudit implements LedgerReader.
func (l *FakeLedger) PruneAudit(_ context.Context, before time.Time) (audit.Removed, error) {
	l.Query.Until = before
	return l.Pruned, l.Err
}

// Conclude implements Concluder.
func (l *FakeLedger) Conclude(ctx context.Context, acted bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := intent.Of(ctx)
	l.Intents = append(l.Intents, i)
	if acted && !i.Dry {
		l.Acted = append(l.Acted, i.Operation)
	}
	if i.Once == "" || i.Dry || l.Err != nil {
		return l.Err
	}
	if l.Reuses == nil {
		l.Reuses = map[string]intent.Reuse{}
	}
	l.Reuses[intent.CallerOf(&i.By)+" "+i.Once] = intent.Reuse{Request: i.Request, Operation: i.Operation, Line: 42, At: i.At}
	i.SetKept()
	return nil
}

// Version implements Concluder.
func (l *FakeLedger) Version(_ context.Context, o intent.Object) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Versions[o.Kind+" "+o.Key], nil
}

// Once implements Onces.
func (l *FakeLedger) Once(_ context.Context, caller, key string) (intent.Reuse, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r, used := l.Reuses[caller+" "+key]
	return r, used, nil
}

// SetReply implements Onces.
func (l *FakeLedger) SetReply(_ context.Context, caller, key, reply string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	r, used := l.Reuses[caller+" "+key]
	if !used {
		return job.Errorf(job.Internal, "there is no such key")
	}
	r.Reply = reply
	l.Reuses[caller+" "+key] = r
	return nil
}

// Last returns the intent that was concluded last.
func (l *FakeLedger) Last() *intent.Intent {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.Intents) == 0 {
		return nil
	}
	return l.Intents[len(l.Intents)-1]
}

// Ledgered starts the API over fakes, one of them a ledger.
func Ledgered(t *testing.T, f *Fake, l *FakeLedger) *httptest.Server {
	t.Helper()
	return Serve(t, f, func(c *rest.Config) { c.Ledger = l })
}

// SendWith makes a request with headers, given as names that values follow.
func SendWith(t *testing.T, server *httptest.Server, method, path, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, server.URL+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+Token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return Do(t, server, r)
}
