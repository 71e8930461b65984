package rest_test

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/rest/browser"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/rest/resttest"
)

// S04: no page of another site, no form, and no name that was pointed at the server
// changes anything with the cookie of somebody who has signed in, or signs somebody in.
func TestOtherSitesChangeNothing(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	handler := resttest.Browsing(t, f, nil)
	contents := []string{
		"", "Content-Type: application/x-www-form-urlencoded", "Content-Type: multipart/form-data; boundary=x",
		"Content-Type: text/plain", resttest.JSONContent,
	}
	wrong := map[string]resttest.Ask{
		"no origin":             {},
		"a foreign origin":      {Headers: []string{"Origin: http://evil.test"}},
		"an opaque origin":      {Headers: []string{"Origin: null"}},
		"another port":          {Headers: []string{"Origin: http://127.0.0.1:8081"}},
		"another name":          {Headers: []string{"Origin: http://localhost:8080"}},
		"a name that begins so": {Headers: []string{"Origin: http://127.0.0.1:8080.evil.test"}},
		"a user in it":          {Headers: []string{"Origin: http://127.0.0.1:8080@evil.test"}},
		"two origins":           {Headers: []string{resttest.GoodOrigin, "Origin: http://evil.test"}},
		"a foreign page":        {Headers: []string{resttest.GoodOrigin, "Sec-Fetch-Site: cross-site"}},
		"a page beside it":      {Headers: []string{resttest.GoodOrigin, "Sec-Fetch-Site: same-site"}},
		"a foreign host":        {Headers: []string{"Origin: http://evil.test:8080"}, Host: "evil.test:8080"},
		"no host":               {Headers: []string{resttest.GoodOrigin}, Host: " "},
	}
	for _, request := range resttest.Writing(t, handler) {
		for name, a := range wrong {
			for _, content := range contents {
				a.Request, a.Body = request, `{}`
				if content == "" {
					a.Body = ""
				}
				try := a
				try.Headers = append([]string{resttest.CookieHeader}, a.Headers...)
				if content != "" {
					try.Headers = append(try.Headers, content)
				}
				if answer := try.Of(t, handler); answer.Code != http.StatusForbidden {
					t.Fatalf("%s with %s, %q: %d %s", request, name, content, answer.Code, answer.Body)
				}
			}
		}
		for _, content := range contents[1:4] { // forms, from wherever
			a := resttest.Ask{Request: request, Body: `{"user":"ann","password":"right"}`, Headers: []string{resttest.CookieHeader, resttest.GoodOrigin, content}}
			if answer := a.Of(t, handler); answer.Code != http.StatusForbidden {
				t.Fatalf("%s with %q: %d %s", request, content, answer.Code, answer.Body)
			}
		}
	}
	if calls := f.Called(); calls != "" {
		t.Errorf("refused requests reached the rooms:\n%s", calls)
	}
}

