package access

import (
	"strings"

	"github.com/orthd/orth/job"
)

// String returns a grant as people write it: role@namespace/group.
func (g Grant) String() string { return string(g.Role) + "@" + g.Namespace + "/" + g.Group }

// ParseGrant reads a grant as people write it: role@namespace/group, where a missing
// group is all of the namespace, and a missing place is the whole server.
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

// Object returns where the grant is given.
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

// Giving returns the right that is needed where a role is given or taken: owners
// work with the roles up to their own, administrators with all.
func (g Grant) Giving() Right {
	if g.Role.Has(Script) || g.Role.Has(Admin) || !g.Role.Valid() {
		return Admin
	}
	return Own
}

// MayGive reports whether the principal may give a grant to others, and take it from
// them: nobody gives what he has not.
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

// Within reports whether a grant gives nothing that none of the others gives alone.
func (g Grant) Within(others []Grant) bool {
	for _, other := range others {
		if other.covers(g.Object()) && subset(g.Role, other.Role) {
			return true
		}
	}
	return false
}
