package accounts_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/rest/accounts"
	"github.com/orthd/orth/internal/rest/resttest"
	"github.com/orthd/orth/job"
)

const (
	sessionJSON = `"way":"password","address":"192.0.2.7","agent":"a browser","created_at":"2030-01-31T08:00:00.000Z",` +
		`"seen_at":"2030-01-31T08:00:00.000Z","ends_at":"2030-01-31T20:00:00.000Z"`
	grantsJSON = `"grants":["viewer@default/*"]`
	annJSON    = `{"user":"ann","kind":"user","must_change":false,"grants":["admin@*/*"]`
)

func TestSignIn(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	handler := resttest.Browsing(t, f, nil)
	for name, c := range map[string]struct {
		resttest.Ask
		status              int
		calls, body, cookie string
	}{
		"with a password": {
			resttest.Ask{Request: "POST /api/v1/session", Body: `{"user":"ann","password":"right"}`, Headers: []string{resttest.GoodOrigin, resttest.JSONContent, "User-Agent: a browser"}},
			200, "password of ann from 127.0.0.1\nbegin ann by password from 127.0.0.1, a browser",
			`{"user":"ann","kind":"user","must_change":true,` + grantsJSON + `,"session":{"id":"9",` + sessionJSON + `,"current":true}}`,
			"orth=fresh-secret; Path=/; HttpOnly; SameSite=Strict",
		},
		"over TLS": {
			resttest.Ask{Request: "POST /api/v1/session", Body: `{"user":"ann","password":"right"}`, Secure: true, From: "192.0.2.7:5", Headers: []string{"Origin: https://127.0.0.1:8080", resttest.JSONContent}},
			200, "password of ann from 192.0.2.7\nbegin ann by password from 192.0.2.7, ", `"must_change":true`,
			"__Host-orth=fresh-secret; Path=/; HttpOnly; Secure; SameSite=Strict",
		},
		"with a wrong one": {
			resttest.Ask{Request: "POST /api/v1/session", Body: `{"user":"ann","password":"wrong"}`, Headers: []string{resttest.GoodOrigin, resttest.JSONContent}},
			401, "password of ann from 127.0.0.1", `the name or the password is wrong`, "",
		},
		"of nobody": {
			resttest.Ask{Request: "POST /api/v1/session", Body: `{"user":"eve","password":"right"}`, Headers: []string{resttest.GoodOrigin, resttest.JSONContent}},
			401, "password of eve from 127.0.0.1", `the name or the password is wrong`, "",
		},
		"over the network in plain": {
			resttest.Ask{Request: "POST /api/v1/session", Body: `{"user":"ann","password":"right"}`, From: "192.0.2.7:5", Headers: []string{resttest.GoodOrigin, resttest.JSONContent}},
			403, "", `encrypted connection`, "",
		},
		"without a password": {
			resttest.Ask{Request: "POST /api/v1/session", Body: `{"user":"ann"}`, Headers: []string{resttest.GoodOrigin, resttest.JSONContent}}, 422, "", `is missing`, "",
		},
		"who am I": {
			resttest.Ask{Request: "GET /api/v1/session", Headers: []string{resttest.CookieHeader}},
			200, "sessions of 7",
			annJSON + `,"session":{"id":"3",` + sessionJSON + `,"current":true}}`, "",
		},
		"who am I, as a program": {
			resttest.Ask{Request: "GET /api/v1/session", Headers: []string{"Authorization: Bearer " + resttest.Token}},
			200, "",
			`{"user":"system","kind":"system","must_change":false,"grants":["admin@*/*"]}`, "",
		},
		"who am I, as nobody": {resttest.Ask{Request: "GET /api/v1/session"}, 401, "", "no token", ""},
		"sign out": {
			resttest.Ask{Request: "DELETE /api/v1/session", Headers: []string{resttest.CookieHeader, resttest.GoodOrigin}},
			204, "end 3 of 7", "",
			"orth=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict",
		},
		"sign out a program": {
			resttest.Ask{Request: "DELETE /api/v1/session", Headers: []string{"Authorization: Bearer " + resttest.Token}}, 403, "", "only a user who has signed in", "",
		},
		"own sessions": {
			resttest.Ask{Request: "GET /api/v1/sessions", Headers: []string{resttest.CookieHeader}},
			200, "sessions of 7",
			`{"sessions":[{"id":"9",` + sessionJSON + `,"current":false},{"id":"3",` + sessionJSON + `,"current":true}]}`, "",
		},
		"end another session": {
			resttest.Ask{Request: "DELETE /api/v1/sessions/9", Headers: []string{resttest.CookieHeader, resttest.GoodOrigin}}, 204, "end 9 of 7", "", "",
		},
		"sessions of another": {
			resttest.Ask{Request: "GET /api/v1/users/bob/sessions", Headers: []string{"Authorization: Bearer " + resttest.Token}},
			200, "user bob\nsessions of 3", `{"sessions":[{"id":"9",` + sessionJSON + `,"current":false},{"id":"3",` + sessionJSON + `,"current":false}]}`, "",
		},
		"end a session of another": {
			resttest.Ask{Request: "DELETE /api/v1/users/bob/sessions/9", Headers: []string{resttest.CookieHeader, resttest.GoodOrigin}}, 204, "user bob\nend 9 of 3", "", "",
		},
		"end a session that cannot be": {
			resttest.Ask{Request: "DELETE /api/v1/users/bob/sessions/9999999999999999999", Headers: []string{resttest.CookieHeader, resttest.GoodOrigin}},
			404, "user bob", "has no session", "",
		},
		"ways": {resttest.Ask{Request: "GET /api/v1/session/ways"}, 200, "", `{"password":true,"oidc":"Example"}`, ""},
		"change the password": {
			resttest.Ask{Request: "POST /api/v1/session/password", Body: `{"old_password":"right","new_password":"better"}`, Headers: []string{resttest.CookieHeader, resttest.GoodOrigin, resttest.JSONContent}},
			200, "password of ann from 127.0.0.1\nbegin ann by password from 127.0.0.1, \nend all of 7 but 9",
			`"must_change":false`, "orth=fresh-secret; Path=/; HttpOnly; SameSite=Strict",
		},
		"change it without the old one": {
			resttest.Ask{Request: "POST /api/v1/session/password", Body: `{"old_password":"guess","new_password":"better"}`, Headers: []string{resttest.CookieHeader, resttest.GoodOrigin, resttest.JSONContent}},
			403, "password of ann from 127.0.0.1", `"field":"old_password"`, "",
		},
		"change it to a poor one": {
			resttest.Ask{Request: "POST /api/v1/session/password", Body: `{"old_password":"right","new_password":"poor"}`, Headers: []string{resttest.CookieHeader, resttest.GoodOrigin, resttest.JSONContent}},
			422, "password of ann from 127.0.0.1", `"field":"new_password"`, "",
		},
		"change that of a program": {
			resttest.Ask{Request: "POST /api/v1/session/password", Body: `{"old_password":"right","new_password":"better"}`, Headers: []string{"Authorization: Bearer " + resttest.Token, resttest.JSONContent}},
			403, "", "only a user who has signed in", "",
		},
		"start with the provider": {
			resttest.Ask{Request: "GET /api/v1/session/oidc/start"},
			303, "start", "",
			"orth-oidc=kept; Path=/; Max-Age=600; HttpOnly; SameSite=Lax",
		},
		"come back from it": {
			resttest.Ask{Request: "GET /api/v1/session/oidc/callback?code=c&state=s&session_state=x&iss=y", Headers: []string{"Cookie: orth-oidc=kept"}},
			303, "finish kept with {Code:c State:s Failure:}\nbegin ann by oidc from 127.0.0.1, ", "",
			"orth=fresh-secret; Path=/; HttpOnly; SameSite=Strict, orth-oidc=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax",
		},
		"come back from somewhere else": {
			resttest.Ask{Request: "GET /api/v1/session/oidc/callback?code=c&state=other", Headers: []string{"Cookie: orth-oidc=kept"}},
			401, "finish kept with {Code:c State:other Failure:}", "another state", "",
		},
		"come without having gone": {resttest.Ask{Request: "GET /api/v1/session/oidc/callback?code=c&state=s"}, 401, "", "has not begun", ""},
	} {
		answer := c.Of(t, handler)
		cookies := strings.Join(answer.Header().Values("Set-Cookie"), ", ")
		if calls := f.Called(); answer.Code != c.status || calls != c.calls || !strings.Contains(answer.Body.String(), c.body) || cookies != c.cookie {
			t.Errorf("%s: %d, calls %q, cookies %q\n%s", name, answer.Code, calls, cookies, answer.Body)
		}
		if c.status == http.StatusSeeOther {
			if to := answer.Header().Get("Location"); to != "/" && to != "https://id.example.com/authorize?state=s" {
				t.Errorf("%s: sent to %q", name, to)
			}
		}
	}
	late := resttest.Ask{Request: "POST /api/v1/session", Body: `{"user":"tired","password":"x"}`, Headers: []string{resttest.GoodOrigin, resttest.JSONContent}}.Of(t, handler)
	if late.Code != http.StatusTooManyRequests || late.Header().Get("Retry-After") != "12" || late.Header().Get("Content-Type") != "application/problem+json" {
		t.Errorf("too many tries: %d %v %s", late.Code, late.Header(), late.Body)
	}
}