// What the pages of the server itself send is let through, and what programs send with
// a token, whatever cookie is with it.
func TestOwnPages(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	handler := resttest.Browsing(t, f, func(c *rest.Config) {
		c.Browser = browser.Config{PublicURL: "https://orth.example.com/", Hosts: []string{"Orth.internal"}}
	})
	bearer := "Authorization: Bearer " + resttest.Token
	safe := "Cookie: __Host-orth=" + resttest.SessionText
	public := "Origin: https://orth.example.com"
	for name, c := range map[string]struct {
		resttest.Ask
		want int
	}{
		"a page":                           {resttest.Ask{Headers: []string{resttest.CookieHeader, resttest.GoodOrigin}}, 200},
		"a page, with metadata":            {resttest.Ask{Headers: []string{resttest.CookieHeader, resttest.GoodOrigin, "Sec-Fetch-Site: same-origin"}}, 200},
		"an address bar":                   {resttest.Ask{Headers: []string{resttest.CookieHeader, resttest.GoodOrigin, "Sec-Fetch-Site: none"}}, 200},
		"JSON":                             {resttest.Ask{Body: `{"reason":"x"}`, Headers: []string{resttest.CookieHeader, resttest.GoodOrigin, resttest.JSONContent + "; charset=utf-8"}}, 200},
		"localhost":                        {resttest.Ask{Host: "localhost:8080", Headers: []string{resttest.CookieHeader, "Origin: http://localhost:8080"}}, 200},
		"a forwarded port":                 {resttest.Ask{Host: "localhost:9", Headers: []string{resttest.CookieHeader, "Origin: http://localhost:9"}}, 200},
		"an address of IPv6":               {resttest.Ask{Host: "[::1]:8080", Headers: []string{resttest.CookieHeader, "Origin: http://[::1]:8080"}}, 200},
		"the public address":               {resttest.Ask{Host: "orth.example.com", Headers: []string{safe, public}}, 200},
		"behind a proxy":                   {resttest.Ask{Host: "127.0.0.1:8080", Headers: []string{resttest.CookieHeader, public}}, 200},
		"a further name":                   {resttest.Ask{Host: "orth.internal", Headers: []string{resttest.CookieHeader, "Origin: http://orth.internal"}}, 200},
		"over TLS":                         {resttest.Ask{Secure: true, Headers: []string{safe, "Origin: https://127.0.0.1:8080"}}, 200},
		"a token":                          {resttest.Ask{Headers: []string{bearer}}, 200},
		"a token from another site":        {resttest.Ask{Host: "evil.test", Headers: []string{bearer, resttest.CookieHeader, "Origin: http://evil.test"}}, 200},
		"a wrong token with a good cookie": {resttest.Ask{Headers: []string{"Authorization: Bearer wrong", resttest.CookieHeader, resttest.GoodOrigin}}, 401},
		"no credentials":                   {resttest.Ask{Headers: []string{resttest.GoodOrigin}}, 401},
		"a plain cookie over TLS":          {resttest.Ask{Secure: true, Headers: []string{resttest.CookieHeader, "Origin: https://127.0.0.1:8080"}}, 401},
		"a plain page over TLS":            {resttest.Ask{Secure: true, Headers: []string{safe, resttest.GoodOrigin}}, 403},
		"the public address, plain":        {resttest.Ask{Host: "orth.example.com", Headers: []string{safe, "Origin: http://orth.example.com"}}, 403},
		"two cookies":                      {resttest.Ask{Headers: []string{resttest.CookieHeader, resttest.CookieHeader, resttest.GoodOrigin}}, 401},
		"a cookie of nobody":               {resttest.Ask{Headers: []string{"Cookie: orth=forged", resttest.GoodOrigin}}, 401},
		"a text without a name for it":     {resttest.Ask{Body: "x", Headers: []string{resttest.CookieHeader, resttest.GoodOrigin}}, 403},
	} {
		c.Request = "POST /api/v1/runs/5/cancel"
		if answer := c.Of(t, handler); answer.Code != c.want {
			t.Errorf("%s: %d %s", name, answer.Code, answer.Body)
		}
	}
	for name, c := range map[string]struct {
		resttest.Ask
		want int
	}{
		"a page reads":                 {resttest.Ask{Headers: []string{resttest.CookieHeader}}, 200},
		"a name that was pointed here": {resttest.Ask{Host: "evil.test", Headers: []string{resttest.CookieHeader}}, 403},
	} {
		c.Request = "GET /api/v1/runs/5"
		if answer := c.Of(t, handler); answer.Code != c.want {
			t.Errorf("%s: %d %s", name, answer.Code, answer.Body)
		}
	}
}

// Every answer has the headers, whatever it is an answer to.
func TestHeaders(t *testing.T) {
	t.Parallel()
	handler := resttest.Browsing(t, &resttest.Fake{}, nil)
	bearer := "Authorization: Bearer " + resttest.Token
	for _, a := range []resttest.Ask{
		{Request: "GET /api/v1/version", Headers: []string{bearer, "Origin: http://evil.test"}},
		{Request: "GET /api/v1/version", Headers: []string{bearer}, Secure: true},
		{Request: "GET /api/v1/version"},
		{Request: "GET /api/v1/nothing", Headers: []string{bearer}},
		{Request: "OPTIONS /api/v1/jobs", Headers: []string{"Origin: http://evil.test", "Access-Control-Request-Method: POST"}},
		{Request: "GET /healthz"},
	} {
		answer := a.Of(t, handler).Header()
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
			"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'", "Cross-Origin-Opener-Policy": "same-origin",
			"Strict-Transport-Security": map[bool]string{true: "max-age=15768000"}[a.Secure],
		} {
			if got := answer.Get(name); got != want {
				t.Errorf("%s: %s is %q", a.Request, name, got)
			}
		}
		for name := range answer {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s: %s lets other sites read it", a.Request, name)
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
	f := &resttest.Fake{}
	handler := resttest.Browsing(t, f, func(c *rest.Config) {
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
		a := resttest.Ask{Request: "POST /api/v1/session", From: c.from, Body: `{"user":"ann","password":"x"}`, Headers: []string{resttest.GoodOrigin, resttest.JSONContent}}
		if c.header != "" {
			a.Headers = append(a.Headers, "X-Forwarded-For: "+c.header)
		}
		a.Of(t, handler)
		if got := f.Called(); got != "password of ann from "+c.want {
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
		c := (&resttest.Fake{}).Config()
		c.Browser = b
		if _, err := rest.New(c); err == nil {
			t.Errorf("%+v was taken", b)
		}
	}
}
