package access

import "slices"

// Right is what somebody may do with an object. The set is closed.
type Right string

// The rights.
const (
	// View is to see jobs, runs, logs, and what else has no secrets in it.
	View Right = "view"
	// Operate is to run, cancel, run again, redrive, and to take note of alarms.
	Operate Right = "operate"
	// Edit is to create, change and delete jobs, calendars, workflows, pauses, rules of alarms.
	Edit Right = "edit"
	// Script is to write code that executors run: the source of scripts, and what
	// makes it run elsewhere. It comes with no role but its own and the administrator's.
	Script Right = "script"
	// Own is to say who works in a group or namespace: tokens of executors, addresses,
	// channels of alarms, named secrets, and grants of the rights one has.
	Own Right = "own"
	// Admin is everything else: users, settings, the audit, the server itself.
	Admin Right = "admin"
)

// Rights returns all rights, the weakest first.
func Rights() []Right { return []Right{View, Operate, Edit, Script, Own, Admin} }

// Role is a named set of rights, which is what users are granted. The set is closed.
type Role string

// The roles.
const (
	Viewer   Role = "viewer"
	Operator Role = "operator"
	Editor   Role = "editor"
	// Scripter has the right to write scripts and no other: it is granted beside
	// one of the others.
	Scripter      Role = "scripter"
	Owner         Role = "owner"
	Administrator Role = "admin"
)

// Roles returns all roles, the weakest first.
func Roles() []Role { return []Role{Viewer, Operator, Editor, Scripter, Owner, Administrator} }

// Rights returns what the role may do; nil for an unknown one.
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
