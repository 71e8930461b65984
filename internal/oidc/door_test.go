package oidc

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/users"
	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestSignIn(t *testing.T) {
	t.Parallel()
	i, accounts := newIssuer(t), &admitted{}
	d := open(t, i, accounts, nil)
	for range 2 { // the second time nothing is asked that is known
		keep, state := start(t, i, d)
		u, err := d.Finish(t.Context(), keep, Answer{Code: "good", State: state})
		if err != nil || u.Name != "ann" {
			t.Fatalf("%+v, %v", u, err)
		}
		i.rotate(t) // the next token has another key
	}
	want := users.Foreign{
		Subject: i.URL + " 4711", Name: "ann", Title: "Ann of Example", Email: "ann@example.com",
		Grants: []access.Grant{
			{Role: access.Operator, Namespace: "default", Group: "*"}, {Role: access.Viewer, Namespace: "default", Group: "*"},
		},
	}
	if diff := cmp.Diff(want, accounts.last); diff != "" {
		t.Error(diff)
	}
	if i.asked != 1 {
		t.Errorf("the provider was asked %d times about itself", i.asked)
	}
	if d.Label() != "127.0.0.1" {
		t.Errorf("it is called %q", d.Label())
	}
}

// Nothing but a token of the provider, for this client and this question, lets anybody
// in.
func TestTokensThatAreNotGood(t *testing.T) {
	t.Parallel()
	other := newIssuer(t)
	now := time.Now()
	for name, c := range map[string]struct {
		claims map[string]any
		sign   func(*issuer, map[string]any) any
		good   bool
	}{
		"as it should be":        {good: true},
		"just over, clocks off":  {claims: map[string]any{"exp": now.Add(-30 * time.Second).Unix()}, good: true},
		"over":                   {claims: map[string]any{"exp": now.Add(-2 * time.Minute).Unix()}},
		"not yet":                {claims: map[string]any{"nbf": now.Add(time.Hour).Unix()}},
		"from the future":        {claims: map[string]any{"iat": now.Add(time.Hour).Unix()}},
		"for another client":     {claims: map[string]any{"aud": "other"}},
		"for several":            {claims: map[string]any{"aud": []string{clientID, "other"}}},
		"for several, asked by":  {claims: map[string]any{"aud": []string{clientID, "other"}, "azp": clientID}, good: true},
		"asked by another":       {claims: map[string]any{"azp": "other"}},
		"of another issuer":      {claims: map[string]any{"iss": other.URL}},
		"with another nonce":     {claims: map[string]any{"nonce": strings.Repeat("x", 43)}},
		"without a nonce":        {claims: map[string]any{"nonce": ""}},
		"about nobody":           {claims: map[string]any{"sub": ""}},
		"for another access":     {claims: map[string]any{"at_hash": "x"}},
		"unsigned":               {sign: unsigned},
		"with the shared secret": {sign: shared},
		"of another key":         {sign: func(i *issuer, body map[string]any) any { return i.signed(other.key, body) }},
		"no token":               {sign: func(*issuer, map[string]any) any { return "" }},
		"no text":                {sign: func(*issuer, map[string]any) any { return 5 }},
		"rubbish":                {sign: func(*issuer, map[string]any) any { return "a.b.c" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i, accounts := newIssuer(t), &admitted{}
			i.claims, i.sign = c.claims, c.sign
			d := open(t, i, accounts, nil)
			keep, state := start(t, i, d)
			_, err := d.Finish(t.Context(), keep, Answer{Code: "good", State: state})
			if c.good != (err == nil) || !c.good && !job.Is(err, job.Unauthorized) || c.good != (accounts.last.Subject != "") {
				t.Errorf("%v; let in is %+v", err, accounts.last)
			}
		})
	}
}