// Who has to change the password can do that, see who it is, and sign out.
func TestLocked(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	handler := resttest.Browsing(t, f, nil)
	locked := "Cookie: orth=" + resttest.LockedText
	free := map[string]bool{"POST /api/v1/session/password": true, "DELETE /api/v1/session": true, "POST /api/v1/session": true}
	for _, request := range resttest.Writing(t, handler) {
		answer := resttest.Ask{Request: request, Body: `{}`, Headers: []string{locked, resttest.GoodOrigin, resttest.JSONContent}}.Of(t, handler)
		if refused := answer.Code == http.StatusForbidden; refused == free[request] && !free[request] {
			t.Errorf("%s: %d %s", request, answer.Code, answer.Body)
		}
	}
	for request, want := range map[string]int{
		"GET /api/v1/session": 200, "GET /api/v1/sessions": 403, "GET /api/v1/jobs": 403, "GET /api/v1/runs/5": 403, "GET /api/v1/users": 403,
	} {
		if answer := (resttest.Ask{Request: request, Headers: []string{locked}}).Of(t, handler); answer.Code != want {
			t.Errorf("%s: %d %s", request, answer.Code, answer.Body)
		}
	}
	change := resttest.Ask{Request: "POST /api/v1/session/password", Body: `{"old_password":"right","new_password":"better"}`, Headers: []string{locked, resttest.GoodOrigin, resttest.JSONContent}}
	if answer := change.Of(t, handler); answer.Code != http.StatusOK {
		t.Errorf("the password cannot be changed: %d %s", answer.Code, answer.Body)
	}
}

