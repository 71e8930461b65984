package jobs_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/rest/resttest"
)

// For who may not see an object, the answer is that for one that does not exist, byte
// for byte.
func TestHiddenIsAbsent(t *testing.T) {
	t.Parallel()
	namespaces, groups := []string{"default", "team"}, []string{"g", "h"}
	var on []access.Object
	for _, namespace := range namespaces {
		for _, group := range append(groups, "") {
			on = append(on, access.Object{Namespace: namespace, Group: group})
		}
	}
	places, known := resttest.FakePlaces{}, resttest.Tokens{}
	a := resttest.NewAsker(t, func(c *rest.Config) { c.Places, c.Callers = places, known })
	var named []resttest.Permitted
	for _, op := range resttest.Operations(t, a.Handler) {
		if kindOf(op) != "" {
			named = append(named, op)
		}
	}
	if len(named) < 20 {
		t.Fatalf("only %d operations name objects that are somewhere", len(named))
	}
	rapid.Check(t, func(r *rapid.T) {
		grant := rapid.Custom(func(r *rapid.T) access.Grant {
			return access.Grant{
				Role:      rapid.SampledFrom(access.Roles()).Draw(r, "role"),
				Namespace: rapid.SampledFrom(append(namespaces, "other")).Draw(r, "namespace"),
				Group:     rapid.SampledFrom(append(groups, access.All)).Draw(r, "group"),
			}
		})
		p := access.Principal{Kind: access.Person, ID: 9, Name: "ada", Grants: rapid.SliceOfN(grant, 0, 3).Draw(r, "grants")}
		if rapid.Bool().Draw(r, "limited") {
			p.Kind, p.Limits = access.Token, append([]access.Grant{}, rapid.SliceOfN(grant, 0, 2).Draw(r, "limits")...)
		}
		known["ada"] = p
		op := rapid.SampledFrom(named).Draw(r, "operation")
		o := rapid.SampledFrom(on).Draw(r, "place")
		key := kindOf(op)
		if strings.HasPrefix(key, "job ") {
			o.Namespace = "default" // which the path names
			stored := resttest.StoredJob()
			stored.Group = o.Group
			a.Fake.Old = &stored
		}
		places[key] = []access.Object{o}
		status, there, called := a.Ask(t, op, "ada")
		places[key] = nil
		absent, not, asked := a.Ask(t, op, "ada")
		if absent != http.StatusNotFound && absent != http.StatusForbidden || resttest.Changing(asked) {
			r.Fatalf("%s of what is not there: %d %s, asked %q", op.ID, absent, not, asked)
		}
		if p.May(access.View, o) {
			if status == http.StatusNotFound {
				r.Fatalf("%s: %+v may see %+v and is told %s", op.ID, p, o, there)
			}
			return
		}
		if status != absent || there != not || resttest.Changing(called) {
			r.Fatalf("%s: %+v may not see %+v:\n%d %swhat is not there:\n%d %sasked %q", op.ID, p, o, status, there, absent, not, called)
		}
	})
}

// makers are the operations that make what does not exist.
var makers = []string{"save-pause", "add-address", "save-rewrites", "add-group-token"}

// kindOf returns what the places call the object that an operation names by an id or
// a key of its own; empty when its path alone says where it is.
func kindOf(op resttest.Permitted) string {
	for start, key := range map[string]string{
		"/jobs/{key}": "job default/thing", "/runs/{id}": "run 5", "/attempts/{id}": "attempt 5", "/dead-letters/{run}": "run 5", "/backfills/{id}": "backfill 5",
		"/workflow-runs/{id}": "workflow run 5", "/alarms/{id}": "alarm 5", "/alarm/notifications/{id}": "notification 5",
		"/alarm/silences/{id}": "silence 5", "/pauses/{key}": "pause thing",
		"/groups/{group}": "group g",
	} {
		if path := strings.TrimPrefix(op.Template, guard.Prefix); (path == start || strings.HasPrefix(path, start+"/")) && !slices.Contains(makers, op.ID) {
			return key
		}
	}
	return ""
}
