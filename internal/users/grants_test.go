package users

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

func drawGrant(r *rapid.T) access.Grant {
	g := access.Grant{
		Role:      rapid.SampledFrom(access.Roles()).Draw(r, "role"),
		Namespace: rapid.SampledFrom([]string{"a", "b", access.All}).Draw(r, "namespace"),
		Group:     rapid.SampledFrom([]string{"x", "y", access.All}).Draw(r, "group"),
	}
	if g.Namespace == access.All {
		g.Group = access.All
	}
	return g
}

func drawGrants(r *rapid.T, label string) []access.Grant {
	return rapid.SliceOfNDistinct(rapid.Custom(drawGrant), 0, 3, func(g access.Grant) access.Grant { return g }).Draw(r, label)
}

func everything() (all []access.Object) {
	all = append(all, access.Server())
	for _, ns := range []string{"a", "b", "c"} {
		for _, group := range []string{"", "x", "y", "z"} {
			all = append(all, access.Object{Namespace: ns, Group: group})
		}
	}
	return all
}

// wider returns what one may and the other may not.
func wider(p, than *access.Principal) (access.Right, access.Object, bool) {
	for _, o := range everything() {
		for _, right := range access.Rights() {
			if p.May(right, o) && !than.May(right, o) {
				return right, o, true
			}
		}
	}
	return "", access.Object{}, false
}

// Whatever is granted, nobody has got anything from it that the giver does not have.
func TestGrantsNeverWiden(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		u, _ := room()
		ctx := t.Context()
		giver := access.Principal{Kind: access.Person, ID: 77, Name: "giver", Grants: drawGrants(r, "grants")}
		if rapid.Bool().Draw(r, "limited") {
			giver.Limits = append([]access.Grant{}, drawGrants(r, "limits")...)
		}
		had := access.User{Kind: access.Service, Name: "taker", Grants: drawGrants(r, "had")}
		taker, _, err := u.CreateUser(ctx, had, redacted.Text{})
		if err != nil {
			r.Fatal(err)
		}
		g := drawGrant(r)
		after, err := u.GiveGrant(as(ctx, giver), "taker", g)
		if err != nil {
			if !job.Is(err, job.Forbidden) {
				r.Fatalf("refused with %v", err)
			}
			if giver.MayGive(g) {
				r.Fatalf("%+v may give %s, and is refused: %v", giver, g, err)
			}
			if now, err := u.User(ctx, "taker"); err != nil || !slices.Equal(now.Grants, taker.Grants) {
				r.Fatalf("after a refusal: %+v, %v", now, err)
			}
			return
		}
		fresh := access.User{Kind: access.Service, Name: "fresh", Grants: []access.Grant{g}}
		p := fresh.Principal(0)
		if right, o, found := wider(&p, &giver); found {
			r.Fatalf("%+v gave %s, which may %s %+v", giver, g, right, o)
		}
		if !slices.Contains(after.Grants, g) {
			r.Fatalf("%s is not among %v", g, after.Grants)
		}
		back, err := u.TakeGrant(as(ctx, giver), "taker", g)
		if err != nil || slices.Contains(back.Grants, g) || back.Epoch <= after.Epoch {
			r.Fatalf("taken back: %+v, %v", back, err)
		}
	})
}

// A token that a token makes may do no more, and lasts no longer.
func TestTokensNeverWiden(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		u, _ := room()
		ctx := t.Context()
		_, _, err := u.CreateUser(ctx, access.User{Kind: access.Service, Name: "ci", Grants: drawGrants(r, "grants")}, redacted.Text{})
		if err != nil {
			r.Fatal(err)
		}
		wish := func(label string) access.APIToken {
			t := access.APIToken{Limits: drawGrants(r, label)}
			if len(t.Limits) == 0 {
				t.Limits = nil
			}
			if hours := rapid.IntRange(0, 3).Draw(r, "hours "+label); hours > 0 {
				t.ExpiresAt = time.Now().Add(time.Duration(hours) * time.Hour)
			}
			return t
		}
		parent, text, err := u.AddToken(as(ctx, access.Root()), "ci", wish("parent"))
		if err != nil {
			r.Fatal(err)
		}
		caller, err := u.Caller(ctx, text.Reveal())
		if err != nil {
			r.Fatal(err)
		}
		child, text, err := u.AddToken(as(ctx, caller), "ci", wish("child"))
		if err != nil {
			if !job.Is(err, job.Invalid) {
				r.Fatalf("refused with %v", err)
			}
			return
		}
		made, err := u.Caller(ctx, text.Reveal())
		if err != nil {
			r.Fatal(err)
		}
		if right, o, found := wider(&made, &caller); found {
			r.Fatalf("%+v made %+v, which may %s %+v", caller, made, right, o)
		}
		if !parent.ExpiresAt.IsZero() && (child.ExpiresAt.IsZero() || child.ExpiresAt.After(parent.ExpiresAt)) {
			r.Fatalf("a token until %s made one until %s", parent.ExpiresAt, child.ExpiresAt)
		}
	})
}

