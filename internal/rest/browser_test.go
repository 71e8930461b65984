package rest_test

import (
	"encoding/json"
	"net/http"
	"net/netip"
	"regexp"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/rest/browser"
	"github.com/orthd/orth/internal/rest/guard"
)

const (
	cookieHeader = "Cookie: orth=" + sessionText
	goodOrigin   = "Origin: http://127.0.0.1:8080"
	jsonContent  = "Content-Type: application/json"
)

// writing returns all methods and paths that change something, as the document has
// them.
func writing(t *testing.T, handler http.Handler) []string {
	t.Helper()
	var document struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	answer := ask{request: "GET /api/v1/openapi.json", headers: []string{"Authorization: Bearer " + token}}.of(t, handler)
	if err := json.Unmarshal(answer.Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	var all []string
	parameter := regexp.MustCompile(`\{[^}]*\}`)
	for path, methods := range document.Paths {
		for method := range methods {
			if method = strings.ToUpper(method); method != http.MethodGet {
				all = append(all, method+" /api/v1"+parameter.ReplaceAllString(strings.TrimPrefix(path, "/api/v1"), "1"))
			}
		}
	}
	if len(all) < 50 {
		t.Fatalf("only %d operations that change something were found", len(all))
	}
	return all
}

// S04: no page of another site, no form, and no name that was pointed at the server
// changes anything with the cookie of somebody who has signed in, or signs somebody in.
func TestOtherSitesChangeNothing(t *testing.T) {
	t.Parallel()
	f := &fake{}
	handler := browsing(t, f, nil)
	contents := []string{
		"", "Content-Type: application/x-www-form-urlencoded", "Content-Type: multipart/form-data; boundary=x",
		"Content-Type: text/plain", jsonContent,
	}
	wrong := map[string]ask{
		"no origin":             {},
		"a foreign origin":      {headers: []string{"Origin: http://evil.test"}},
		"an opaque origin":      {headers: []string{"Origin: null"}},
		"another port":          {headers: []string{"Origin: http://127.0.0.1:8081"}},
		"another name":          {headers: []string{"Origin: http://localhost:8080"}},
		"a name that begins so": {headers: []string{"Origin: http://127.0.0.1:8080.evil.test"}},
		"a user in it":          {headers: []string{"Origin: http://127.0.0.1:8080@evil.test"}},
		"two origins":           {headers: []string{goodOrigin, "Origin: http://evil.test"}},
		"a foreign page":        {headers: []string{goodOrigin, "Sec-Fetch-Site: cross-site"}},
		"a page beside it":      {headers: []string{goodOrigin, "Sec-Fetch-Site: same-site"}},
		"a foreign host":        {headers: []string{"Origin: http://evil.test:8080"}, host: "evil.test:8080"},
		"no host":               {headers: []string{goodOrigin}, host: " "},
	}
	for _, request := range writing(t, handler) {
		for name, a := range wrong {
			for _, content := range contents {
				a.request, a.body = request, `{}`
				if content == "" {
					a.body = ""
				}
				try := a
				try.headers = append([]string{cookieHeader}, a.headers...)
				if content != "" {
					try.headers = append(try.headers, content)
				}
				if answer := try.of(t, handler); answer.Code != http.StatusForbidden {
					t.Fatalf("%s with %s, %q: %d %s", request, name, content, answer.Code, answer.Body)
				}
			}
		}
		for _, content := range contents[1:4] { // forms, from wherever
			a := ask{request: request, body: `{"user":"ann","password":"right"}`, headers: []string{cookieHeader, goodOrigin, content}}
			if answer := a.of(t, handler); answer.Code != http.StatusForbidden {
				t.Fatalf("%s with %q: %d %s", request, content, answer.Code, answer.Body)
			}
		}
	}
	if calls := f.called(); calls != "" {
		t.Errorf("refused requests reached the rooms:\n%s", calls)
	}
}

// What the pages of the server itself send is let through, and what programs send with
// a token, whatever cookie is with it.
func TestOwnPages(t *testing.T) {
	t.Parallel()
	f := &fake{}
	handler := browsing(t, f, func(c *rest.Config) {
		c.Browser = browser.Config{PublicURL: "https://orth.example.com/", Hosts: []string{"Orth.internal"}}
	})
	bearer := "Authorization: Bearer " + token
	safe := "Cookie: __Host-orth=" + sessionText
	public := "Origin: https://orth.example.com"
	for name, c := range map[string]struct {
		ask
		want int
	}{
		"a page":                           {ask{headers: []string{cookieHeader, goodOrigin}}, 200},
		"a page, with metadata":            {ask{headers: []string{cookieHeader, goodOrigin, "Sec-Fetch-Site: same-origin"}}, 200},
		"an address bar":                   {ask{headers: []string{cookieHeader, goodOrigin, "Sec-Fetch-Site: none"}}, 200},
		"JSON":                             {ask{body: `{"reason":"x"}`, headers: []string{cookieHeader, goodOrigin, jsonContent + "; charset=utf-8"}}, 200},
		"localhost":                        {ask{host: "localhost:8080", headers: []string{cookieHeader, "Origin: http://localhost:8080"}}, 200},
		"a forwarded port":                 {ask{host: "localhost:9", headers: []string{cookieHeader, "Origin: http://localhost:9"}}, 200},
		"an address of IPv6":               {ask{host: "[::1]:8080", headers: []string{cookieHeader, "Origin: http://[::1]:8080"}}, 200},
		"the public address":               {ask{host: "orth.example.com", headers: []string{safe, public}}, 200},
		"behind a proxy":                   {ask{host: "127.0.0.1:8080", headers: []string{cookieHeader, public}}, 200},
		"a further name":                   {ask{host: "orth.internal", headers: []string{cookieHeader, "Origin: http://orth.internal"}}, 200},
		"over TLS":                         {ask{secure: true, headers: []string{safe, "Origin: https://127.0.0.1:8080"}}, 200},
		"a token":                          {ask{headers: []string{bearer}}, 200},
		"a token from another site":        {ask{host: "evil.test", headers: []string{bearer, cookieHeader, "Origin: http://evil.test"}}, 200},
		"a wrong token with a good cookie": {ask{headers: []string{"Authorization: Bearer wrong", cookieHeader, goodOrigin}}, 401},
		"no credentials":                   {ask{headers: []string{goodOrigin}}, 401},
		"a plain cookie over TLS":          {ask{secure: true, headers: []string{cookieHeader, "Origin: https://127.0.0.1:8080"}}, 401},
		"a plain page over TLS":            {ask{secure: true, headers: []string{safe, goodOrigin}}, 403},
		"the public address, plain":        {ask{host: "orth.example.com", headers: []string{safe, "Origin: http://orth.example.com"}}, 403},
		"two cookies":                      {ask{headers: []string{cookieHeader, cookieHeader, goodOrigin}}, 401},
		"a cookie of nobody":               {ask{headers: []string{"Cookie: orth=forged", goodOrigin}}, 401},
		"a text without a name for it":     {ask{body: "x", headers: []string{cookieHeader, goodOrigin}}, 403},
	} {
		c.request = "POST /api/v1/runs/5/cancel"
		if answer := c.of(t, handler); answer.Code != c.want {
			t.Errorf("%s: %d %s", name, answer.Code, answer.Body)
		}
	}
	for name, c := range map[string]struct {
		ask
		want int
	}{
		"a page reads":                 {ask{headers: []string{cookieHeader}}, 200},
		"a name that was pointed here": {ask{host: "evil.test", headers: []string{cookieHeader}}, 403},
	} {
		c.request = "GET /api/v1/runs/5"
		if answer := c.of(t, handler); answer.Code != c.want {
			t.Errorf("%s: %d %s", name, answer.Code, answer.Body)
		}
	}
}

// Every answer has the headers, whatever it is an answer to.
func TestHeaders(t *testing.T) {
	t.Parallel()
	handler := browsing(t, &fake{}, nil)
	bearer := "Authorization: Bearer " + token
	for _, a := range []ask{
		{request: "GET /api/v1/version", headers: []string{bearer, "Origin: http://evil.test"}},
		{request: "GET /api/v1/version", headers: []string{bearer}, secure: true},
		{request: "GET /api/v1/version"},
		{request: "GET /api/v1/nothing", headers: []string{bearer}},
		{request: "OPTIONS /api/v1/jobs", headers: []string{"Origin: http://evil.test", "Access-Control-Request-Method: POST"}},
		{request: "GET /healthz"},
	} {
		answer := a.of(t, handler).Header()
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
			"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'", "Cross-Origin-Opener-Policy": "same-origin",
			"Strict-Transport-Security": map[bool]string{true: "max-age=15768000"}[a.secure],
		} {
			if got := answer.Get(name); got != want {
				t.Errorf("%s: %s is %q", a.request, name, got)
			}
		}
		for name := range answer {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s: %s lets other sites read it", a.request, name)
			}
		}
	}
	if strings.Contains(guard.PageCSP, "unsafe") || !strings.Contains(guard.PageCSP, "default-src 'none'") {
		t.Errorf("pages run what is written into them: %s", guard.PageCSP)
	}
}

