package cli_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/audit"
)

// auditChain returns lines of an audit as the API shows them.
func auditChain(t *testing.T) []string {
	t.Helper()
	var shown []string
	var last audit.Line
	for i, l := range []audit.Line{
		{Operation: "create-job", Kind: "job", Namespace: "default", Group: "reports", Key: "report", After: `{"version":1,"title":"","enabled":false}`},
		{
			Operation: "update-job", Kind: "job", Namespace: "default", Group: "reports", Key: "report",
			Before: `{"version":1,"title":"","enabled":false}`, After: `{"version":2,"title":"Nightly","enabled":true}`,
		},
		{Operation: "drain-executor", Kind: "group", Namespace: "default", Group: "reports", Key: "reports"},
		{Operation: "delete-job", Kind: "job", Namespace: "default", Group: "reports", Key: "report", Before: `{"version":2}`},
	} {
		l.At = time.Date(2030, 1, 31, 1, 30, i, 0, time.UTC)
		l.Actor, l.Address, l.Right = audit.Actor{Kind: "user", ID: 7, Credential: 3, Name: "ann"}, "10.0.0.1", "edit"
		l.Follow(&last)
		last = l
		text, err := json.Marshal(api.AuditLine{
			Seq: api.ID(l.Seq), At: api.At(l.At), ActorKind: l.Actor.Kind, ActorID: api.ID(l.Actor.ID), Actor: l.Actor.Name, Credential: api.ID(l.Actor.Credential),
			Address: l.Address, Operation: l.Operation, Right: l.Right, Kind: l.Kind, Namespace: l.Namespace, Group: l.Group, Key: l.Key,
			Before: json.RawMessage(l.Before), After: json.RawMessage(l.After), Previous: l.Previous, Digest: l.Digest,
		})
		if err != nil {
			t.Fatal(err)
		}
		shown = append(shown, string(text))
	}
	return shown
}

// TestAuditCommands compares what commands show and send of the audit with golden
// files.
func TestAuditCommands(t *testing.T) {
	t.Parallel()
	type answers = map[string][]string
	chain := auditChain(t)
	page := func(next string, lines ...string) string {
		return `200 {"lines":[` + strings.Join(lines, ",") + `]` + next + `}`
	}
	get := func(pages ...string) answers { return answers{"GET /audit": pages} }
	all := get(page("", chain...))
	pruned := func(more string) string {
		return `200 {"lines":10000,"first":"1","last":"10000","digest":"ab","more":` + more + `}`
	}
	for _, c := range []struct {
		name    string
		args    string // as in TestCommands
		answers answers
	}{
		{"audit-list", "audit list", all},
		{"audit-list-wide", "audit list -o wide --limit 2", all},
		{"audit-list-json", "audit list -o json --limit 1", all},
		{"audit-list-none", "audit list --actor bob --operation a --kind job --key k --since 2030-01-31T08:00 --until 2030-02-01T00:00:00Z --namespace team", get(page(""))},
		{"audit-list-everywhere", "audit list -A", all},
		{"audit-list-everywhere-wide", "audit list -n * -o wide --limit 2", all},
		{"audit-list-both", "audit list -A -n team", nil},
		{"audit-export-everywhere", "audit export -A", get(page("", chain[:1]...))},
		{"audit-list-wrong-limit", "audit list --limit 0", nil},
		{"audit-list-denied", "audit list", answers{"GET /audit": {`403 {"code":"forbidden","detail":"ann lacks the right of admin here"}`}}},
		{"audit-export", "audit export", get(page(`,"next":"2"`, chain[:2]...), page("", chain[2:]...))},
		{"audit-verify", "audit verify", get(page(`,"next":"2"`, chain[:2]...), page("", chain[2:]...))},
		{"audit-verify-json", "audit verify -o json", all},
		{"audit-verify-none", "audit verify", get(page(""))},
		{"audit-verify-changed", "audit verify", get(page("", chain[0], strings.Replace(chain[1], "Nightly", "Daily", 1), chain[2], chain[3]))},
		{"audit-verify-removed", "audit verify", get(page("", chain[0], chain[2], chain[3]))},
		{"audit-verify-put-in", "audit verify", get(page("", chain[0], chain[1], chain[1], chain[2]))},
		{"audit-verify-moved", "audit verify", get(page("", chain[1], chain[0]))},
		{"audit-verify-cut", "audit verify --anchor 9:" + strings.Repeat("a", 64), all},
		{"audit-verify-other", "audit verify --anchor 2:" + strings.Repeat("a", 64), all},
		{"audit-verify-wrong-anchor", "audit verify --anchor 9", nil},
		{"audit-verify-no-export", "audit verify --file -", nil},
		{"audit-prune", "audit prune --before 2030-01-01T00:00 --yes", answers{"DELETE /audit": {pruned("true"), `200 {"lines":5,"first":"10001","last":"10005","digest":"cd","more":false}`}}},
		{"audit-prune-json", "audit prune --before 2030-01-01T00:00 --yes -o json", answers{"DELETE /audit": {pruned("false")}}},
		{"audit-prune-none", "audit prune --before 2030-01-01T00:00 --yes", answers{"DELETE /audit": {`200 {"lines":0,"more":false}`}}},
		{"audit-prune-unasked", "audit prune --before 2030-01-01T00:00", nil},
		{"audit-prune-all", "audit prune --yes", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			golden(t, c.name, c.args, c.answers)
		})
	}
}
