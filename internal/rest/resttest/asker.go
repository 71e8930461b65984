package resttest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/rest/accounts"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/tries"
)

// Permitted is an operation of the OpenAPI document, with a request for it.
type Permitted struct {
	ID, Method, Path, Body string
	Template               string // path with the names of its parameters
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

// Operations returns a request for each operation of the API.
func Operations(t *testing.T, handler http.Handler) []Permitted {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, guard.Prefix+"/openapi.json", nil)
	r.Header.Set("Authorization", "Bearer "+Token)
	handler.ServeHTTP(w, r)
	var d described
	if err := json.Unmarshal(w.Body.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	var all []Permitted
	for path, methods := range d.Paths {
		for method, op := range methods {
			one := Permitted{ID: op.OperationID, Method: strings.ToUpper(method), Path: guard.Prefix + path, Template: guard.Prefix + path, Body: bodies[op.OperationID]}
			var query []string
			for _, p := range op.Parameters {
				value := values[p.Name]
				switch {
				case p.In == "path" && value == "":
					value = "5" // an id
					fallthrough
				case p.In == "path":
					one.Path = strings.ReplaceAll(one.Path, "{"+p.Name+"}", value)
				case p.In == "query" && p.Required:
					query = append(query, p.Name+"="+value)
				}
			}
			if query != nil {
				one.Path += "?" + strings.Join(query, "&")
			}
			if one.Body == "" && op.RequestBody != nil {
				one.Body = "{}"
			}
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(a, b Permitted) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// GrantedAt are the places where a role is granted, seen from group g of the default
// namespace, where everything is that the requests name, unless it has no group.
var GrantedAt = []struct {
	Name             string
	namespace, group string
}{
	{"its group", "default", "g"},
	{"another group", "default", "h"},
	{"its namespace", "default", access.All},
	{"another namespace", "team", access.All},
	{"the server", access.All, access.All},
}

// World returns the places of what has no group.
func World() FakePlaces {
	namespace := []access.Object{{Namespace: "default"}}
	return FakePlaces{"workflow run 5": namespace, "notification 5": namespace, "silence 5": namespace}
}

// Asker is an API whose rooms note what they are asked, and whose callers have a role.
type Asker struct {
	Fake    *Fake
	Handler http.Handler
}

// NewAsker returns an asker. change may alter the configuration of the API.
func NewAsker(t *testing.T, change func(*rest.Config)) *Asker {
	t.Helper()
	a := &Asker{Fake: &Fake{}}
	c := a.Fake.Config()
	known := Tokens{"nothing": {Kind: access.Person, ID: 9, Name: "ada"}, "locked": {Kind: access.Person, ID: 9, Name: "ada", Grants: access.Root().Grants, Locked: true}}
	for _, role := range access.Roles() {
		for _, at := range GrantedAt {
			p := access.Principal{Kind: access.Person, ID: 9, Name: "ada", Grants: []access.Grant{{Role: role, Namespace: at.namespace, Group: at.group}}}
			known[string(role)+" at "+at.Name] = p
		}
	}
	c.Callers, c.Places, c.Profiles, c.Sessions = known, World(), true, fakeSessions{a.Fake}
	c.SignIn = accounts.SignIn{Passwords: fakePasswords{a.Fake}, Provider: fakeProvider{a.Fake}}
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
	if a.Handler, err = rest.New(c); err != nil {
		t.Fatal(err)
	}
	return a
}

// Changing says which questions to the rooms change nothing: the look at what is
// stored, before the right on it is known.
func Changing(called string) bool {
	for line := range strings.Lines(called) {
		if !strings.HasPrefix(line, "job ") && !strings.HasPrefix(line, "user ") {
			return true
		}
	}
	return false
}

// Ask makes the request of an operation and returns the answer, and what the rooms
// were asked.
func (a *Asker) Ask(t *testing.T, op Permitted, as string) (status int, body, called string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), op.Method, op.Path, strings.NewReader(op.Body))
	if as != "" {
		r.Header.Set("Authorization", "Bearer "+as)
	}
	if op.Body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	a.Fake.Called()
	a.Handler.ServeHTTP(w, r)
	return w.Code, w.Body.String(), a.Fake.Called()
}