func TestGrantsOfOneself(t *testing.T) {
	t.Parallel()
	u, _ := room()
	ctx := t.Context()
	admin := access.Grant{Role: access.Administrator, Namespace: access.All, Group: access.All}
	user, err := makePerson(ctx, u, "ada", admin)
	if err != nil {
		t.Fatal(err)
	}
	user.MustChange = false
	self := as(ctx, user.Principal(0))
	if _, err := u.GiveGrant(self, "ada", viewer("a")); !job.Is(err, job.Forbidden) {
		t.Errorf("to oneself: %v", err)
	}
	if _, err := makePerson(ctx, u, "bob"); err != nil {
		t.Fatal(err)
	}
	first, err := u.GiveGrant(self, "bob", viewer("a"))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := u.GiveGrant(self, "bob", viewer("a")); err != nil || again.Epoch != first.Epoch || len(again.Grants) != 1 {
		t.Errorf("again: %+v, %v", again, err)
	}
	if _, err := u.TakeGrant(self, "bob", viewer("b")); !job.Is(err, job.NotFound) {
		t.Errorf("what he does not have: %v", err)
	}
	if _, err := u.TakeGrant(self, "ada", admin); err != nil { // the store keeps the last one
		t.Errorf("from oneself: %v", err)
	}
	if _, err := u.GiveGrant(self, "nobody", viewer("a")); !job.Is(err, job.NotFound) {
		t.Errorf("to nobody: %v", err)
	}
	if _, err := u.GiveGrant(ctx, "nobody", viewer("a")); !job.Is(err, job.Forbidden) {
		t.Errorf("by nobody, to nobody: %v", err)
	}
}

func TestGrantsAreListed(t *testing.T) {
	t.Parallel()
	u, _ := room()
	ctx := t.Context()
	server := access.Grant{Role: access.Viewer, Namespace: access.All, Group: access.All}
	group := access.Grant{Role: access.Editor, Namespace: "a", Group: "x"}
	if _, err := makePerson(ctx, u, "bob", viewer("a"), viewer("b"), server); err != nil {
		t.Fatal(err)
	}
	if _, err := u.Admit(ctx, Foreign{Subject: "s", Name: "ada", Grants: []access.Grant{group}}); err != nil {
		t.Fatal(err)
	}
	all := []Held{{"ada", group, true}, {"bob", viewer("a"), false}, {"bob", viewer("b"), false}, {"bob", server, false}}
	for name, c := range map[string]struct {
		sight                  access.Sight
		namespace, user, after string
		limit                  int
		want                   []Held
	}{
		"all":           {access.Sight{All: true}, "", "", "", 10, all},
		"nothing":       {access.Sight{}, "", "", "", 10, nil},
		"of a place":    {access.Sight{Places: []access.Place{{Namespace: "a", Group: "x"}}}, "", "", "", 10, all[:1]},
		"of a space":    {access.Sight{Places: []access.Place{{Namespace: "a", Group: access.All}}}, "", "", "", 10, all[:2]},
		"asked for":     {access.Sight{All: true}, "b", "", "", 10, all[2:3]},
		"server-wide":   {access.Sight{All: true}, access.All, "", "", 10, all[3:]},
		"of a user":     {access.Sight{All: true}, "", "ada", "", 10, all[:1]},
		"a page":        {access.Sight{All: true}, "", "", "", 1, all[:1]},
		"the next page": {access.Sight{All: true}, "", "", "ada", 1, all[1:]},
		"the last page": {access.Sight{All: true}, "", "", "bob", 1, nil},
	} {
		got, err := u.Grants(ctx, c.sight, c.namespace, c.user, c.after, c.limit)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, %v, want %v", name, got, err, c.want)
		}
	}
}

func FuzzTokenKey(f *testing.F) {
	token, _ := newToken()
	for _, seed := range []string{token.Reveal(), "", "orth_", "orthg_abc", token.Reveal() + "x", "orth_" + string(make([]byte, keyLength+secretLength))} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		key, ok := tokenKey(text)
		if ok != (key != "") {
			t.Fatalf("%q: key %q, %t", text, key, ok)
		}
		if !ok {
			return
		}
		if len(text) != tokenLength || text[:len(tokenPrefix)] != tokenPrefix || text[len(tokenPrefix):len(tokenPrefix)+keyLength] != key {
			t.Errorf("%q has the key %q", text, key)
		}
		for _, c := range text[len(tokenPrefix):] {
			if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
				t.Errorf("%q is taken", text)
			}
		}
	})
}