// Without users nobody signs in, and nothing is different for programs.
func TestNoSignIn(t *testing.T) {
	t.Parallel()
	handler := resttest.Browsing(t, &resttest.Fake{}, func(c *rest.Config) { c.Sessions, c.SignIn = nil, accounts.SignIn{} })
	for _, c := range []struct {
		resttest.Ask
		want int
	}{
		{resttest.Ask{Request: "POST /api/v1/session", Body: `{"user":"ann","password":"right"}`, Headers: []string{resttest.GoodOrigin, resttest.JSONContent}}, 404},
		{resttest.Ask{Request: "GET /api/v1/session/oidc/start"}, 404},
		{resttest.Ask{Request: "GET /api/v1/session/oidc/callback", Headers: []string{"Cookie: orth-oidc=kept"}}, 404},
		{resttest.Ask{Request: "GET /api/v1/jobs", Headers: []string{resttest.CookieHeader}}, 401},
		{resttest.Ask{Request: "GET /api/v1/jobs", Headers: []string{"Authorization: Bearer " + resttest.Token}}, 200},
		{resttest.Ask{Request: "GET /api/v1/session/ways"}, 200},
	} {
		if answer := c.Of(t, handler); answer.Code != c.want {
			t.Errorf("%s: %d %s", c.Request, answer.Code, answer.Body)
		}
	}
}

// A browser that the provider has not let in comes back to the page where it began, with
// a word of ours and none of the provider's; programs get the problem.
func TestProviderSendsBack(t *testing.T) {
	t.Parallel()
	const page = "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	const kept = "Cookie: orth-oidc=kept"
	callback := "GET /api/v1/session/oidc/callback?"
	f := &resttest.Fake{}
	on := resttest.Browsing(t, f, func(c *rest.Config) { c.SignIn.Page = "/orth/console/sign-in" })
	off := resttest.Browsing(t, f, nil)
	for query, want := range map[string]struct {
		failed string
		status int
	}{
		"state=s&error=access_denied&error_description=%3Cscript%3E": {"denied", 403},
		"code=c&state=other": {"expired", 401},
		"code=eve&state=s":   {"not_allowed", 403},
		"code=odd&state=s":   {"provider", 401},
	} {
		answer := resttest.Ask{Request: callback + query, Headers: []string{kept, page}}.Of(t, on)
		to, cookie := answer.Header().Get("Location"), answer.Header().Get("Set-Cookie")
		if answer.Code != http.StatusSeeOther || to != "/orth/console/sign-in?failed="+want.failed || answer.Body.Len() > 0 || !strings.HasPrefix(cookie, "orth-oidc=; ") {
			t.Errorf("%s: %d to %q, cookie %q %s", query, answer.Code, to, cookie, answer.Body)
		}
		for what, answer := range map[string]*httptest.ResponseRecorder{
			"a program":           resttest.Ask{Request: callback + query, Headers: []string{kept, "Accept: application/json"}}.Of(t, on),
			"one that says none":  resttest.Ask{Request: callback + query, Headers: []string{kept}}.Of(t, on),
			"without the console": resttest.Ask{Request: callback + query, Headers: []string{kept, page}}.Of(t, off),
		} {
			if answer.Code != want.status || answer.Header().Get("Location") != "" || answer.Header().Get("Content-Type") != api.ProblemType {
				t.Errorf("%s, %s: %d %v %s", query, what, answer.Code, answer.Header(), answer.Body)
			}
		}
	}
	answer := resttest.Ask{Request: callback + "code=c&state=s", Headers: []string{page}}.Of(t, on)
	if to := answer.Header().Get("Location"); to != "/orth/console/sign-in?failed=expired" {
		t.Errorf("a browser that has not begun: %d to %q", answer.Code, to)
	}
	f.Err = job.Errorf(job.Unavailable, "away")
	answer = resttest.Ask{Request: "GET /api/v1/session/oidc/start", Headers: []string{page}}.Of(t, on)
	if to := answer.Header().Get("Location"); answer.Code != http.StatusSeeOther || to != "/orth/console/sign-in?failed=provider" {
		t.Errorf("a provider that is away: %d to %q", answer.Code, to)
	}
}
