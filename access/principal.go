package access

import (
	"slices"

	"github.com/orthd/orth/job"
)

// Kind is the kind of a principal.
type Kind string

// The kinds of principals.
const (
	// Person is a user who has signed in; Token is an API token of a user.
	Person Kind = "user"
	Token  Kind = "token"
	// Service is an account that has only tokens.
	Service Kind = "service"
	// System is the server itself, or a caller with the token in its data folder.
	System Kind = "system"
	// Executors are those of one group, which manage their own jobs. They have no rights.
	// The protocols define what they may do.
	Executors Kind = "group"
)

// Principal is a caller with its rights. It is a snapshot: the next request sees later
// changes of the user.
type Principal struct {
	Kind Kind
	// ID is the user's, 0 for the system. Credential is that of the token or session, 0 for
	// none.
	ID, Credential int64
	// Name is unique among users; "system" is the system's.
	Name string
	// Grants are the user's grants.
	Grants []Grant
	// Limits narrow the grants of a token. nil does not limit them; an empty list removes
	// all rights.
	Limits []Grant
	// Locked means that the user must change the password before anything else.
	Locked bool
}

// Root is the principal with all rights: the server itself.
func Root() Principal {
	return Principal{Kind: System, Name: "system", Grants: []Grant{{Administrator, All, All}}}
}

// May reports whether the principal has a right on an object.
func (p *Principal) May(right Right, o Object) bool {
	return slices.ContainsFunc(p.reach(), func(s Scope) bool { return s.Allows(right, o) })
}

// Somewhere reports whether the principal has a right on any object.
func (p *Principal) Somewhere(right Right) bool {
	return slices.ContainsFunc(p.reach(), func(s Scope) bool { return s.Role.Has(right) })
}

// Sight returns the places where the principal has a right.
func (p *Principal) Sight(right Right) Sight {
	s := Sight{}
	for _, scope := range p.reach() {
		if !scope.Role.Has(right) {
			continue
		}
		if scope.Namespace == All {
			return Sight{All: true}
		}
		if place := (Place{scope.Namespace, scope.Group}); !slices.Contains(s.Places, place) {
			s.Places = append(s.Places, place)
		}
	}
	return s
}

// Scope is a place where a principal has rights. Its Role has the rights that both the
// grant and the limit give.
type Scope = Grant

// reach returns the places where the principal has rights: each grant, narrowed by
// each limit.
func (p *Principal) reach() []Scope {
	if p.Locked {
		return nil
	}
	if p.Limits == nil {
		return p.Grants
	}
	var all []Scope
	for _, g := range p.Grants {
		for _, l := range p.Limits {
			namespace, ok := narrower(g.Namespace, l.Namespace)
			group, fits := narrower(g.Group, l.Group)
			if !ok || !fits {
				continue
			}
			for _, role := range Roles() { // the rights that two roles share are those of a role or of several
				if subset(role, g.Role) && subset(role, l.Role) {
					all = append(all, Scope{role, namespace, group})
				}
			}
		}
	}
	return all
}

// narrower returns the narrower of two names, and false when they do not overlap.
func narrower(a, b string) (string, bool) {
	switch {
	case a == All:
		return b, true
	case b == All, a == b:
		return a, true
	}
	return "", false
}

func subset(role, of Role) bool {
	for _, right := range role.Rights() {
		if !of.Has(right) {
			return false
		}
	}
	return true
}

// Sight is the set of places where a principal has a right. The zero value is empty: a list
// that it limits is empty.
type Sight struct {
	// All means everywhere.
	All    bool
	Places []Place
}

// Place is a group of a namespace, or all of one when Group is [All].
type Place struct{ Namespace, Group string }

// Sees reports whether the set includes an object.
func (s *Sight) Sees(o Object) bool {
	return s.All || slices.ContainsFunc(s.Places, func(p Place) bool {
		return p.Namespace == o.Namespace && (p.Group == All || o.Group != "" && p.Group == o.Group || o.Shared)
	})
}

// Within returns the part of the set in a namespace, and in a group of it when that is not
// empty.
func (s *Sight) Within(namespace, group string) Sight {
	if group == "" {
		group = All
	}
	if s.All {
		return Sight{Places: []Place{{namespace, group}}}
	}
	var in Sight
	for _, p := range s.Places {
		switch {
		case p.Namespace != namespace, p.Group != All && group != All && p.Group != group:
			continue
		case p.Group == All:
			p.Group = group
		}
		if !slices.Contains(in.Places, p) {
			in.Places = append(in.Places, p)
		}
	}
	return in
}

// In reports whether the set includes anything of a namespace.
func (s *Sight) In(namespace string) bool {
	return s.All || slices.ContainsFunc(s.Places, func(p Place) bool { return p.Namespace == namespace })
}

// Denied is the error for a principal that lacks a right. It reveals nothing about the
// object beyond the request.
func Denied(p *Principal, right Right) error {
	if p.Locked {
		return &job.Error{
			Kind: job.Forbidden, Message: "the password of user " + p.Name + " has to be changed first",
			Hint: "change it with 'orth user password' or in the console, then go on",
		}
	}
	return &job.Error{
		Kind: job.Forbidden, Message: p.Name + " lacks the right of " + string(right) + " here",
		Hint: "an owner of the namespace or an administrator can grant a role that has it",
	}
}
