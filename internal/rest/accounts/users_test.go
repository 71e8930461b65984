package accounts_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/rest/resttest"
)

const (
	adaJSON = `"id":"3","name":"ada","kind":"user","title":"Ada","disabled":false,"must_change_password":false,"external":false,` +
		`"grants":[{"role":"viewer","namespace":"default","group":"*"}],` +
		`"created_at":"2030-01-31T08:00:00.000Z","updated_at":"2030-01-31T08:00:00.000Z","seen_at":"2030-01-31T08:00:00.000Z"`
	tokenJSON = `"id":"9","user":"ada","key":"0123456789"`
)

func TestUserRoutes(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	for _, c := range []struct {
		request, body string
		status        int
		call, want    string
	}{
		{"GET /users", "", 200, `users / @ by name, down false, after nobody, 100`, `{"users":[{` + adaJSON + `}]}`},
		{"GET /users?after=a&limit=1", "", 200, `users / @ by name, down false, after 0 a, 1`, `{"users":[{` + adaJSON + `}],"next":"ada"}`},
		{
			"GET /users?kind=service&state=must_change&role=owner&namespace=*&sort=-seen_at&limit=1", "", 200,
			`users service/must_change owner@* by seen_at, down true, after nobody, 1`, `{"users":[{` + adaJSON + `}],"next":"~-seen_at~1896076800000~ada"}`,
		},
		{
			"GET /users?sort=-seen_at&after=~-seen_at~1896076800000~ada", "", 200, `users / @ by seen_at, down true, after 1896076800000 ada, 100`,
			`{"users":[{` + adaJSON + `}]}`,
		},
		{"GET /users?sort=-name&limit=1", "", 200, `users / @ by name, down true, after nobody, 1`, `{"users":[{` + adaJSON + `}],"next":"~-name~0~ada"}`},
		{"GET /users/ada", "", 200, "user ada", `{` + adaJSON + `}`},
		{
			"POST /users", `{"name":"ada","grants":[{"role":"owner","namespace":"a","group":"*"}]}`, 201,
			`create user ada (user) with "" and [owner@a/*]`, `{` + adaJSON + `,"password":"made-for-her"}`,
		},
		{
			"POST /users", `{"name":"ada","kind":"service","password":"given"}`, 201, `create user ada (service) with "given" and []`,
			`{` + strings.Replace(adaJSON, `"kind":"user"`, `"kind":"service"`, 1) + `}`,
		},
		{
			"POST /users", `{"name":"ada","password_hash":"e10adc3949ba59abbe56e057f20f883e","grants":[{"role":"owner","namespace":"a","group":"*"}]}`, 201,
			`adopt user ada (user) with "e10adc3949ba59abbe56e057f20f883e" and [owner@a/*]`, `{` + adaJSON + `}`,
		},
		{"PATCH /users/ada", `{"title":"Ada L."}`, 200, `describe ada: title "Ada L.", email as it is`, `{` + adaJSON + `}`},
		{"PATCH /users/ada", `{"title":null,"email":"a@b.c"}`, 200, `describe ada: title "", email "a@b.c"`, `{` + adaJSON + `}`},
		{"POST /users/ada/disable", "", 200, "disable ada: true", `{` + strings.Replace(adaJSON, `"disabled":false`, `"disabled":true`, 1) + `}`},
		{"POST /users/ada/enable", "", 200, "disable ada: false", `{` + adaJSON + `}`},
		{"PUT /users/ada/password", `{"password":"new one"}`, 200, `password of ada: "new one", final false`, `{` + strings.Replace(adaJSON, `"must_change_password":false`, `"must_change_password":true`, 1) + `}`},
		{"PUT /users/ada/password", `{"password":"new one","final":true}`, 200, `password of ada: "new one", final true`, `{` + adaJSON + `}`},
		{"DELETE /users/ada", "", 204, "delete user ada", ""},
		{
			"GET /grants?namespace=a&user=ada&after=a&limit=1", "", 200, `grants in {All:true Places:[]}: "a" "ada" after "a", 1`,
			`{"grants":[{"user":"ada","role":"viewer","namespace":"default","group":"*"}],"next":"ada"}`,
		},
		{"POST /grants", `{"user":"ada","role":"owner","namespace":"a","group":"*"}`, 201, "give ada owner@a/*", `{"user":"ada","role":"owner","namespace":"a","group":"*"}`},
		{"DELETE /grants?user=ada&role=owner&namespace=a&group=*", "", 204, "take owner@a/* from ada", ""},
		{"GET /users/ada/tokens", "", 200, "tokens of ada", `{"tokens":[{` + tokenJSON + `,"created_at":"2030-01-31T08:00:00.000Z"}]}`},
		{
			"POST /users/ada/tokens", `{"label":"ci","limits":[{"role":"viewer","namespace":"a","group":"g"}],"expires_at":"2031-01-01T00:00:00Z"}`, 201,
			`add token to ada: "ci" [viewer@a/g] until 2031`,
			`{` + tokenJSON + `,"label":"ci","limits":[{"role":"viewer","namespace":"a","group":"g"}],"created_at":"2030-01-31T08:00:00.000Z",` +
				`"expires_at":"2031-01-01T00:00:00.000Z","token":"orth_0123456789secret"}`,
		},
		{"DELETE /users/ada/tokens/9", "", 204, "revoke 9 of ada", ""},
		{"GET /me", "", 200, "", `{"kind":"system","name":"system","must_change_password":false,"grants":[{"role":"admin","namespace":"*","group":"*"}]}`},
	} {
		resttest.WantRoute(t, f, server, c.request, c.body, c.status, c.call, c.want)
	}
}

