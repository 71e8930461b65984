package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/tries"
)

// permitted is an operation of the OpenAPI document, with a request for it.
type permitted struct {
	id, method, path, body string
	template               string // path with the names of its parameters
}

// described is what the tests read of the OpenAPI document.
type described struct {
	Paths map[string]map[string]struct {
		OperationID string `json:"operationId"`
		Parameters  []struct {
			Name, In string
			Required bool
		}
		RequestBody *struct{ Required bool } `json:"requestBody"`
	}
}

// bodies are those of operations that do nothing without a good one, or whose body
// tells where the right is needed: in group g of the default namespace.
var bodies = map[string]string{
	"create-job": `{"key":"new","group":"g","schedule":{"kind":"manual"},"handler":{"kind":"named","name":"hello"}}`,
	"clean-runs": `{"job":"report","all":true}`,
	"save-pause": `{"namespace":"default","groups":["g"]}`,
	"bulk-jobs":  `{"action":"stop","keys":["report"]}`,
	"bulk-runs":  `{"action":"cancel","ids":["5"]}`,
	"edit-group": `{"own_token_only":true}`, "add-address": `{"address":"http://10.0.0.5:9999"}`, "set-dialect": `{"dialect":"auto"}`,
	"save-rewrites": `{"rules":[]}`, "add-group-token": `{"label":"x"}`, "update-job": `{"title":"x"}`,
	"create-backfill": `{"from":"2030-01-31T08:00:00Z","to":"2030-01-31T09:00:00Z"}`, "preview-firings": `{"schedule":{"kind":"manual"}}`,
	"create-alarm-silence": `{"reason":"x","until":"2030-01-31T08:00:00Z"}`, "copy-job": `{"params":["x"]}`,
	"create-secret": `{"key":"thing","groups":["g"],"value":"long enough"}`, "update-secret": `{"title":"x"}`,
	"create-group": `{"key":"g"}`, "restore-job": `{"revision":1}`, "add-history": `{"source":"x","runs":[{"number":1,"state":"failed","started_at":"2020-01-01T00:00:00Z","ended_at":"2020-01-01T00:00:01Z"}]}`,
	"give-grant": `{"user":"ada","role":"viewer","namespace":"default","group":"g"}`,
	"take-grant": `{"user":"ada","role":"viewer","namespace":"default","group":"g"}`,
}

// values are those of parameters that a request must have.
var values = map[string]string{
	"address": "http%3A%2F%2F10.0.0.1%3A9999", "text": "x", "profile": "cmdline", "group": "g", "key": "thing", "user": "ada", "name": "ada",
	"namespace": "default", "role": "viewer", "code": "x", "state": "x", "until": "2030-01-31T08:00:00Z", "before": "2030-01-31T08:00:00Z",
}

// operations returns a request for each operation of the API.
func operations(t *testing.T, handler http.Handler) []permitted {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, guard.Prefix+"/openapi.json", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	handler.ServeHTTP(w, r)
	var d described
	if err := json.Unmarshal(w.Body.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	var all []permitted
	for path, methods := range d.Paths {
		for method, op := range methods {
			one := permitted{id: op.OperationID, method: strings.ToUpper(method), path: guard.Prefix + path, template: guard.Prefix + path, body: bodies[op.OperationID]}
			var query []string
			for _, p := range op.Parameters {
				value := values[p.Name]
				switch {
				case p.In == "path" && value == "":
					value = "5" // an id
					fallthrough
				case p.In == "path":
					one.path = strings.ReplaceAll(one.path, "{"+p.Name+"}", value)
				case p.In == "query" && p.Required:
					query = append(query, p.Name+"="+value)
				}
			}
			if query != nil {
				one.path += "?" + strings.Join(query, "&")
			}
			if one.body == "" && op.RequestBody != nil {
				one.body = "{}"
			}
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(a, b permitted) int { return strings.Compare(a.id, b.id) })
	return all
}

// grantedAt are the places where a role is granted, seen from group g of the default
// namespace, where everything is that the requests name, unless it has no group.
var grantedAt = []struct {
	name             string
	namespace, group string
}{
	{"its group", "default", "g"},
	{"another group", "default", "h"},
	{"its namespace", "default", access.All},
	{"another namespace", "team", access.All},
	{"the server", access.All, access.All},
}

// world returns the places of what has no group.
func world() fakePlaces {
	namespace := []access.Object{{Namespace: "default"}}
	return fakePlaces{"workflow run 5": namespace, "notification 5": namespace, "silence 5": namespace}
}

// asker is an API whose rooms note what they are asked, and whose callers have a role.
type asker struct {
	f       *fake
	handler http.Handler
}

func newAsker(t *testing.T, change func(*rest.Config)) *asker {
	t.Helper()
	a := &asker{f: &fake{}}
	c := a.f.config()
	known := tokens{"nothing": {Kind: access.Person, ID: 9, Name: "ada"}, "locked": {Kind: access.Person, ID: 9, Name: "ada", Grants: access.Root().Grants, Locked: true}}
	for _, role := range access.Roles() {
		for _, at := range grantedAt {
			p := access.Principal{Kind: access.Person, ID: 9, Name: "ada", Grants: []access.Grant{{Role: role, Namespace: at.namespace, Group: at.group}}}
			known[string(role)+" at "+at.name] = p
		}
	}
	c.Callers, c.Places, c.Profiles, c.Sessions = known, world(), true, fakeSessions{a.f}
	c.SignIn = rest.SignIn{Passwords: fakePasswords{a.f}, Provider: fakeProvider{a.f}}
	stopping := make(chan struct{}) // streams end at once
	close(stopping)
	c.Stopping = stopping
	const plenty = 1_000_000
	c.Rates = guard.Rates{Reading: plenty, Writing: plenty, Searching: plenty, Streaming: plenty, Signing: plenty, Strangers: plenty}
	c.Guesses = tries.NewLimiter(tries.Config{Pace: tries.Pace{AtOnce: plenty, Every: 1}})
	if change != nil {
		change(&c)
	}
	var err error
	if a.handler, err = rest.New(c); err != nil {
		t.Fatal(err)
	}
	return a
}

// ask makes the request of an operation and returns the answer, and what the rooms
// were asked.
func (a *asker) ask(t *testing.T, op permitted, as string) (status int, body, called string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), op.method, op.path, strings.NewReader(op.body))
	if as != "" {
		r.Header.Set("Authorization", "Bearer "+as)
	}
	if op.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	a.f.called()
	a.handler.ServeHTTP(w, r)
	return w.Code, w.Body.String(), a.f.called()
}

