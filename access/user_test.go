package access_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/access"
)

func TestCheckUserName(t *testing.T) {
	t.Parallel()
	for name, good := range map[string]bool{
		"a": true, "ada": true, "ada.l@example.com": true, "ci-deploy_2": true, "7": true,
		"": false, "Ada": false, ".ada": false, "ada.": false, "a b": false, "a/b": false, "a\n": false, "ädä": false, "system": false,
		strings.Repeat("a", 64): true, strings.Repeat("a", 65): false,
	} {
		if err := access.CheckUserName("name", name); (err == nil) != good {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestParseGrant(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]access.Grant{
		"admin":            {Role: access.Administrator, Namespace: "*", Group: "*"},
		"viewer@default":   {Role: access.Viewer, Namespace: "default", Group: "*"},
		"owner@a/b":        {Role: access.Owner, Namespace: "a", Group: "b"},
		"editor@*/*":       {Role: access.Editor, Namespace: "*", Group: "*"},
		"":                 {},
		"root":             {},
		"viewer@":          {},
		"viewer@a/":        {},
		"viewer@*/a":       {},
		"viewer@default@x": {},
		"viewer@a/b c":     {},
	} {
		got, err := access.ParseGrant(text)
		if (err != nil) != (want == access.Grant{}) || got != want {
			t.Errorf("%q: got %+v, %v", text, got, err)
		}
		if err == nil {
			if again, err := access.ParseGrant(got.String()); err != nil || again != got {
				t.Errorf("%q is written as %q, which is %+v, %v", text, got, again, err)
			}
		}
	}
}

// A grant within others gives nothing that they do not give.
func TestWithin(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		all := append(grants(r, "others"), grants(r, "one")...)
		if len(all) == 0 {
			return
		}
		one, others := all[0], all[1:]
		if !one.Within(others) {
			return
		}
		p, q := access.Principal{Grants: []access.Grant{one}}, access.Principal{Grants: others}
		for _, o := range objects {
			for _, right := range access.Rights() {
				if p.May(right, o) && !q.May(right, o) {
					r.Fatalf("%s may %s %+v, and %v may not", one, right, o, others)
				}
			}
		}
	})
}

// Nobody may give what he has not, wherever.
func TestMayGive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		p := access.Principal{Grants: grants(r, "grants")}
		for _, g := range grants(r, "given") {
			if !p.MayGive(g) {
				continue
			}
			taker := access.Principal{Grants: []access.Grant{g}}
			for _, o := range objects {
				for _, right := range access.Rights() {
					if taker.May(right, o) && !p.May(right, o) {
						r.Fatalf("%+v may give %s, and has no %s on %+v", p, g, right, o)
					}
				}
			}
		}
	})
	owner := access.Principal{Grants: []access.Grant{{Role: access.Owner, Namespace: "a", Group: access.All}}}
	for text, may := range map[string]bool{
		"viewer@a": true, "owner@a": true, "editor@a/x": true,
		"scripter@a": false, "admin@a": false, "viewer@b": false, "viewer": false,
	} {
		g, err := access.ParseGrant(text)
		if err != nil {
			t.Fatal(err)
		}
		if owner.MayGive(g) != may {
			t.Errorf("an owner of a may give %s: want %t", text, may)
		}
	}
}

func TestUser(t *testing.T) {
	t.Parallel()
	admin := access.Grant{Role: access.Administrator, Namespace: access.All, Group: access.All}
	narrow := access.Grant{Role: access.Administrator, Namespace: "a", Group: access.All}
	for name, c := range map[string]struct {
		user access.User
		want bool
	}{
		"a person":          {access.User{Kind: access.Person, Grants: []access.Grant{narrow, admin}}, true},
		"a service":         {access.User{Kind: access.Service, Grants: []access.Grant{admin}}, false},
		"disabled":          {access.User{Kind: access.Person, Grants: []access.Grant{admin}, Disabled: true}, false},
		"of one place":      {access.User{Kind: access.Person, Grants: []access.Grant{narrow}}, false},
		"by a provider":     {access.User{Kind: access.Person, Provided: []access.Grant{admin}}, false},
		"who has to change": {access.User{Kind: access.Person, Grants: []access.Grant{admin}, MustChange: true}, true},
	} {
		if c.user.Administers() != c.want {
			t.Errorf("%s administers: want %t", name, c.want)
		}
	}
	u := access.User{ID: 3, Kind: access.Person, Name: "ada", Grants: []access.Grant{narrow}, Provided: []access.Grant{admin}, MustChange: true}
	p := u.Principal(7)
	if p.ID != 3 || p.Credential != 7 || !p.Locked || len(p.Grants) != 2 || len(u.Grants) != 1 {
		t.Errorf("the principal is %+v of %+v", p, u)
	}
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	token := access.APIToken{ID: 9, Limits: []access.Grant{narrow}, ExpiresAt: now}
	if p := token.Principal(&u); p.Kind != access.Token || p.Credential != 9 || len(p.Limits) != 1 || !p.Locked {
		t.Errorf("the token's principal is %+v", p)
	}
	u.Kind = access.Service
	if p := token.Principal(&u); p.Kind != access.Service {
		t.Errorf("a service's token is a %s", p.Kind)
	}
	if token.Expired(now.Add(-1)) || !token.Expired(now) || (&access.APIToken{}).Expired(now) {
		t.Error("it expires at another time than it says")
	}
	for name, c := range map[string]access.APIToken{
		"no limits": {Limits: []access.Grant{}}, "over": {ExpiresAt: now}, "two lines": {Label: "a\nb"},
		"a wrong limit": {Limits: []access.Grant{{Role: "root"}}}, "long": {Label: strings.Repeat("x", 201)},
	} {
		if err := c.Check(now); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	if err := (&access.APIToken{Label: "метка", ExpiresAt: now.Add(1)}).Check(now); err != nil {
		t.Error(err)
	}
	many := make([]access.Grant, access.MaxGrants+1)
	if err := access.CheckGrants("grants", many); err == nil {
		t.Error("too many grants are taken")
	}
}