// What is missing or odd is refused before anybody is asked.
func TestUserRoutesRefuse(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	for _, c := range [][3]string{
		{http.MethodGet, "/users?kind=system", ""},
		{http.MethodGet, "/users?state=enabled", ""},
		{http.MethodGet, "/users?role=root", ""},
		{http.MethodGet, "/users?sort=email", ""},
		{http.MethodGet, "/users?after=~-name~0~ada", ""},
		{http.MethodGet, "/users?sort=-name&after=ada", ""},
		{http.MethodGet, "/users?sort=-name&after=~-name~x~ada", ""},
		{http.MethodGet, "/users?sort=-name&after=~-name~0~", ""},
		{http.MethodPost, "/users", `{}`},
		{http.MethodPost, "/users", `{"name":"a","kind":"system"}`},
		{http.MethodPost, "/users", `{"name":"a","must_change_password":false}`},
		{http.MethodPost, "/users", `{"name":"a","password":"winding stairs","password_hash":"e10adc3949ba59abbe56e057f20f883e"}`},
		{http.MethodPost, "/users", `{"name":"a","grants":[{"role":"root","namespace":"*","group":"*"}]}`},
		{http.MethodPost, "/users", `{"name":"a","grants":[{"role":"viewer"}]}`},
		{http.MethodPatch, "/users/ada", `{"disabled":true}`},
		{http.MethodPatch, "/users/ada", `{"name":"bob"}`},
		{http.MethodPatch, "/users/ada", `{"title":7}`},
		{http.MethodPut, "/users/ada/password", `{}`},
		{http.MethodPut, "/users/ada/password", `{"password":""}`},
		{http.MethodPost, "/grants", `{"role":"viewer","namespace":"a","group":"*"}`},
		{http.MethodPost, "/grants", `{"user":"ada","role":"viewer","namespace":"*","group":"a"}`},
		{http.MethodDelete, "/grants?user=ada", ""},
		{http.MethodPost, "/users/ada/tokens", `{"limits":[]}`},
		{http.MethodPost, "/users/ada/tokens", `{"token":"mine"}`},
		{http.MethodDelete, "/users/ada/tokens/x", ""},
		{http.MethodGet, "/tokens", ""}, // the server's own token is no user
		{http.MethodPost, "/tokens", `{}`},
		{http.MethodDelete, "/tokens/9", ""},
	} {
		response, body := resttest.Send(t, server, c[0], "/api/v1"+c[1], c[2])
		if calls := f.Called(); response.StatusCode != http.StatusUnprocessableEntity || calls != "" {
			t.Errorf("%s %s %s: %d %s, asked %s", c[0], c[1], c[2], response.StatusCode, body, calls)
		}
	}
}

