package rest_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/rest/browser"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/rest/resttest"
	"github.com/orthd/orth/job"
)

// door is another door's way into the API.
type door struct {
	api *rest.API
	f   *resttest.Fake
}

func newDoor(t *testing.T, change func(*rest.Config)) door {
	t.Helper()
	f := &resttest.Fake{}
	handler := resttest.Browsing(t, f, func(c *rest.Config) {
		c.Callers = resttest.Tokens{
			"ada":  {Kind: access.Token, ID: 4, Credential: 2, Name: "ada"},
			"boss": {Kind: access.Token, ID: 5, Credential: 3, Name: "boss", Grants: access.Root().Grants},
		}
		c.Browser = browser.Config{Hosts: []string{"orth.internal"}, Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
		if change != nil {
			change(c)
		}
	})
	api, is := handler.(*rest.API)
	if !is {
		t.Fatalf("the API is a %T", handler)
	}
	return door{api, f}
}

// admit shows the API a request that came in by the door.
func (d door) admit(t *testing.T, a resttest.Ask, credential, session string) (context.Context, error) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1:8080/elsewhere", http.NoBody)
	r.RemoteAddr = "192.0.2.7:5000"
	if a.From != "" {
		r.RemoteAddr = a.From
	}
	if a.Host != "" {
		r.Host = a.Host
	}
	for _, header := range a.Headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Add(name, value)
	}
	return d.api.Admit(r, credential, session)
}

// send makes a request of the API in the caller's place.
func (d door) send(ctx context.Context, t *testing.T, request, body string) (status int, text string) {
	t.Helper()
	method, path, _ := strings.Cut(request, " ")
	r, err := http.NewRequestWithContext(ctx, method, "http://any.test"+guard.Prefix+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := d.api.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	read, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(read)
}

// Other doors let in whom the API lets in. Programs, which send no Origin, may hold a
// session; pages of other sites may not.
func TestAdmit(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	const name, evil = "Origin: http://orth.internal", "Origin: http://evil.test"
	for what, c := range map[string]struct {
		resttest.Ask
		credential, session string
		want                string // who, or a kind
	}{
		"the server's token":                     {credential: resttest.Token, want: access.Root().Name},
		"a user's token":                         {credential: "ada", want: "ada"},
		"a wrong token":                          {credential: "wrong", want: "unauthorized"},
		"a wrong token with a session":           {credential: "wrong", session: resttest.SessionText, want: "unauthorized"},
		"a token from another site":              {Ask: resttest.Ask{Headers: []string{evil}, Host: "evil.test"}, credential: "ada", want: "ada"},
		"a token that is a session's":            {credential: resttest.SessionText, want: "unauthorized"},
		"a session":                              {session: resttest.SessionText, want: "ann"},
		"a session that is a token":              {session: "ada", want: "unauthorized"},
		"a session that is over":                 {session: "old", want: "unauthorized"},
		"a session from a page of the server":    {Ask: resttest.Ask{Headers: []string{name, "Sec-Fetch-Site: same-origin"}, Host: "orth.internal"}, session: resttest.SessionText, want: "ann"},
		"a session from an address bar":          {Ask: resttest.Ask{Headers: []string{"Sec-Fetch-Site: none"}}, session: resttest.SessionText, want: "ann"},
		"a session from another site":            {Ask: resttest.Ask{Headers: []string{evil}}, session: resttest.SessionText, want: "forbidden"},
		"a session from a frame in a sandbox":    {Ask: resttest.Ask{Headers: []string{"Origin: null"}}, session: resttest.SessionText, want: "forbidden"},
		"a session of two origins":               {Ask: resttest.Ask{Headers: []string{name, evil}, Host: "orth.internal"}, session: resttest.SessionText, want: "forbidden"},
		"a session from a sister site":           {Ask: resttest.Ask{Headers: []string{"Sec-Fetch-Site: same-site"}}, session: resttest.SessionText, want: "forbidden"},
		"a session from a link of another site":  {Ask: resttest.Ask{Headers: []string{"Sec-Fetch-Site: cross-site"}}, session: resttest.SessionText, want: "forbidden"},
		"a session after DNS rebinding":          {Ask: resttest.Ask{Headers: []string{evil}, Host: "evil.test"}, session: resttest.SessionText, want: "forbidden"},
		"a link after DNS rebinding":             {Ask: resttest.Ask{Headers: []string{"Sec-Fetch-Site: same-origin"}, Host: "evil.test"}, session: resttest.SessionText, want: "forbidden"},
		"nobody":                                 {want: "nobody"},
		"a sign-in from another site":            {Ask: resttest.Ask{Headers: []string{evil}}, want: "forbidden"},
		"a program by a name that is not known":  {Ask: resttest.Ask{Host: "elsewhere.test"}, session: resttest.SessionText, want: "ann"},
		"who has to change the password to work": {session: resttest.LockedText, want: "ann, locked"},
	} {
		ctx, err := d.admit(t, c.Ask, c.credential, c.session)
		got := "nobody"
		if err != nil {
			got = string(job.KindOf(err))
		} else if who := intent.Caller(ctx); who.Locked {
			got = who.Name + ", locked"
		} else if who.Name != "" {
			got = who.Name
		}
		if got != c.want {
			t.Errorf("%s: %s (%v), want %s", what, got, err, c.want)
		}
	}
	if _, err := newDoor(t, func(c *rest.Config) { c.Sessions = nil }).admit(t, resttest.Ask{}, "", resttest.SessionText); job.KindOf(err) != job.Unauthorized {
		t.Errorf("a session of a server without sessions: %v", err)
	}
}

// What another door sends is a request of the API like any other: of whom it was
// admitted as, from where the caller is, with the right that it needs.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	const signIn = `{"user":"ann","password":"right"}`
	for what, c := range map[string]struct {
		resttest.Ask
		credential, session, request, body string
		want                               int
		called                             string // begins with it
	}{
		"who may":         {credential: resttest.Token, request: "POST /jobs/report/start", want: 200, called: "start"},
		"who may not":     {credential: "ada", request: "POST /jobs/report/start", want: 403},
		"who is locked":   {session: resttest.LockedText, request: "POST /jobs/report/start", want: 403},
		"nobody":          {request: "POST /jobs/report/start", want: 403},
		"nobody reads":    {request: "GET /jobs/report", want: 403},
		"no such way":     {credential: resttest.Token, request: "POST /nowhere", want: 404},
		"another method":  {credential: resttest.Token, request: "PUT /jobs/report/start", want: 405},
		"a broken body":   {credential: resttest.Token, request: "POST /jobs", body: "{", want: 400},
		"a sign-in":       {Ask: resttest.Ask{From: "127.0.0.1:5"}, request: "POST /session", body: signIn, want: 200, called: "password of ann from 127.0.0.1"},
		"a plain sign-in": {request: "POST /session", body: signIn, want: 403},
		"behind a proxy": {
			Ask:     resttest.Ask{From: "10.0.0.1:5", Headers: []string{"X-Forwarded-For: 127.0.0.1"}},
			request: "POST /session", body: signIn, want: 200, called: "password of ann from 127.0.0.1",
		},
	} {
		ctx, err := d.admit(t, c.Ask, c.credential, c.session)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		d.f.Called()
		status, body := d.send(ctx, t, c.request, c.body)
		if called := d.f.Called(); status != c.want || !strings.HasPrefix(called, c.called) || c.called == "" && called != "" {
			t.Errorf("%s: %d %s\nthe rooms were asked %q, want %d and %q", what, status, body, called, c.want, c.called)
		}
	}
}