// An answer counts for the browser that asked, once it comes with what the provider
// gave, and no secret gets into a log.
func TestAnswersThatAreNotGood(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	i, accounts := newIssuer(t), &admitted{}
	d := open(t, i, accounts, func(c *Config) { c.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	keep, state := start(t, i, d)
	parts := strings.Split(keep.Reveal(), ".")
	another, otherState := start(t, i, d)
	keep, another = another, keep // the issuer remembers the last question
	state, otherState = otherState, state
	for name, c := range map[string]struct {
		keep redacted.Text
		Answer
		kind job.Kind
		why  users.Refusal
	}{
		"of another question":   {keep, Answer{Code: "good", State: otherState}, job.Unauthorized, users.Expired},
		"in another browser":    {another, Answer{Code: "good", State: state}, job.Unauthorized, users.Expired},
		"without a state":       {keep, Answer{Code: "good"}, job.Unauthorized, users.Expired},
		"with an empty keep":    {redacted.New(".."), Answer{Code: "good"}, job.Unauthorized, users.Expired},
		"with rubbish":          {redacted.New("x"), Answer{Code: "good", State: "x"}, job.Unauthorized, users.Expired},
		"of another verifier":   {redacted.New(strings.Join([]string{state, parts[1], parts[2]}, ".")), Answer{Code: "good", State: state}, job.Unauthorized, users.OfProvider},
		"with another code":     {keep, Answer{Code: "stolen", State: state}, job.Unauthorized, users.OfProvider},
		"that says no":          {keep, Answer{Failure: "access_denied", State: state}, job.Forbidden, users.Denied},
		"that says no to other": {keep, Answer{Failure: "access_denied", State: otherState}, job.Unauthorized, users.Expired},
	} {
		if _, err := d.Finish(t.Context(), c.keep, c.Answer); job.KindOf(err) != c.kind || users.RefusalOf(err) != c.why {
			t.Errorf("%s: %s, %v", name, users.RefusalOf(err), err)
		}
	}
	if accounts.last.Subject != "" {
		t.Errorf("let in is %+v", accounts.last)
	}
	for _, hidden := range []string{clientSecret, parts[0], parts[1], parts[2], state} {
		if strings.Contains(log.String(), hidden) {
			t.Errorf("the log has a secret in it:\n%s", log.String())
		}
	}
	if _, err := d.Finish(t.Context(), keep, Answer{Code: "good", State: state}); err != nil {
		t.Errorf("the good one: %v", err)
	}
}

// What the token does not say is asked for, about the same person.
func TestUserInfo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		info map[string]any
		kind job.Kind // empty: let in
	}{
		"more":           {map[string]any{"sub": "4711", "preferred_username": "bob", "groups": "root"}, ""},
		"of another":     {map[string]any{"sub": "4712", "preferred_username": "bob"}, job.Unauthorized},
		"nothing":        {map[string]any{"sub": "4711"}, job.Forbidden},
		"no good name":   {map[string]any{"sub": "4711", "preferred_username": "Ann Smith"}, job.Forbidden},
		"name of a list": {map[string]any{"sub": "4711", "preferred_username": []string{"bob"}}, job.Forbidden},
		"the server":     {map[string]any{"sub": "4711", "preferred_username": "system"}, job.Forbidden},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i, accounts := newIssuer(t), &admitted{}
			i.claims, i.info = map[string]any{"preferred_username": nil, "groups": nil}, c.info
			d := open(t, i, accounts, nil)
			keep, state := start(t, i, d)
			_, err := d.Finish(t.Context(), keep, Answer{Code: "good", State: state})
			if (err == nil) != (c.kind == "") || err != nil && job.KindOf(err) != c.kind {
				t.Fatal(err)
			}
			if c.kind == "" && (accounts.last.Name != "bob" || len(accounts.last.Grants) != 2 || accounts.last.Grants[0].Role != access.Administrator) {
				t.Errorf("let in is %+v", accounts.last)
			}
		})
	}
}

// A provider that is away, has moved, calls itself otherwise or lies in a private
// network is not believed, and not asked by everybody at once.
func TestProviderIsAway(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*issuer, *Config){
		"moved":     func(i *issuer, _ *Config) { i.moved = true },
		"mismatch":  func(i *issuer, _ *Config) { i.mismatch = true },
		"private":   func(_ *issuer, c *Config) { c.Private = false },
		"not there": func(_ *issuer, c *Config) { c.Issuer += "/nothing" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newIssuer(t)
			d := open(t, i, &admitted{}, func(c *Config) { change(i, c) })
			for range 50 {
				if _, _, err := d.Start(t.Context()); !job.Is(err, job.Unavailable) {
					t.Fatal(err)
				}
			}
			if i.asked > 1 {
				t.Errorf("it was asked %d times", i.asked)
			}
		})
	}
}

// A provider that was known is believed while it is away.
func TestProviderWasKnown(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	d := open(t, i, &admitted{}, nil)
	if _, _, err := d.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.mu.Lock()
	d.askedAt = d.askedAt.Add(-2 * goodFor)
	d.mu.Unlock()
	i.moved = true
	if _, _, err := d.Start(t.Context()); err != nil || i.asked != 2 {
		t.Errorf("asked %d times: %v", i.asked, err)
	}
}

func TestParseGrant(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Grant{
		"staff=viewer@default":        {"staff", access.Grant{Role: access.Viewer, Namespace: "default", Group: "*"}},
		"cn=a,dc=b=editor@prod/batch": {"cn=a,dc=b", access.Grant{Role: access.Editor, Namespace: "prod", Group: "batch"}},
		"*=admin":                     {"*", access.Grant{Role: access.Administrator, Namespace: "*", Group: "*"}},
	} {
		if got, err := ParseGrant(text); err != nil || got != want {
			t.Errorf("%q is %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "staff", "=viewer", "staff=", "staff=king@default", "staff=viewer@"} {
		if g, err := ParseGrant(text); !job.Is(err, job.Invalid) {
			t.Errorf("%q is %+v, %v", text, g, err)
		}
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	good := Config{Issuer: "https://id.example.com/realm", ClientID: "x", Redirect: redirect}
	if _, err := New(good); err != nil {
		t.Fatal(err)
	}
	for field, change := range map[string]func(*Config){
		"oidc-issuer":    func(c *Config) { c.Issuer = "http://id.example.com" },
		"oidc-client-id": func(c *Config) { c.ClientID = "" },
		"public-url":     func(c *Config) { c.Redirect = "" },
		"oidc-grant":     func(c *Config) { c.Grants = make([]Grant, access.MaxGrants+1) },
	} {
		c := good
		change(&c)
		if _, err := New(c); !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
	for _, address := range []string{"", "id.example.com", "ftp://id.example.com", "https://a:b@id.example.com", "https://id.example.com?x=1"} {
		c := good
		c.Issuer = address
		if _, err := New(c); !job.Is(err, job.Invalid) {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestClaims(t *testing.T) {
	t.Parallel()
	all := map[string]any{
		"groups": []any{"a", 5, "b"}, "one": "c", "realm": map[string]any{"roles": []any{"d"}, "deep": map[string]any{"x": "e"}}, "a.b": "whole",
	}
	for path, want := range map[string][]string{
		"groups": {"a", "b"}, "one": {"c"}, "realm.roles": {"d"}, "realm.deep.x": {"e"}, "a.b": {"whole"},
		"": nil, "none": nil, "one.x": nil, "realm": nil, "realm.": nil, ".": nil,
	} {
		if diff := cmp.Diff(want, groups(all, path)); diff != "" {
			t.Errorf("%q: %s", path, diff)
		}
	}
}