// Owners work with the grants of their places, and nobody learns of users from what
// is refused.
func TestGrantsNeedTheirRight(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	owner := access.Principal{Kind: access.Person, ID: 5, Name: "olga", Grants: []access.Grant{{Role: access.Owner, Namespace: "a", Group: access.All}}}
	viewer := access.Principal{Kind: access.Token, ID: 6, Name: "vera", Grants: []access.Grant{{Role: access.Viewer, Namespace: "a", Group: access.All}}}
	locked := access.Principal{Kind: access.Person, ID: 7, Name: "lo", Locked: true, Grants: access.Root().Grants}
	nobody := access.Principal{Kind: access.Service, ID: 8, Name: "no"}
	server := resttest.Serve(t, f, func(c *rest.Config) {
		c.Callers = resttest.Tokens{"owner": owner, "viewer": viewer, "locked": locked, "nobody": nobody}
	})
	const grantA, grantB, adminA = `{"user":"ada","role":"editor","namespace":"a","group":"x"}`,
		`{"user":"ada","role":"viewer","namespace":"b","group":"*"}`, `{"user":"ada","role":"admin","namespace":"a","group":"*"}`
	for _, c := range []struct {
		who, method, path, body string
		status                  int
		call                    string
	}{
		{"owner", http.MethodPost, "/grants", grantA, 201, "give ada editor@a/x"},
		{"owner", http.MethodPost, "/grants", grantB, 403, ""},
		{"owner", http.MethodPost, "/grants", adminA, 403, ""},
		{"owner", http.MethodDelete, "/grants?user=ada&role=viewer&namespace=a&group=*", "", 204, "take viewer@a/* from ada"},
		{"owner", http.MethodDelete, "/grants?user=ada&role=viewer&namespace=*&group=*", "", 403, ""},
		{"owner", http.MethodGet, "/grants", "", 200, `grants in {All:false Places:[{Namespace:a Group:*}]}: "" "" after "", 100`},
		{"owner", http.MethodGet, "/users/ada", "", 403, ""},
		{"owner", http.MethodGet, "/users/missing", "", 403, ""},
		{"owner", http.MethodGet, "/users", "", 403, ""},
		{"owner", http.MethodPut, "/users/ada/password", `{"password":"winding stairs"}`, 403, ""},
		{"owner", http.MethodGet, "/tokens", "", 200, "tokens of olga"},
		{"viewer", http.MethodPost, "/grants", grantA, 403, ""},
		{"viewer", http.MethodGet, "/grants", "", 403, ""},
		{"viewer", http.MethodGet, "/users/ada/tokens", "", 403, ""},
		{"viewer", http.MethodPost, "/tokens", `{"label":"x"}`, 201, `add token to vera: "x" [] until 0001`},
		{"viewer", http.MethodDelete, "/tokens/9", "", 204, "revoke 9 of vera"},
		{"nobody", http.MethodGet, "/me", "", 200, ""},
		{"nobody", http.MethodGet, "/roles", "", 200, ""},
		{"locked", http.MethodGet, "/me", "", 200, ""},
		{"locked", http.MethodGet, "/users", "", 403, ""},
		{"locked", http.MethodPost, "/tokens", `{}`, 403, ""},
		{"locked", http.MethodPost, "/grants", grantA, 403, ""},
		{"stranger", http.MethodGet, "/me", "", 401, ""},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, server.URL+"/api/v1"+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+c.who)
		if c.body != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		response, body := resttest.Do(t, server, r)
		if call := f.Called(); response.StatusCode != c.status || call != c.call {
			t.Errorf("%s %s %s %s: %d, asked %q, want %d, %q: %s", c.who, c.method, c.path, c.body, response.StatusCode, call, c.status, c.call, body)
		}
	}
}
