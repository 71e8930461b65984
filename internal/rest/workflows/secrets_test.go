package workflows_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/rest/resttest"
	"github.com/orthd/orth/job"
)

const secretJSON = `{"id":3,"namespace":"default","key":"billing-api","title":"Billing","groups":["g"],"version":2,"created_by":"ada","updated_by":"bob",` +
	`"created_at":"2030-01-31T08:00:00.000Z","updated_at":"2030-01-31T08:00:00.000Z","replaced_at":"2030-01-31T08:00:00.000Z","used_at":"2030-01-31T08:00:00.000Z"}`

func TestSecretRoutes(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	for _, c := range []struct {
		request, body string
		status        int
		call, want    string
	}{
		{
			"POST /secrets?namespace=team", `{"key":"billing-api","title":"Billing","groups":["g"],"value":"hush-hush"}`, 201,
			`create secret team/billing-api "Billing" of system for [g]: hush-hush`, strings.Replace(secretJSON, `"default"`, `"team"`, 1),
		},
		{"POST /secrets", `{"namespace":"team","key":"k","value":"hush-hush"}`, 201, `create secret team/k "" of system for []: hush-hush`, strings.NewReplacer(`"default"`, `"team"`, "billing-api", "k").Replace(secretJSON)},
		{"GET /secrets/billing-api?namespace=team", "", 200, "secret team/billing-api", secretJSON},
		{"PATCH /secrets/k", `{"value":"hush-hush"}`, 200, "update secret default/k at 0 by system, forced false: value hush-hush", secretJSON},
		{"PATCH /secrets/k", `{"title":"","groups":[],"version":2,"force":true}`, 200, "update secret default/k at 2 by system, forced true: title  groups []", secretJSON},
		{"PATCH /secrets/k", `{}`, 200, "update secret default/k at 0 by system, forced false:", secretJSON},
		{"DELETE /secrets/k", "", 204, "delete secret default/k, forced false", ""},
		{"DELETE /secrets/k?namespace=team&force=true", "", 204, "delete secret team/k, forced true", ""},
		{
			"GET /secrets/k/jobs", "", 200, "secret default/k\nusers of default/k",
			`{"jobs":[{"namespace":"default","key":"report","group":"g","field":"param"},{"namespace":"default","key":"sync","group":"h","field":"labels.token"}]}`,
		},
	} {
		resttest.WantRoute(t, f, server, c.request, c.body, c.status, c.call, c.want)
	}
	response, _ := resttest.Send(t, server, http.MethodPost, "/api/v1/secrets?namespace=team", `{"key":"k","value":"hush-hush"}`)
	if got := response.Header.Get("Location"); got != "/api/v1/secrets/k?namespace=team" {
		t.Errorf("it is said to be at %q", got)
	}
}

// Whatever is wrong with a request, its value does not come back.
func TestSecretValuesAreNotRepeated(t *testing.T) {
	t.Parallel()
	const value = "hush-hush-hush"
	f := &resttest.Fake{Err: job.FieldErrorf("value", "is wrong")}
	server := resttest.Serve(t, f, nil)
	for _, body := range []string{
		`{"key":"k","value":"` + value + `"}`, `{"key":"k","value":["` + value + `"]}`, `{"value":"` + value + `"}`, `{"key":1,"value":"` + value + `"}`,
		`{"key":"k","values":"` + value + `"}`, `{"key":"k","value":"` + value,
	} {
		for _, request := range []struct{ method, path string }{{http.MethodPost, "/secrets"}, {http.MethodPatch, "/secrets/k"}} {
			response, answer := resttest.Send(t, server, request.method, "/api/v1"+request.path, body)
			if response.StatusCode < 400 || strings.Contains(answer, value) {
				t.Errorf("%s %s: %d %s", request.method, body, response.StatusCode, answer)
			}
		}
		f.Called()
	}
}