// Only trusted proxies say whom they speak for, and nobody before them is believed.
func TestForwarded(t *testing.T) {
	t.Parallel()
	f := &fake{}
	handler := browsing(t, f, func(c *rest.Config) {
		c.Browser.PlainSignIn = true
		c.Browser.Proxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	})
	for _, c := range []struct{ from, header, want string }{
		{"192.0.2.7:5000", "", "192.0.2.7"},
		{"192.0.2.7:5000", "198.51.100.1", "192.0.2.7"},
		{"10.0.0.1:5000", "", "10.0.0.1"},
		{"10.0.0.1:5000", "198.51.100.1", "198.51.100.1"},
		{"10.0.0.1:5000", "127.0.0.1, 198.51.100.1", "198.51.100.1"},
		{"10.0.0.1:5000", "198.51.100.1, 10.2.3.4", "198.51.100.1"},
		{"10.0.0.1:5000", "10.9.9.9, 10.2.3.4", "10.0.0.1"},
		{"10.0.0.1:5000", "198.51.100.1, rubbish", "10.0.0.1"},
		{"10.0.0.1:5000", "::ffff:198.51.100.1", "198.51.100.1"},
		{"[::1]:5000", "2001:db8::5", "2001:db8::5"},
	} {
		a := ask{request: "POST /api/v1/session", from: c.from, body: `{"user":"ann","password":"x"}`, headers: []string{goodOrigin, jsonContent}}
		if c.header != "" {
			a.headers = append(a.headers, "X-Forwarded-For: "+c.header)
		}
		a.of(t, handler)
		if got := f.called(); got != "password of ann from "+c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

func TestBrowserSettings(t *testing.T) {
	t.Parallel()
	for _, b := range []browser.Config{
		{PublicURL: "orth.example.com"},
		{PublicURL: "ftp://orth.example.com"},
		{PublicURL: "https://"},
		{PublicURL: "https://%zz"},
		{Hosts: []string{""}},
		{Hosts: []string{"*.example.com"}},
		{Hosts: []string{"https://a"}},
		{Hosts: []string{"a:80"}},
	} {
		c := (&fake{}).config()
		c.Browser = b
		if _, err := rest.New(c); err == nil {
			t.Errorf("%+v was taken", b)
		}
	}
}