// changing says which questions to the rooms change nothing: the look at what is
// stored, before the right on it is known.
func changing(called string) bool {
	for line := range strings.Lines(called) {
		if !strings.HasPrefix(line, "job ") && !strings.HasPrefix(line, "user ") {
			return true
		}
	}
	return false
}

// The matrix of who may do what is written down, and looked at by people when it
// changes. Whoever is refused reaches no room.
func TestPermissions(t *testing.T) {
	t.Parallel()
	a := newAsker(t, nil)
	var text strings.Builder
	text.WriteString(`Who may use which operation of the API. Each column is a place where one role is
granted, seen from group g of the default namespace, in which everything is that the
requests name, but for what belongs to a namespace or to the server as a whole. The
signs stand for viewer, operator, editor, scripter, owner and admin, in this order:

  +  may use it; a list shows what lies where the role has the right, and nothing else
  -  is refused, and knows that it exists (403)
  ?  is told that it does not exist (404)

`)
	header := fmt.Sprintf("%-26s %-15s %-15s %-15s %-18s %s\n", "", grantedAt[0].name, grantedAt[1].name, grantedAt[2].name, grantedAt[3].name, grantedAt[4].name)
	text.WriteString(header)
	for _, op := range operations(t, a.handler) {
		row := []any{op.id}
		for _, at := range grantedAt {
			signs := ""
			for _, role := range access.Roles() {
				signs += a.sign(t, op, string(role)+" at "+at.name)
			}
			row = append(row, signs)
		}
		text.WriteString(strings.TrimRight(fmt.Sprintf("%-26s %-15s %-15s %-15s %-18s %s", row...), " ") + "\n")
		for _, nobody := range []string{"nothing", "locked"} {
			if sign := a.sign(t, op, nobody); sign == "+" && !slices.Contains(forEverybody, op.id) && !slices.Contains(public, op.id) {
				t.Errorf("%s with %s: may use it", op.id, nobody)
			}
		}
	}
	golden := filepath.Join("testdata", "permissions.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text.String()); diff != "" {
		t.Errorf("the permissions changed; run the test with -update when that is wanted (-want +got):\n%s", diff)
	}
}

// sign returns how an operation ends for a caller.
func (a *asker) sign(t *testing.T, op permitted, as string) string {
	t.Helper()
	status, body, called := a.ask(t, op, as)
	sign := "+"
	switch status {
	case http.StatusForbidden:
		sign = "-"
	case http.StatusNotFound:
		sign = "?"
	case http.StatusUnauthorized, http.StatusInternalServerError:
		t.Errorf("%s as %s: %d %s", op.id, as, status, body)
	}
	if sign != "+" && changing(called) {
		t.Errorf("%s as %s: refused with %d, and the rooms were asked: %s", op.id, as, status, called)
	}
	return sign
}

// public are the operations that need no credentials.
var public = []string{"finish-oidc", "list-sign-in-ways", "sign-in", "start-oidc"}

// forEverybody are those that everybody may use who is known.
var forEverybody = []string{
	"change-password", "create-token", "end-session", "get-me", "get-session", "list-roles", "list-sessions", "list-tokens", "revoke-token", "sign-out",
}

// Without credentials, or with wrong ones, nothing is answered but what is public.
func TestNobodyIsAnswered(t *testing.T) {
	t.Parallel()
	a := newAsker(t, nil)
	for _, op := range operations(t, a.handler) {
		for _, as := range []string{"", "wrong", "nothing ", token + "x"} {
			status, body, called := a.ask(t, op, as)
			if as == "nothing " { // white space at the end is none of the token's
				continue
			}
			open := slices.Contains(public, op.id) && as == ""
			if (status == http.StatusUnauthorized) == open || called != "" && !open {
				t.Errorf("%s with %q: %d %s, asked %q", op.id, as, status, body, called)
			}
		}
	}
}

