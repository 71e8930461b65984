package access

import "github.com/orthd/orth/job"

// All matches every namespace, or every group, in a [Grant].
const All = "*"

// Object is the stored object that a right is needed on.
type Object struct {
	// Namespace is empty for objects of the whole server: users, settings.
	Namespace string
	// Group is empty for objects without a group: calendars, workflows, alarms of a
	// namespace.
	Group string
	// Shared makes the object visible to every principal that may see anything in its
	// namespace: a calendar.
	Shared bool
}

// Server is the object for the whole server.
func Server() Object { return Object{} }

// Grant gives a role in one place. A grant on a group gives no rights on objects of the
// namespace as a whole.
type Grant struct {
	Role Role `json:"role"`
	// Namespace is one namespace, or [All] for the whole server.
	Namespace string `json:"namespace"`
	// Group is one group of the namespace, or [All] for the whole namespace.
	Group string `json:"group"`
}

// Check returns an error that names the invalid field of a grant.
func (g Grant) Check() error {
	switch {
	case !g.Role.Valid():
		return job.FieldErrorf("role", "%q is no role; use viewer, operator, editor, scripter, owner or admin", g.Role)
	case g.Namespace == "":
		return job.FieldErrorf("namespace", "is missing; name one, or %q for all of them", All)
	case g.Group == "":
		return job.FieldErrorf("group", "is missing; name one, or %q for all of them", All)
	case g.Namespace == All && g.Group != All:
		return job.FieldErrorf("group", "must be %q in all namespaces: a group belongs to one", All)
	}
	if g.Namespace != All {
		if err := job.CheckKey("namespace", g.Namespace); err != nil {
			return err
		}
	}
	if g.Group != All {
		return job.CheckGroup("group", g.Group)
	}
	return nil
}

// covers reports whether the object lies in the grant's place.
func (g Grant) covers(o Object) bool {
	return (g.Namespace == All || o.Namespace != "" && g.Namespace == o.Namespace) &&
		(g.Group == All || o.Group != "" && g.Group == o.Group)
}

// Allows reports whether the grant gives a right on an object.
func (g Grant) Allows(right Right, o Object) bool {
	if !g.Role.Has(right) {
		return false
	}
	return g.covers(o) || right == View && o.Shared && g.Namespace == o.Namespace
}
