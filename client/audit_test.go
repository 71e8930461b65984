package client_test

import (
	"context"
	"testing"
	"time"

	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/audit"
	"github.com/orthd/orth/internal/intent"
)

// ledgerMemory is an audit in memory, to which nothing is added.
type ledgerMemory struct {
	lines []audit.Line
	asked audit.Query
}

func (l *ledgerMemory) AuditLines(_ context.Context, q audit.Query) ([]audit.Line, error) {
	l.asked = q
	return l.lines[:min(q.Limit, len(l.lines))], nil
}

func (l *ledgerMemory) PruneAudit(_ context.Context, before time.Time) (audit.Removed, error) {
	l.asked = audit.Query{Until: before}
	return audit.Removed{Lines: 2, First: 1, Last: 2, Digest: "ab"}, nil
}

func (*ledgerMemory) Conclude(context.Context, bool) error                   { return nil }
func (*ledgerMemory) Version(context.Context, intent.Object) (string, error) { return "", nil }
func (*ledgerMemory) Once(context.Context, string, string) (intent.Reuse, bool, error) {
	return intent.Reuse{}, false, nil
}
func (*ledgerMemory) SetReply(context.Context, string, string, string) error { return nil }

// A line comes through the API as it is: its digest still fits.
func TestAudit(t *testing.T) {
	t.Parallel()
	m := &memory{}
	var last audit.Line
	for range 3 {
		l := audit.Line{
			At: instant, Actor: audit.Actor{Kind: "user", ID: 7, Credential: 3, Name: "ann"}, Address: "10.0.0.1", Operation: "update-job", Right: "edit",
			Kind: "job", Namespace: "default", Group: "g", Key: "a", Before: `{"title":"<b> & \u2028","n":12345678901234567890}`, After: `{"x":1.50}`,
		}
		l.Follow(&last)
		m.ledger.lines, last = append(m.ledger.lines, l), l
	}
	c := serve(t, m, nil)
	list, err := c.Audit(t.Context(), client.AuditQuery{
		Actor: "ann", Operation: "update-job", Kind: "job", Namespace: "default", Key: "a", From: instant, Until: instant.Add(time.Hour), After: 9, Oldest: true, Limit: 2,
	})
	if err != nil || len(list.Lines) != 2 || list.Next != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	want := audit.Query{
		Actor: "ann", Operation: "update-job", Kind: "job", Namespace: "default", Key: "a", From: instant, Until: instant.Add(time.Hour), After: 9, Oldest: true, Limit: 2,
	}
	if got := m.ledger.asked; !got.From.Equal(want.From) || !got.Until.Equal(want.Until) || got.Actor != want.Actor || got.After != 9 || !got.Oldest {
		t.Errorf("asked for %+v", got)
	}
	check := audit.NewChecker(nil)
	for i := range list.Lines {
		a := &list.Lines[i]
		l := audit.Line{
			Seq: int64(a.Seq), At: a.At.Time, Actor: audit.Actor{Kind: a.ActorKind, ID: int64(a.ActorID), Credential: int64(a.Credential), Name: a.Actor},
			Address: a.Address, Operation: a.Operation, Right: a.Right, Kind: a.Kind, Namespace: a.Namespace, Group: a.Group, Key: a.Key,
			Before: string(a.Before), After: string(a.After), Previous: a.Previous, Digest: a.Digest,
		}
		if err := check.Add(&l); err != nil {
			t.Error(err)
		}
	}
}

func TestPruneAudit(t *testing.T) {
	t.Parallel()
	m := &memory{}
	r, err := serve(t, m, nil).PruneAudit(t.Context(), instant)
	if err != nil || r.Lines != 2 || r.First != 1 || r.Last != 2 || r.Digest != "ab" || r.More {
		t.Errorf("%+v, %v", r, err)
	}
}
