package app

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/internal/redacted"
)

// tab is a page of a browser, which says where its requests come from, and keeps and
// sends cookies of the server as SameSite tells it.
type tab struct {
	*testing.T

	home    string // the server's origin
	client  http.Client
	cookies map[string]*http.Cookie
}

func newTab(t *testing.T, server string) *tab {
	t.Helper()
	b := &tab{T: t, home: server, cookies: map[string]*http.Cookie{}}
	b.client = http.Client{Timeout: 20 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	t.Cleanup(b.client.CloseIdleConnections)
	return b
}

// send makes one request. site is where it comes from, as browsers call it: what comes
// from another site brings no strict cookie along, and only one that leads to a page
// brings any.
func (b *tab) send(method, address, site, accept string) (*http.Response, string) {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), method, address, http.NoBody)
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Accept", accept)
	r.Header.Set("Sec-Fetch-Site", site)
	if method != http.MethodGet {
		r.Header.Set("Origin", b.home)
	}
	ours := strings.HasPrefix(address, b.home+"/")
	for _, c := range b.cookies {
		if ours && (site != "cross-site" || c.SameSite == http.SameSiteLaxMode) {
			r.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
		}
	}
	answer, err := b.client.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range answer.Cookies() {
		if !c.HttpOnly || c.Path != "/" || c.SameSite != http.SameSiteLaxMode && c.SameSite != http.SameSiteStrictMode {
			b.Errorf("a cookie that others can use: %s", c)
		}
		if delete(b.cookies, c.Name); c.MaxAge >= 0 {
			b.cookies[c.Name] = c
		}
	}
	return answer, string(text)
}

// visit goes to an address as a click does, wherever it leads, and returns where it ends.
func (b *tab) visit(address string) (end *url.URL, status int, text string) {
	b.Helper()
	site := "same-origin"
	for range 10 {
		answer, text := b.send(http.MethodGet, address, site, "text/html,*/*;q=0.8")
		next, err := answer.Location()
		if err != nil {
			return answer.Request.URL, answer.StatusCode, text
		}
		if next.Host != answer.Request.URL.Host {
			site = "cross-site" // and so it stays for what it leads to
		}
		address = next.String()
	}
	b.Fatalf("the way never ends: %s", address)
	return nil, 0, ""
}

// fetch asks the API as the page does that is open.
func (b *tab) fetch(method, path string) (int, string) {
	b.Helper()
	answer, text := b.send(method, b.home+path, "same-origin", "application/json")
	return answer.StatusCode, text
}

// TestSignInByAProvider goes the way of a browser: from the console to the provider and
// back, with the rights that the groups there stand for, and out again; with and without
// a path before all that the server has.
func TestSignInByAProvider(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]string{"at the root": "", "behind a path": "/ops"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, listen := newCompany(t), vacant(t)
			home := "http://" + listen
			c.redirect = home + before + "/api/v1/session/oidc/callback"
			beginWith(t, Config{Data: t.TempDir(), Listen: listen, PublicURL: home + before, NoFirstUser: true, SignIn: SignIn{OIDC: OIDC{
				Issuer: c.URL, ClientID: oidcClient, ClientSecret: redacted.New(oidcSecret), AllowPrivate: true, Label: "The company",
				Grants: []string{"ops=operator@default", "bosses=admin"},
			}}})
			comeAndGo(t, c, newTab(t, home), before)
		})
	}
}

// vacant returns an address at which nobody listens.
func vacant(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func comeAndGo(t *testing.T, c *company, b *tab, before string) {
	t.Helper()
	api, start := before+"/api/v1", b.home+before+"/api/v1/session/oidc/start"
	want := func(status int, method, path, contains string) {
		t.Helper()
		if got, text := b.fetch(method, api+path); got != status || !strings.Contains(text, contains) {
			t.Errorf("%s %s: %d, not %d with %q: %s", method, path, got, status, contains, text)
		}
	}
	page := func(address, path, query string) {
		t.Helper()
		if end, status, text := b.visit(address); end.Path != before+path || end.RawQuery != query || status != http.StatusOK || !strings.Contains(text, "<html") {
			t.Fatalf("%s leads to %s: %d %.300s", address, end, status, text)
		}
	}
	page(b.home+before+"/console/sign-in", "/console/sign-in", "")
	want(http.StatusOK, "GET", "/session/ways", `"The company"`)
	want(http.StatusUnauthorized, "GET", "/session", "")

	page(start, "/console/sign-in", "failed=denied") // who has no account
	c.employs(map[string]any{"preferred_username": "peter", "groups": []string{"ops"}})
	page(start, "/console/", "")
	want(http.StatusOK, "GET", "/session", `"user":"peter"`)
	want(http.StatusOK, "GET", "/session", `"grants":["operator@default/*"]`)
	want(http.StatusOK, "GET", "/jobs", "")
	want(http.StatusForbidden, "GET", "/users", "")
	copied := *b.cookies["orth"]

	// An answer is good once, and not without the cookie of who began.
	if end, _, _ := b.visit(c.redirect + "?code=made-up&state=made-up"); end.RawQuery != "failed=expired" {
		t.Errorf("an answer that nobody asked for leads to %s", end)
	}

	// The company makes him a boss: that counts from the next sign-in on, and ends what was.
	c.employs(map[string]any{"preferred_username": "peter", "groups": []string{"bosses", "chess"}})
	want(http.StatusForbidden, "GET", "/users", "")
	page(start, "/console/", "")
	want(http.StatusOK, "GET", "/users", `"peter"`)
	stale := newTab(t, b.home)
	stale.cookies["orth"] = &copied
	if status, text := stale.fetch("GET", api+"/session"); status != http.StatusUnauthorized {
		t.Errorf("the session with the old rights goes on: %d %s", status, text)
	}

	// He signs out: his cookie is gone, and good for nobody who has copied it.
	copied = *b.cookies["orth"]
	want(http.StatusNoContent, "DELETE", "/session", "")
	if len(b.cookies) != 0 {
		t.Errorf("after signing out the browser keeps %v", b.cookies)
	}
	want(http.StatusUnauthorized, "GET", "/session", "")
	if status, text := stale.fetch("GET", api+"/session"); status != http.StatusUnauthorized {
		t.Errorf("who has copied the cookie goes on: %d %s", status, text)
	}
	c.employs(map[string]any{"preferred_username": "admin two", "groups": []string{}, "sub": "4712"})
	page(start, "/console/sign-in", "failed=not_allowed") // a name that cannot be one here
}
