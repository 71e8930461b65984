package rest_test

import (
	"context"
	"sync"
	"time"

	"github.com/orthd/orth/internal/audit"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/job"
)

// fakeLedger keeps what it is told. The rooms behind the API are fakes that write
// nothing: so the key of a request is kept at its end.
type fakeLedger struct {
	mu       sync.Mutex
	acted    []string // operations that acted outside of the database
	intents  []*intent.Intent
	versions map[string]string // of objects, by kind and key
	reuses   map[string]intent.Reuse
	lines    []audit.Line
	query    audit.Query
	pruned   audit.Removed
	err      error
}

func (l *fakeLedger) AuditLines(_ context.Context, q audit.Query) ([]audit.Line, error) {
	l.query = q
	return l.lines[:min(len(l.lines), q.Limit)], l.err
}

func (l *fakeLedger) PruneAudit(_ context.Context, before time.Time) (audit.Removed, error) {
	l.query.Until = before
	return l.pruned, l.err
}

func (l *fakeLedger) Conclude(ctx context.Context, acted bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := intent.Of(ctx)
	l.intents = append(l.intents, i)
	if acted && !i.Dry {
		l.acted = append(l.acted, i.Operation)
	}
	if i.Once == "" || i.Dry || l.err != nil {
		return l.err
	}
	if l.reuses == nil {
		l.reuses = map[string]intent.Reuse{}
	}
	l.reuses[intent.CallerOf(&i.By)+" "+i.Once] = intent.Reuse{Request: i.Request, Operation: i.Operation, Line: 42, At: i.At}
	i.SetKept()
	return nil
}

func (l *fakeLedger) Version(_ context.Context, o intent.Object) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.versions[o.Kind+" "+o.Key], nil
}

func (l *fakeLedger) Once(_ context.Context, caller, key string) (intent.Reuse, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r, used := l.reuses[caller+" "+key]
	return r, used, nil
}

func (l *fakeLedger) SetReply(_ context.Context, caller, key, reply string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	r, used := l.reuses[caller+" "+key]
	if !used {
		return job.Errorf(job.Internal, "there is no such key")
	}
	r.Reply = reply
	l.reuses[caller+" "+key] = r
	return nil
}

// last returns the intent that was concluded last.
func (l *fakeLedger) last() *intent.Intent {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.intents) == 0 {
		return nil
	}
	return l.intents[len(l.intents)-1]
}
