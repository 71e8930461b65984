package overview

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/audit"
	"github.com/orthd/orth/internal/rest/guard"
)

const tagAudit = "audit"

// LedgerReader reads the audit log, and removes old lines.
type LedgerReader interface {
	AuditLines(ctx context.Context, q audit.Query) ([]audit.Line, error)
	PruneAudit(ctx context.Context, before time.Time) (audit.Removed, error)
}

type auditQuery struct {
	Actor     string    `query:"actor" maxLength:"200" doc:"Only changes by this user."`
	Operation string    `query:"operation" maxLength:"100" doc:"Only this operation."`
	Kind      string    `query:"kind" maxLength:"100" doc:"Only changes of objects of this kind, such as job."`
	Namespace string    `query:"namespace" maxLength:"100" doc:"Only changes of objects of this namespace."`
	Key       string    `query:"key" maxLength:"300" doc:"Only changes of objects with this key, or number."`
	From      time.Time `query:"from" doc:"Only lines of then or later."`
	Until     time.Time `query:"until" doc:"Only lines of before."`
	After     string    `query:"after" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a line's number" doc:"Next of the page before."`
	Order     string    `query:"order" enum:"newest,oldest" default:"newest" doc:"Which lines come first."`
	Limit     int       `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"At most so many."`
}

type auditPrune struct {
	Before time.Time `query:"before" required:"true" doc:"Remove the lines from before."`
}

type auditList struct{ Body api.AuditList }

type auditPruned struct{ Body api.AuditPruned }

func (s *overviewRoom) registerAudit() {
	guard.Register(s.Guard, guard.Op{
		ID: "list-audit", Method: http.MethodGet, Path: "/audit", Tags: []string{tagAudit},
		Right: access.Admin, Scope: guard.OnServer, Class: guard.Searching,
		Summary: "List the audit log: changes and their authors",
	}, s.listAudit)
	guard.Register(s.Guard, guard.Op{
		ID: audit.PruneOperation, Method: http.MethodDelete, Path: "/audit", Tags: []string{tagAudit},
		Right: access.Admin, Scope: guard.OnServer, Class: guard.Writing, Status: http.StatusOK,
		Policy:  guard.Policy{Made: true},
		Summary: "Remove the oldest lines, at most 10,000 at once; a line with the digest of the last one stays",
	}, s.pruneAudit)
}

func (s *overviewRoom) listAudit(ctx context.Context, in *auditQuery) (*auditList, error) {
	q := audit.Query{
		Actor: in.Actor, Operation: in.Operation, Kind: in.Kind, Namespace: in.Namespace, Key: in.Key, From: in.From, Until: in.Until,
		Oldest: in.Order == "oldest", Limit: in.Limit,
	}
	q.After, _ = strconv.ParseInt(in.After, 10, 64) // the schema requires a number
	lines, err := s.config.Ledger.AuditLines(ctx, q)
	if err != nil {
		return nil, err
	}
	list := api.AuditList{Lines: make([]api.AuditLine, len(lines))}
	size := 0
	for i := range lines {
		if size += len(lines[i].Before) + len(lines[i].After) + 500; size > maxAuditPage && i > 0 {
			list.Lines = list.Lines[:i]
			break
		}
		list.Lines[i] = AuditLine(&lines[i])
	}
	if n := len(list.Lines); n > 0 && (n < len(lines) || n == in.Limit) {
		list.Next = list.Lines[n-1].Seq
	}
	return &auditList{list}, nil
}

// maxAuditPage bounds the bytes of a page: one of large lines ends earlier.
const maxAuditPage = 4 << 20

// AuditLine returns a line as the API shows it, and as files of them have it.
func AuditLine(l *audit.Line) api.AuditLine {
	return api.AuditLine{
		Seq: api.ID(l.Seq), At: api.At(l.At), ActorKind: l.Actor.Kind, ActorID: api.ID(l.Actor.ID), Actor: l.Actor.Name, Credential: api.ID(l.Actor.Credential),
		Address: l.Address, Operation: l.Operation, Right: l.Right, Kind: l.Kind, Namespace: l.Namespace, Group: l.Group, Key: l.Key,
		Before: json.RawMessage(l.Before), After: json.RawMessage(l.After), Previous: l.Previous, Digest: l.Digest,
	}
}

func (s *overviewRoom) pruneAudit(ctx context.Context, in *auditPrune) (*auditPruned, error) {
	r, err := s.config.Ledger.PruneAudit(ctx, in.Before)
	if err != nil {
		return nil, err
	}
	left, err := s.config.Ledger.AuditLines(ctx, audit.Query{Until: in.Before, Oldest: true, Limit: 1})
	if err != nil {
		return nil, err
	}
	return &auditPruned{api.AuditPruned{
		Lines: r.Lines, First: api.ID(r.First), Last: api.ID(r.Last), Digest: r.Digest, More: r.Lines > 0 && len(left) > 0,
	}}, nil
}
