package access

import "slices"

// Right is a permission on an object. The set is closed.
type Right string

// The rights.
const (
	// View allows reading jobs, runs, logs, and all else without secrets.
	View Right = "view"
	// Operate allows triggering, cancelling and rerunning, retrying dead letters, and
	// acknowledging alarms.
	Operate Right = "operate"
	// Edit allows creating, changing and deleting jobs, calendars, workflows, pauses and
	// alarm rules.
	Edit Right = "edit"
	// Script allows writing code that executors run: the source of scripts, and where it
	// runs. Only the roles scripter and admin have it.
	Script Right = "script"
	// Own allows managing a group or namespace: tokens of executors, addresses, alarm
	// channels, named secrets, and grants of the rights that one has.
	Own Right = "own"
	// Admin allows all else: users, settings, the audit log, the server itself.
	Admin Right = "admin"
)

// Rights returns all rights in ascending order.
func Rights() []Right { return []Right{View, Operate, Edit, Script, Own, Admin} }

// Role is a named set of rights. Users are granted roles. The set is closed.
type Role string

// The roles.
const (
	Viewer   Role = "viewer"
	Operator Role = "operator"
	Editor   Role = "editor"
	// Scripter has only the right to write scripts. It is granted in addition to another
	// role.
	Scripter      Role = "scripter"
	Owner         Role = "owner"
	Administrator Role = "admin"
)

// Roles returns all roles in ascending order.
func Roles() []Role { return []Role{Viewer, Operator, Editor, Scripter, Owner, Administrator} }

// Rights returns the rights of the role; nil for an unknown role.
func (r Role) Rights() []Right {
	switch r {
	case Viewer:
		return []Right{View}
	case Operator:
		return []Right{View, Operate}
	case Editor:
		return []Right{View, Operate, Edit}
	case Scripter:
		return []Right{Script}
	case Owner:
		return []Right{View, Operate, Edit, Own}
	case Administrator:
		return Rights()
	}
	return nil
}

// Has reports whether the role has a right.
func (r Role) Has(right Right) bool { return slices.Contains(r.Rights(), right) }

// Valid reports whether the role is a known one.
func (r Role) Valid() bool { return r.Rights() != nil }