// A request that never was admitted is nobody's, whatever credential it carries: only
// Admit looks at credentials.
func TestRoundTripLooksAtNoCredential(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1:8080"+guard.Prefix+"/jobs/report/start", http.NoBody)
	r.Header.Set("Authorization", "Bearer "+resttest.Token)
	r.Header.Set("Cookie", "orth="+resttest.SessionText)
	answer, err := d.api.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode < 400 {
		t.Errorf("status %d; the rooms were asked %q", answer.StatusCode, d.f.Called())
	}
}

// Guessing costs at every door, and what a caller sends by another door has the rates of
// the API.
func TestRatesOfDoors(t *testing.T) {
	t.Parallel()
	d := newDoor(t, func(c *rest.Config) { c.Rates.Strangers, c.Rates.Writing = 3, 3 })
	const enough = 20
	wrong := func(from string) (full int) {
		for range enough {
			if _, err := d.admit(t, resttest.Ask{From: from}, "wrong", ""); job.KindOf(err) == job.Full {
				full++
			}
		}
		return full
	}
	if got := wrong("192.0.2.7:1"); got == 0 || got == enough {
		t.Errorf("of %d wrong tokens %d were turned away", enough, got)
	}
	ctx, err := d.admit(t, resttest.Ask{From: "192.0.2.7:1"}, "boss", "")
	if err != nil {
		t.Fatalf("a good token after them: %v", err)
	}
	late := 0
	for range enough {
		if status, _ := d.send(ctx, t, "POST /jobs/report/start", ""); status == http.StatusTooManyRequests {
			late++
		}
	}
	if late == 0 || late == enough {
		t.Errorf("of %d changes %d were turned away", enough, late)
	}
}