// A path that changes something does so by its own methods only.
func TestOtherMethods(t *testing.T) {
	t.Parallel()
	a := newAsker(t, nil)
	all := operations(t, a.handler)
	takes := func(method, path string) bool {
		for _, op := range all {
			if op.method == method && fits(op.template, path) {
				return true
			}
		}
		return false
	}
	for _, op := range all {
		path, _, _ := strings.Cut(op.path, "?")
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get"} {
			if takes(method, path) || method == http.MethodHead && takes(http.MethodGet, path) {
				continue
			}
			status, body, called := a.ask(t, permitted{method: method, path: path}, token)
			if status != http.StatusMethodNotAllowed && status != http.StatusNotFound || called != "" {
				t.Errorf("%s %s: %d %s, asked %q", method, path, status, body, called)
			}
		}
	}
}

// fits reports whether a path is one of a template.
func fits(template, path string) bool {
	a, b := strings.Split(template, "/"), strings.Split(path, "/")
	return slices.EqualFunc(a, b, func(a, b string) bool { return a == b || strings.HasPrefix(a, "{") })
}

// However a path is written, the right is asked for what it leads to, or it leads to
// nothing.
func TestWrittenPaths(t *testing.T) {
	t.Parallel()
	a := newAsker(t, func(c *rest.Config) {
		places := world()
		places["job default/secret"] = []access.Object{{Namespace: "default", Group: "h"}}
		c.Places = places
	})
	const as = "operator at its group"
	for _, path := range []string{
		"/jobs/secret/trigger", "/jobs/%73ecret/trigger", "/jobs/secret%2ftrigger", "/jobs//secret/trigger", "//jobs/secret/trigger",
		"/jobs/secret/trigger/", "/jobs/secret/trigger.", "/jobs/secret/./trigger", "/jobs/report/../secret/trigger", "/jobs/report/%2e%2e/secret/trigger",
		"/jobs/report%2f..%2fsecret/trigger", "/jobs/secret;x=1/trigger", "/jobs/secret/trigger;x", "/JOBS/secret/trigger", "/jobs/secret/TRIGGER",
		"/jobs/secret%00/trigger", "/jobs/secret/trigger%00", "/jobs/%c0%b3ecret/trigger", "/jobs/secret%20/trigger", "/jobs/secret./trigger",
		"/jobs/secret/trigger?namespace=", "/jobs/secret/trigger?namespace=default&namespace=team", "/jobs/secret/trigger?namespace=team&namespace=default",
		"/jobs/secret/trigger?key=report", "/jobs/%2573ecret/trigger", "/jobs/secret%23/trigger", "/jobs/secret%3f/trigger", `/jobs/secret%5c/trigger`,
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
		target, err := r.URL.Parse("http://orth.test" + guard.Prefix + path)
		if err != nil {
			continue // net/http refuses it too
		}
		r.URL, r.RequestURI = target, guard.Prefix+path
		r.Header.Set("Authorization", "Bearer "+as)
		w := httptest.NewRecorder()
		a.f.called()
		a.handler.ServeHTTP(w, r)
		called := a.f.called()
		for line := range strings.SplitSeq(called, "\n") {
			if line == "trigger default/secret with its own" {
				t.Errorf("%s: %d, %s", path, w.Code, called)
			}
		}
		if w.Code == http.StatusOK || w.Code >= http.StatusInternalServerError {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	if status, body, called := a.ask(t, permitted{method: http.MethodPost, path: guard.Prefix + "/jobs/report/trigger"}, as); status != http.StatusCreated || called == "" {
		t.Errorf("what is allowed: %d %s, asked %q", status, body, called)
	}
}

// The namespace for which the right is asked is the one that the room is told, and
// an operation that knows no namespaces takes none.
func TestNamespaceIsTheOneThatIsChecked(t *testing.T) {
	t.Parallel()
	a := newAsker(t, nil)
	for _, op := range operations(t, a.handler) {
		if slices.Contains(public, op.id) || slices.Contains(forEverybody, op.id) {
			continue
		}
		path, query, _ := strings.Cut(op.path, "?")
		var kept []string
		for part := range strings.SplitSeq(query, "&") {
			if part != "" && !strings.HasPrefix(part, "namespace=") {
				kept = append(kept, part)
			}
		}
		op.path = path + "?" + strings.Join(append(kept, "namespace=team"), "&")
		op.body = strings.ReplaceAll(op.body, `"namespace":"default"`, `"namespace":"team"`)
		status, body, called := a.ask(t, op, token)
		if called != "" && !strings.Contains(called, "team") && op.id != "list-executors" { // which are few, and narrowed here
			t.Errorf("%s %s: %d %.200s, asked %q", op.method, op.path, status, body, called)
		}
		if status == http.StatusForbidden || status == http.StatusUnauthorized {
			t.Errorf("%s: %d %s", op.id, status, body)
		}
	}
}
