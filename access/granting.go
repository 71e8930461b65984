package access

import (
	"strings"

	"github.com/orthd/orth/job"
)

// String returns a grant in its text form: role@namespace/group.
func (g Grant) String() string { return string(g.Role) + "@" + g.Namespace + "/" + g.Group }

// ParseGrant parses a grant in its text form, role@namespace/group. Without a group it
// covers the namespace, and without a place the whole server.
func ParseGrant(text string) (Grant, error) {
	role, place, placed := strings.Cut(text, "@")
	g := Grant{Role: Role(role), Namespace: All, Group: All}
	if placed {
		namespace, group, grouped := strings.Cut(place, "/")
		g.Namespace = namespace
		if grouped {
			g.Group = group
		}
	}
	if err := g.Check(); err != nil {
		return Grant{}, job.Errorf(job.Invalid, "%q is not a grant such as operator@default/billing: %w", text, err)
	}
	return g, nil
}

// Object returns the grant's place.
func (g Grant) Object() Object {
	o := Object{Namespace: g.Namespace, Group: g.Group}
	if o.Namespace == All {
		o.Namespace = ""
	}
	if o.Group == All {
		o.Group = ""
	}
	return o
}

// Giving returns the right that is needed to give or revoke the grant. Owners may handle
// roles up to their own, administrators all.
func (g Grant) Giving() Right {
	if g.Role.Has(Script) || g.Role.Has(Admin) || !g.Role.Valid() {
		return Admin
	}
	return Own
}

// MayGive reports whether the principal may give a grant to others, and revoke it. A
// principal can grant only roles that it holds.
func (p *Principal) MayGive(g Grant) bool {
	if !p.May(g.Giving(), g.Object()) {
		return false
	}
	for _, right := range g.Role.Rights() {
		if !p.May(right, g.Object()) {
			return false
		}
	}
	return true
}

// Within reports whether one of the others gives all that the grant gives.
func (g Grant) Within(others []Grant) bool {
	for _, other := range others {
		if other.covers(g.Object()) && subset(g.Role, other.Role) {
			return true
		}
	}
	return false
}
