package rest_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/rest/resttest"
	"github.com/orthd/orth/job"
)

// Lists of definitions without a namespace have those of the namespaces that the
// caller may see as a whole, and no others; the fakes keep theirs in default.
func TestDefinitionsOfAllNamespaces(t *testing.T) {
	t.Parallel()
	known := resttest.Tokens{}
	a := resttest.NewAsker(t, func(c *rest.Config) { c.Callers = known })
	for _, list := range []string{"list-alarm-rules", "list-alarm-channels", "list-alarm-silences"} {
		ops := resttest.Operations(t, a.Handler)
		var op resttest.Permitted
		for i := range ops {
			if ops[i].ID == list {
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
			status, body, _ := a.Ask(t, op, "ada")
			if status != http.StatusOK || strings.Contains(body, `"namespace":"default"`) != c.sees {
				t.Errorf("%s for %s: %d %s", list, c.name, status, body)
			}
		}
	}
}

// Lists of what lies in one namespace have that of all for *, as far as the caller may
// see it; the fakes keep theirs in default.
func TestListsOfAllNamespaces(t *testing.T) {
	t.Parallel()
	known := resttest.Tokens{}
	a := resttest.NewAsker(t, func(c *rest.Config) { c.Callers = known })
	for _, c := range []struct {
		name  string
		grant access.Grant
		sees  string
	}{
		{"a viewer of all", access.Grant{Role: access.Viewer, Namespace: access.All, Group: access.All}, "calendars workflows secrets"},
		{"a viewer of the namespace", access.Grant{Role: access.Viewer, Namespace: "default", Group: access.All}, "calendars workflows secrets"},
		{"a viewer of a group of it", access.Grant{Role: access.Viewer, Namespace: "default", Group: "g"}, "calendars secrets"},
		{"a viewer of another one", access.Grant{Role: access.Viewer, Namespace: "team", Group: access.All}, ""},
	} {
		known["ada"] = access.Principal{Kind: access.Person, ID: 9, Name: "ada", Grants: []access.Grant{c.grant}}
		for _, list := range []string{"calendars", "workflows", "secrets"} {
			status, body, _ := a.Ask(t, resttest.Permitted{Method: http.MethodGet, Path: "/api/v1/" + list + "?namespace=*"}, "ada")
			if sees := strings.Contains(c.sees, list); status != http.StatusOK || strings.Contains(body, `"namespace":"default"`) != sees {
				t.Errorf("%s for %s: %d %s", list, c.name, status, body)
			}
		}
	}
}

// A page of the jobs of all namespaces ends with a namespace and a key, and the next one
// begins there.
func TestJobsOfAllNamespaces(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{FoundJobs: []job.Job{resttest.StoredJob(), resttest.StoredJob()}}
	f.FoundJobs[1].Namespace, f.FoundJobs[1].Key = "team", "nightly"
	list := resttest.ListOf[api.JobList](t, f, "/jobs?namespace=*&limit=2")
	if list.Next != "team/nightly" {
		t.Errorf("the next page begins behind %q", list.Next)
	}
	if asked := f.Last(); !strings.Contains(asked, "everywhere from / ") {
		t.Errorf("asked %s", asked)
	}
	f.FoundJobs = append(f.FoundJobs, resttest.StoredJob())
	f.FoundJobs[2].Namespace, f.FoundJobs[2].Key = "team", "z"
	resttest.ListOf[api.JobList](t, f, "/jobs?namespace=*&after=team/nightly")
	if asked := f.Last(); !strings.Contains(asked, "everywhere from team/ ") || !strings.Contains(asked, "after=nightly") {
		t.Errorf("asked %s", asked)
	}
	f.FoundJobs = f.FoundJobs[1:]
	sorted := resttest.ListOf[api.JobList](t, f, "/jobs?namespace=*&sort=title&limit=1")
	if want := "~team"; !strings.HasSuffix(sorted.Next, want) {
		t.Errorf("a sorted page ends with %q, want a namespace at the end", sorted.Next)
	}
	resttest.ListOf[api.JobList](t, f, "/jobs?namespace=*&sort=title&after="+sorted.Next)
	for _, after := range []string{"nightly", "~title~0~~nightly"} {
		query := "?namespace=*&after=" + after
		if after[0] == '~' {
			query += "&sort=title"
		}
		response, body := resttest.Send(t, resttest.Serve(t, f, nil), http.MethodGet, "/api/v1/jobs"+query, "")
		if response.StatusCode != http.StatusBadRequest && response.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(body, "after") {
			t.Errorf("after %s: %d %s", after, response.StatusCode, body)
		}
	}
}

// The star means all namespaces where a request that names none does, and the key of a
// job beside it is refused. What is optional and means something else is named here.
func TestStarMeansAllNamespaces(t *testing.T) {
	t.Parallel()
	otherwise := map[string]string{
		"list-grants": "the star finds grants in all namespaces", "list-users": "the same", "list-audit": "what is about such grants is in the star",
	}
	a := resttest.NewAsker(t, func(c *rest.Config) { c.Callers = resttest.Tokens{"ada": access.Root()} })
	var document struct {
		Paths map[string]map[string]struct {
			ID         string `json:"operationId"`
			Parameters []struct {
				Name     string `json:"name"`
				Required bool   `json:"required"`
				Schema   struct {
					Default any `json:"default"`
				} `json:"schema"`
			} `json:"parameters"`
		} `json:"paths"`
	}
	_, text, _ := a.Ask(t, resttest.Permitted{Method: http.MethodGet, Path: "/api/v1/openapi.json"}, "ada")
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	looked := 0
	for path, methods := range document.Paths {
		op, ok := methods["get"]
		if !ok || strings.Contains(path, "{") || otherwise[op.ID] != "" {
			continue
		}
		optional, ofJob := false, false
		for _, p := range op.Parameters {
			optional = optional || p.Name == "namespace" && !p.Required && p.Schema.Default == nil
			ofJob = ofJob || p.Name == "job"
		}
		if !optional {
			continue
		}
		looked++
		if strings.HasPrefix(op.ID, "follow-") {
			continue // never over; they share the way of the others
		}
		_, _, none := a.Ask(t, resttest.Permitted{Method: http.MethodGet, Path: "/api/v1" + path}, "ada")
		status, text, all := a.Ask(t, resttest.Permitted{Method: http.MethodGet, Path: "/api/v1" + path + "?namespace=*"}, "ada")
		if status == http.StatusUnprocessableEntity || all != none {
			t.Errorf("%s: %d %s: for the star it asks %s, without a namespace %s", op.ID, status, text, all, none)
		}
		if !ofJob {
			continue
		}
		if status, text, _ := a.Ask(t, resttest.Permitted{Method: http.MethodGet, Path: "/api/v1" + path + "?namespace=*&job=report"}, "ada"); status != http.StatusUnprocessableEntity || !strings.Contains(text, "name the namespace of the job") {
			t.Errorf("%s of a job: %d %s", op.ID, status, text)
		}
	}
	if looked < 12 {
		t.Errorf("only %d operations were looked at", looked)
	}
}
