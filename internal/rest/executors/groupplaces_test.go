package executors_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/rest/resttest"
	"github.com/orthd/orth/job"
)

// seated has executors in groups of two namespaces.
type seated struct{ *resttest.Fake }

func (seated) Executors(context.Context) ([]job.Executor, error) {
	return []job.Executor{
		{Namespace: "ours", Group: "mine", Address: "http://10.0.0.1:9999"}, {Namespace: "theirs", Group: "hers", Address: "http://10.0.0.2:9999"},
	}, nil
}

// What a group of executors is, and what becomes of it, takes rights where it is; for
// who has none there, it does not exist.
func TestGroupsOfNamespaces(t *testing.T) {
	t.Parallel()
	known := resttest.Tokens{}
	a := resttest.NewAsker(t, func(c *rest.Config) {
		c.Callers = known
		c.Places = resttest.FakePlaces{"group mine": {{Namespace: "ours", Group: "mine"}}, "group hers": {{Namespace: "theirs", Group: "hers"}}, "group free": nil}
	})
	const address = "?address=http%3A%2F%2F10.0.0.5%3A9999"
	operations := []struct {
		request, body string
		status        int
		needs         access.Role
	}{
		{"GET /groups/", "", 200, access.Viewer},
		{"GET /groups/$/rewrites", "", 200, access.Viewer},
		{"PUT /groups/$/addresses/drain" + address, `{"on":true}`, 200, access.Operator},
		{"GET /groups/$/tokens", "", 200, access.Owner},
		{"POST /groups/$/tokens", `{"label":"x"}`, 201, access.Owner},
		{"DELETE /groups/$/tokens/1", "", 204, access.Owner},
		{"PUT /groups/$/rewrites", `{"rules":[]}`, 200, access.Owner},
		{"POST /groups/$/addresses", `{"address":"http://10.0.0.5:9999"}`, 201, access.Owner},
		{"DELETE /groups/$/addresses" + address, "", 204, access.Owner},
		{"PUT /groups/$/addresses/dialect" + address, `{"dialect":"auto"}`, 200, access.Owner},
		{"PATCH /groups/", `{"title":"x"}`, 200, access.Owner},
		{"DELETE /groups/", "", 204, access.Owner},
	}
	ask := func(grants, request, group, body string) (status int, text, called string) {
		p := access.Principal{Kind: access.Person, ID: 9, Name: "ada"}
		for grant := range strings.FieldsSeq(grants) {
			g, err := access.ParseGrant(grant)
			if err != nil {
				t.Fatal(err)
			}
			p.Grants = append(p.Grants, g)
		}
		known["ada"] = p
		method, path, _ := strings.Cut(request, " ")
		if strings.HasSuffix(path, "/") {
			path += "$"
		}
		return a.Ask(t, resttest.Permitted{Method: method, Path: guard.Prefix + strings.ReplaceAll(path, "$", group), Body: body}, "ada")
	}
	for _, op := range operations {
		owns := "owner@ours owner@default/hers"
		if status, text, _ := ask(string(op.needs)+"@ours/mine", op.request, "mine", op.body); status != op.status {
			t.Errorf("%s of one's own: %d %s", op.request, status, text)
		}
		if status, text, called := ask("viewer@ours/mine", op.request, "mine", op.body); (status == op.status) != (op.needs == access.Viewer) ||
			op.needs != access.Viewer && (status != http.StatusForbidden || resttest.Changing(called)) {
			t.Errorf("%s for who may see it: %d %s, asked %q", op.request, status, text, called)
		}
		status, there, called := ask(owns, op.request, "hers", op.body)
		if status != http.StatusNotFound || resttest.Changing(called) {
			t.Errorf("%s of others: %d %s, asked %q", op.request, status, there, called)
		}
		if strings.Contains(there, "theirs") {
			t.Errorf("%s of others tells where it is: %s", op.request, there)
		}
		absent, not, _ := ask("owner@ours", op.request, "free", op.body)
		if want := strings.ReplaceAll(there, "hers", "free"); absent != status || not != want {
			t.Errorf("%s of none: %d %swant what is said of those of others: %s", op.request, absent, not, want)
		}
	}

	for _, c := range []struct {
		grants, request, group, body string
		status                       int
	}{
		{"owner@ours", "GET /groups/$?namespace=ours", "mine", "", 200},
		{"owner@ours owner@default", "GET /groups/$?namespace=default", "mine", "", 404},
		{"owner@ours owner@default", "PATCH /groups/$?namespace=default", "mine", `{"title":"x"}`, 404},
		// A group is made where somebody owns, and by its name in the default namespace.
		{"owner@ours", "POST /groups?namespace=ours", "", `{"key":"new"}`, 201},
		{"owner@ours", "POST /groups?namespace=theirs", "", `{"key":"new"}`, 403},
		{"owner@ours", "POST /groups", "", `{"key":"new"}`, 403},
		{"owner@default/free", "POST /groups/$/tokens", "free", `{"label":"x"}`, 201},
		{"owner@ours/free", "POST /groups/$/tokens", "free", `{"label":"x"}`, 404},
		// It moves from where somebody owns it to where he owns it.
		{"owner@ours", "PATCH /groups/$", "mine", `{"namespace":"theirs"}`, 403},
		{"owner@ours editor@theirs", "PATCH /groups/$", "mine", `{"namespace":"theirs"}`, 403},
		{"owner@ours owner@theirs/mine", "PATCH /groups/$", "mine", `{"namespace":"theirs"}`, 200},
		{"viewer@ours owner@theirs", "PATCH /groups/$", "mine", `{"namespace":"theirs"}`, 403},
		{"owner@theirs", "PATCH /groups/$", "mine", `{"namespace":"theirs"}`, 404},
	} {
		status, text, called := ask(c.grants, c.request, c.group, c.body)
		if status != c.status || status >= 400 && resttest.Changing(called) {
			t.Errorf("%s %s %s: %d, want %d: %s, asked %q", c.grants, c.request, c.body, status, c.status, text, called)
		}
	}
}

// Executors are listed of groups in sight, of all namespaces or of one.
func TestExecutorsOfNamespaces(t *testing.T) {
	t.Parallel()
	known := resttest.Tokens{
		"all":   access.Root(),
		"mine":  {Kind: access.Person, ID: 9, Name: "ada", Grants: []access.Grant{{Role: access.Viewer, Namespace: "ours", Group: access.All}}},
		"wrong": {Kind: access.Person, ID: 9, Name: "ada", Grants: []access.Grant{{Role: access.Viewer, Namespace: "default", Group: access.All}}},
	}
	a := resttest.NewAsker(t, func(c *rest.Config) { c.Callers, c.Executors = known, seated{&resttest.Fake{}} })
	for _, c := range []struct{ as, query, want string }{
		{"all", "", "mine hers"},
		{"all", "?namespace=theirs", "hers"},
		{"all", "?namespace=default", ""},
		{"mine", "", "mine"},
		{"mine", "?namespace=ours", "mine"},
		{"mine", "?namespace=theirs", ""},
		{"wrong", "", ""},
	} {
		status, text, _ := a.Ask(t, resttest.Permitted{Method: http.MethodGet, Path: guard.Prefix + "/executors" + c.query}, c.as)
		var got []string
		for _, group := range []string{"mine", "hers"} {
			if strings.Contains(text, `"group":"`+group+`"`) {
				got = append(got, group)
			}
		}
		if status != http.StatusOK || strings.Join(got, " ") != c.want {
			t.Errorf("%s asks for %q: %d %s", c.as, c.query, status, text)
		}
	}
}
