package app

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// named answers with its name and the path that it was asked for.
func named(name string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, name+" "+r.URL.Path) })
}

func askFront(f front, method, path, accept string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	r.Header.Set("Accept", accept)
	w := httptest.NewRecorder()
	f.spokenFor = func(r *http.Request) *http.Request { return r }
	f.secure = func(h http.Header, _ *http.Request) { h.Set("Secured", "yes") }
	f.ServeHTTP(w, r)
	return w
}

// Every answer has the headers of answers, also those to executors and to nobody.
func TestHeadersOfAllDoors(t *testing.T) {
	t.Parallel()
	s := begin(t)
	for _, path := range []string{
		"/", "/nothing", "/api/registry", "/xxl-job-admin/api/callback", "/api", "/orth/v1/register", "/orth/v1/nothing", "/jobinfo/pageList", "/login", "/healthz", "/api/v1/me",
		"/api/v1/docs", "/api/v1/openapi.json",
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodOptions} {
			r, err := http.NewRequestWithContext(t.Context(), method, s.URL()+path, strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Origin", "http://evil.test")
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			for name, want := range map[string]string{
				"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
				"Content-Security-Policy": "frame-ancestors 'none'", "Access-Control-Allow-Origin": "", "Strict-Transport-Security": "",
			} {
				if got := answer.Header.Get(name); !strings.Contains(got, want) || want == "" && got != "" {
					t.Errorf("%s %s: %s is %q", method, path, name, got)
				}
			}
		}
	}
}

func TestFrontKnowsTheDoors(t *testing.T) {
	t.Parallel()
	f := front{api: named("api"), native: named("native"), wire: named("wire"), admin: named("admin"), console: named("console")}
	within := f
	within.before = "/ops"
	without := f
	without.console = nil
	for _, tc := range []struct {
		front      front
		path, want string
	}{
		{f, "/api/v1/jobs", "api /api/v1/jobs"},
		{f, "/healthz", "api /healthz"},
		{f, "/console", "console /console"},
		{f, "/console/jobs/7", "console /console/jobs/7"},
		{f, "/consoles", "wire /consoles"},
		{f, "/api/registry", "wire /api/registry"},
		{f, "/xxl-job-admin/api/registry", "wire /xxl-job-admin/api/registry"},
		{f, "/ops/console/", "wire /ops/console/"},
		{f, "/jobinfo/pageList", "admin /jobinfo/pageList"},
		{f, "/xxl-job-admin/jobgroup/save", "admin /xxl-job-admin/jobgroup/save"},
		{f, "/orth-admin//joblog/logKill", "admin /orth-admin//joblog/logKill"},
		{f, "/login", "admin /login"},
		{f, "/xxl-job-admin/auth/doLogin", "admin /xxl-job-admin/auth/doLogin"},
		{f, "/logins", "wire /logins"},
		{f, "/jobinfo", "admin /jobinfo"},
		{f, "/api/jobinfo/add", "wire /api/jobinfo/add"},
		{within, "/ops/console/jobs", "console /console/jobs"},
		{within, "/ops/api/v1/me", "api /api/v1/me"},
		{within, "/ops/readyz", "api /readyz"},
		{f, "//api/registry/", "wire //api/registry/"},
		{f, "/xxl-job-admin/joblog//pageList/", "admin /xxl-job-admin/joblog//pageList/"},
		{f, "//orth//v1/register/", "native //orth//v1/register/"},
		{within, "/ops/api/registry", "wire /api/registry"},
		{within, "/ops//api/registry/", "wire //api/registry/"},
		{within, "/ops/jobinfo/add", "admin /jobinfo/add"},
		{within, "/ops/xxl-job-admin/login", "admin /xxl-job-admin/login"},
		{within, "/xxl-job-admin/jobinfo/add", "admin /xxl-job-admin/jobinfo/add"},
		{within, "/ops/orth/v1/register", "native /ops/orth/v1/register"},
		{within, "/orth-admin/api/registry", "wire /orth-admin/api/registry"},
		{within, "/ops/elsewhere", "wire /ops/elsewhere"},
		{within, "/console/", "console /console/"},
		{without, "/console/", "wire /console/"},
	} {
		if got := askFront(tc.front, http.MethodGet, tc.path, "text/html").Body.String(); got != tc.want {
			t.Errorf("%s (before %q): %q, not %q", tc.path, tc.front.before, got, tc.want)
		}
	}
}

func TestFrontLeadsPeopleToTheConsole(t *testing.T) {
	t.Parallel()
	f := front{console: named("console"), wire: named("wire"), version: "1", before: "/ops"}
	for _, path := range []string{"/", "/ops/"} {
		if w := askFront(f, http.MethodGet, path, "text/html,*/*;q=0.8"); w.Code != http.StatusFound || w.Header().Get("Location") != "console/" {
			t.Errorf("%s: %d to %q", path, w.Code, w.Header().Get("Location"))
		}
	}
	if w := askFront(f, http.MethodGet, "/", "*/*"); w.Code != http.StatusOK || !strings.HasPrefix(w.Body.String(), "Orth 1\n") {
		t.Errorf("a program: %d %s", w.Code, w.Body)
	}
	f.console = nil
	if w := askFront(f, http.MethodGet, "/", "text/html"); w.Code != http.StatusOK {
		t.Errorf("without a console: %d", w.Code)
	}
}

func TestPublicPath(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"": "", "https://orth.example.com": "", "https://orth.example.com/": "", "https://example.com/ops/orth/": "/ops/orth",
	} {
		if got := (&Config{PublicURL: address}).publicPath(); got != want {
			t.Errorf("%q: %q, not %q", address, got, want)
		}
	}
}

func TestConsoleIsServed(t *testing.T) {
	t.Parallel()
	for _, off := range []bool{false, true} {
		pages, err := (&Config{NoConsole: off}).console()
		if err != nil || (pages == nil) != off {
			t.Errorf("NoConsole %v: %v, %v", off, pages, err)
		}
	}
}
