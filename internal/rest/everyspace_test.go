package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/rest"
)

// Lists of definitions without a namespace have those of the namespaces that the
// caller may see as a whole, and no others; the fakes keep theirs in default.
func TestDefinitionsOfAllNamespaces(t *testing.T) {
	t.Parallel()
	known := tokens{}
	a := newAsker(t, func(c *rest.Config) { c.Callers = known })
	for _, list := range []string{"list-alarm-rules", "list-alarm-channels", "list-alarm-silences"} {
		ops := operations(t, a.handler)
		var op permitted
		for i := range ops {
			if ops[i].id == list {
				op = ops[i]
			}
		}
		for _, c := range []struct {
			name  string
			grant access.Grant
			sees  bool
		}{
			{"a viewer of all", access.Grant{Role: access.Viewer, Namespace: access.All, Group: access.All}, true},
			{"a viewer of the namespace", access.Grant{Role: access.Viewer, Namespace: "default", Group: access.All}, true},
			{"a viewer of a group of it", access.Grant{Role: access.Viewer, Namespace: "default", Group: "g"}, false},
			{"a viewer of another one", access.Grant{Role: access.Viewer, Namespace: "team", Group: access.All}, false},
		} {
			known["ada"] = access.Principal{Kind: access.Person, ID: 9, Name: "ada", Grants: []access.Grant{c.grant}}
			status, body, _ := a.ask(t, op, "ada")
			if status != http.StatusOK || strings.Contains(body, `"namespace":"default"`) != c.sees {
				t.Errorf("%s for %s: %d %s", list, c.name, status, body)
			}
		}
	}
}
