package access_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/orthd/orth/access"
)

var (
	places  = []string{"a", "b", "c"}
	objects = func() (all []access.Object) {
		all = append(all, access.Server())
		for _, ns := range places {
			all = append(all, access.Object{Namespace: ns}, access.Object{Namespace: ns, Shared: true})
			for _, group := range places {
				all = append(all, access.Object{Namespace: ns, Group: group})
			}
		}
		return all
	}()
)

func grants(r *rapid.T, label string) []access.Grant {
	grant := rapid.Custom(func(r *rapid.T) access.Grant {
		g := access.Grant{
			Role:      rapid.SampledFrom(access.Roles()).Draw(r, "role"),
			Namespace: rapid.SampledFrom(append(places, access.All)).Draw(r, "namespace"),
			Group:     rapid.SampledFrom(append(places, access.All)).Draw(r, "group"),
		}
		if g.Namespace == access.All {
			g.Group = access.All
		}
		return g
	})
	return rapid.SliceOfN(grant, 0, 4).Draw(r, label)
}

// A list that is narrowed by a sight shows what the principal may see one by one,
// and nothing else.
func TestSightIsWhatMayIs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		p := access.Principal{Grants: grants(r, "grants")}
		if rapid.Bool().Draw(r, "limited") {
			p.Limits = append([]access.Grant{}, grants(r, "limits")...)
		}
		p.Locked = rapid.IntRange(0, 9).Draw(r, "locked") == 0
		for _, right := range access.Rights() {
			sight, somewhere := p.Sight(right), false
			for _, o := range objects {
				may := p.May(right, o)
				somewhere = somewhere || may
				if o.Shared && right != access.View {
					continue
				}
				if sees := sight.Sees(o); sees != may {
					t.Fatalf("%+v: %s on %+v is %t, in sight %t", p, right, o, may, sees)
				}
			}
			if somewhere && !p.Somewhere(right) {
				r.Fatalf("%+v has %s nowhere, it is said", p, right)
			}
		}
	})
}

// Rights only come from grants that say so.
func TestDenyByDefault(t *testing.T) {
	t.Parallel()
	for _, p := range []access.Principal{
		{},
		{Grants: []access.Grant{{Role: "root", Namespace: "*", Group: "*"}}},
		{Grants: access.Root().Grants, Limits: []access.Grant{}},
		{Grants: access.Root().Grants, Locked: true},
		{Grants: []access.Grant{{Role: access.Administrator, Namespace: "d", Group: "*"}, {Role: access.Administrator, Namespace: "a", Group: "d"}}},
	} {
		for _, o := range objects {
			for _, right := range access.Rights() {
				if p.May(right, o) && !o.Shared {
					t.Errorf("%+v may %s %+v", p, right, o)
				}
			}
		}
	}
}

// What each role may do on a group, on its namespace, next to it and on the server.
func TestRoles(t *testing.T) {
	t.Parallel()
	here, whole, shared := access.Object{Namespace: "a", Group: "a"}, access.Object{Namespace: "a"}, access.Object{Namespace: "a", Shared: true}
	for _, c := range []struct {
		role access.Role
		want []access.Right
	}{
		{access.Viewer, []access.Right{access.View}},
		{access.Operator, []access.Right{access.View, access.Operate}},
		{access.Editor, []access.Right{access.View, access.Operate, access.Edit}},
		{access.Scripter, []access.Right{access.Script}},
		{access.Owner, []access.Right{access.View, access.Operate, access.Edit, access.Own}},
		{access.Administrator, access.Rights()},
	} {
		for _, right := range access.Rights() {
			has := slices.Contains(c.want, right)
			narrow := access.Principal{Grants: []access.Grant{{Role: c.role, Namespace: "a", Group: "a"}}}
			wide := access.Principal{Grants: []access.Grant{{Role: c.role, Namespace: "a", Group: access.All}}}
			if narrow.May(right, here) != has || wide.May(right, here) != has || wide.May(right, whole) != has {
				t.Errorf("%s may %s where it was granted: want %t", c.role, right, has)
			}
			if narrow.May(right, whole) || narrow.May(right, access.Object{Namespace: "a", Group: "b"}) ||
				narrow.May(right, access.Object{Namespace: "b", Group: "a"}) || wide.May(right, access.Server()) || wide.May(right, access.Object{Namespace: "b"}) {
				t.Errorf("%s may %s beside what was granted", c.role, right)
			}
			if want := has && right == access.View; narrow.May(right, shared) != want {
				t.Errorf("%s may %s what is shared: want %t", c.role, right, want)
			}
		}
	}
}

func TestCheckGrant(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		g    access.Grant
		good bool
	}{
		{access.Grant{Role: access.Viewer, Namespace: "a", Group: "*"}, true},
		{access.Grant{Role: access.Viewer, Namespace: "*", Group: "*"}, true},
		{access.Grant{Role: access.Viewer, Namespace: "*", Group: "a"}, false},
		{access.Grant{Role: "root", Namespace: "*", Group: "*"}, false},
		{access.Grant{Role: access.Viewer, Group: "*"}, false},
		{access.Grant{Role: access.Viewer, Namespace: "a"}, false},
	} {
		if err := c.g.Check(); (err == nil) != c.good {
			t.Errorf("%+v: %v", c.g, err)
		}
	}
}
