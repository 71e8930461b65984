package api

import "github.com/orthd/orth/access"

// Grant is a role in a place.
type Grant struct {
	Role      access.Role `json:"role" enum:"viewer,operator,editor,scripter,owner,admin" doc:"The rights in this place; GET /roles returns the rights of each role."`
	Namespace string      `json:"namespace" minLength:"1" maxLength:"64" doc:"One namespace, or * for all of them and the server itself."`
	Group     string      `json:"group" minLength:"1" maxLength:"64" doc:"One group of the namespace, or * for all of it."`
}

// User is an account: a person who signs in, or a service that only has tokens.
type User struct {
	ID         ID          `json:"id"`
	Name       string      `json:"name" doc:"Names the user everywhere; it never changes."`
	Kind       access.Kind `json:"kind" enum:"user,service" doc:"A person who signs in, or a service that only has tokens."`
	Title      string      `json:"title,omitempty" doc:"The display name of the user."`
	Email      string      `json:"email,omitempty"`
	Disabled   bool        `json:"disabled" doc:"Nothing of the user is good: neither password, session nor token."`
	MustChange bool        `json:"must_change_password" doc:"The password was set by another user: it must be changed before anything else is allowed."`
	External   bool        `json:"external" doc:"The account is that of a provider of identities."`
	Grants     []Grant     `json:"grants" nullable:"false" doc:"Given by hand."`
	Provided   []Grant     `json:"provided,omitempty" doc:"Given by the provider of identities at the last sign-in, which replaces them."`
	CreatedAt  Time        `json:"created_at" format:"date-time"`
	UpdatedAt  Time        `json:"updated_at" format:"date-time"`
	SeenAt     Time        `json:"seen_at,omitzero" format:"date-time" doc:"When the user was seen last, within a minute; absent for never."`
}

// UserList is a page of users: in order of their names, or as they were sorted.
type UserList struct {
	Users []User `json:"users" nullable:"false"`
	Next  string `json:"next,omitempty" doc:"Send it as after, with the same sort, for the next page; absent on the last one."`
}

// NewUser is a wish for a user.
type NewUser struct {
	Name     string      `json:"name" minLength:"1" maxLength:"64" doc:"Lower-case letters, digits, '.', '-', '_' and '@', with a letter or digit at each end."`
	Kind     access.Kind `json:"kind,omitempty" enum:"user,service" default:"user" doc:"A person who signs in, or a service that only has tokens."`
	Title    string      `json:"title,omitempty" maxLength:"200"`
	Email    string      `json:"email,omitempty" maxLength:"254"`
	Password string      `json:"password,omitempty" writeOnly:"true" doc:"10 to 128 characters. Without it one is made for a person, and shown this once. It has to be changed at the first sign-in."`
	// PasswordHash is a foreign hash.
	PasswordHash string  `json:"password_hash,omitempty" writeOnly:"true" maxLength:"100" doc:"Instead of a password: the hash that XXL-JOB (MD5 or SHA-256 in hex) or the older Orth (bcrypt) has of it. It is taken at the first sign-in, and replaced then. That of a password that others try first is refused."`
	Grants       []Grant `json:"grants,omitempty" maxItems:"200"`
}

// MadeUser is a user as it was made.
type MadeUser struct {
	User

	Password string `json:"password,omitempty" doc:"The password that was made, which is never shown again."`
}

// UserPatch changes a user; absent fields stay as they are.
type UserPatch struct {
	Title *string `json:"title,omitempty" maxLength:"200" doc:"The display name of the user; null removes it."`
	Email *string `json:"email,omitempty" maxLength:"254" doc:"Null removes it."`
}

// NewPassword is a password that an administrator sets.
type NewPassword struct {
	Password string `json:"password" minLength:"1" writeOnly:"true" doc:"10 to 128 characters."`
	Final    bool   `json:"final,omitempty" doc:"The user need not change it at the next sign-in."`
}

// HeldGrant is a grant that a user has.
type HeldGrant struct {
	User string `json:"user" doc:"The user's name."`
	Grant

	Provided bool `json:"provided,omitempty" doc:"The identity provider granted it: it can only be revoked there."`
}

// GrantList is a page of grants in order of the names of users.
type GrantList struct {
	Grants []HeldGrant `json:"grants" nullable:"false"`
	Next   string      `json:"next,omitempty" doc:"Send it as after for the next page; absent on the last one."`
}

// NewGrant is a wish to grant a user a role in a place.
type NewGrant struct {
	User string `json:"user" minLength:"1" maxLength:"64" doc:"The user's name."`
	Grant
}

// Me is the caller.
type Me struct {
	Kind       access.Kind `json:"kind" enum:"user,token,service,system" doc:"A person who signed in, a token of one, a service, or the server itself."`
	Name       string      `json:"name"`
	MustChange bool        `json:"must_change_password" doc:"Nothing else is allowed until the password is changed."`
	Grants     []Grant     `json:"grants" nullable:"false" doc:"The grants of the user."`
	Limits     []Grant     `json:"limits,omitempty" doc:"The limits of a token; absent for none."`
}

// Role is a named set of rights.
type Role struct {
	Role   access.Role    `json:"role"`
	Rights []access.Right `json:"rights" nullable:"false" doc:"The rights of the role, the weakest first."`
}

// RoleList is all roles, the weakest first.
type RoleList struct {
	Roles []Role `json:"roles" nullable:"false"`
}

// FromUser returns the user as the API shows it.
func FromUser(u *access.User) User {
	return User{
		ID: ID(u.ID), Name: u.Name, Kind: u.Kind, Title: u.Title, Email: u.Email, Disabled: u.Disabled, MustChange: u.MustChange,
		External: u.Subject != "", Grants: FromGrants(u.Grants), Provided: FromGrants(u.Provided),
		CreatedAt: At(u.CreatedAt), UpdatedAt: At(u.UpdatedAt), SeenAt: At(u.SeenAt),
	}
}

// FromGrants returns grants as the API shows them, never nil.
func FromGrants(grants []access.Grant) []Grant {
	all := make([]Grant, len(grants))
	for i, g := range grants {
		all[i] = Grant(g)
	}
	return all
}

// ToGrants returns grants as the server knows them; nil stays nil.
func ToGrants(grants []Grant) []access.Grant {
	if grants == nil {
		return nil
	}
	all := make([]access.Grant, len(grants))
	for i, g := range grants {
		all[i] = access.Grant(g)
	}
	return all
}

// FromPrincipal returns the caller as the API shows it.
func FromPrincipal(p *access.Principal) Me {
	me := Me{Kind: p.Kind, Name: p.Name, MustChange: p.Locked, Grants: FromGrants(p.Grants)}
	if p.Limits != nil {
		me.Limits = FromGrants(p.Limits)
	}
	return me
}

// FromRole returns the role as the API shows it.
func FromRole(r access.Role) Role { return Role{Role: r, Rights: r.Rights()} }