// A secret that is for groups belongs to those who own all of them, and one for the whole
// namespace to its owners.
func TestWhoKeepsSecrets(t *testing.T) {
	t.Parallel()
	a := resttest.NewAsker(t, func(c *rest.Config) {
		places := resttest.World()
		places["secret default/narrow"] = []access.Object{{Namespace: "default", Group: "g"}}
		places["secret default/both"] = []access.Object{{Namespace: "default", Group: "g"}, {Namespace: "default", Group: "h"}}
		places["secret default/wide"] = []access.Object{{Namespace: "default", Shared: true}}
		c.Places = places
	})
	const owner, viewer, editor, whole = "owner at its group", "viewer at its group", "editor at its group", "owner at its namespace"
	for _, test := range []struct {
		method, path, body string
		allowed, refused   []string // with 403
		unseen             []string // with 404
	}{
		{http.MethodPatch, "/secrets/narrow", `{"value":"x"}`, []string{owner, whole}, []string{editor, viewer}, []string{"owner at another group"}},
		{http.MethodPatch, "/secrets/both", `{"value":"x"}`, []string{whole}, []string{owner}, nil},
		{http.MethodPatch, "/secrets/wide", `{"value":"x"}`, []string{whole}, []string{owner, editor}, nil},
		{http.MethodPatch, "/secrets/narrow", `{"groups":["h"]}`, []string{whole}, []string{owner}, nil},
		{http.MethodPatch, "/secrets/narrow", `{"groups":[]}`, []string{whole}, []string{owner}, nil},
		{http.MethodGet, "/secrets/narrow", "", []string{owner, viewer, whole}, nil, []string{"viewer at another group", "viewer at another namespace"}},
		{http.MethodGet, "/secrets/both", "", []string{viewer, "viewer at another group"}, nil, []string{"viewer at another namespace"}},
		{http.MethodGet, "/secrets/wide", "", []string{viewer, "viewer at another group"}, nil, []string{"viewer at another namespace"}},
		{http.MethodDelete, "/secrets/wide", "", []string{whole}, []string{owner}, nil},
		{http.MethodPost, "/secrets", `{"key":"k","value":"x"}`, []string{whole}, []string{owner, editor}, nil},
		{http.MethodPost, "/secrets", `{"key":"k","value":"x","groups":["g"]}`, []string{owner, whole}, []string{editor, "owner at another group"}, nil},
		{http.MethodPost, "/secrets", `{"key":"k","value":"x","groups":["g","h"]}`, []string{whole}, []string{owner}, nil},
	} {
		op := resttest.Permitted{Method: test.method, Path: guard.Prefix + test.path, Body: test.body}
		for want, callers := range map[int][]string{http.StatusOK: test.allowed, http.StatusForbidden: test.refused, http.StatusNotFound: test.unseen} {
			for _, as := range callers {
				status, body, called := a.Ask(t, op, as)
				if status != want && (want != http.StatusOK || status >= 300) {
					t.Errorf("%s %s %s as %s: %d %s", test.method, test.path, test.body, as, status, body)
				}
				if want != http.StatusOK && called != "" {
					t.Errorf("%s %s as %s: refused, and asked %q", test.method, test.path, as, called)
				}
			}
		}
	}
	for as, want := range map[string]string{
		viewer: "billing-api wide", "viewer at another group": "other wide", whole: "billing-api other wide", "viewer at another namespace": "",
	} {
		_, body, _ := a.Ask(t, resttest.Permitted{Method: http.MethodGet, Path: guard.Prefix + "/secrets"}, as)
		got := ""
		for _, key := range []string{"billing-api", "other", "wide"} {
			if strings.Contains(body, `"`+key+`"`) {
				got += " " + key
			}
		}
		if strings.TrimSpace(got) != want {
			t.Errorf("%s sees%s, want %s", as, got, want)
		}
	}
	_, body, _ := a.Ask(t, resttest.Permitted{Method: http.MethodGet, Path: guard.Prefix + "/secrets/wide/jobs"}, viewer)
	if !strings.Contains(body, "report") || strings.Contains(body, "sync") {
		t.Errorf("jobs that %s is told of: %s", viewer, body)
	}
}
