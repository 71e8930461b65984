package access

import (
	"regexp"
	"slices"
	"time"
	"unicode"

	"github.com/orthd/orth/job"
)

// The limits of users.
const (
	MaxUserName = 64
	MaxTitle    = 200
	MaxEmail    = 254
	// MaxGrants bounds the manual grants of a user, and those of an identity provider,
	// each.
	MaxGrants = 200
)

// User is an account: a person who signs in, or a service that has only tokens. It does not
// include the password.
type User struct {
	ID int64
	// Kind is [Person] or [Service]. It never changes.
	Kind Kind
	// Name is unique and never changes.
	Name         string
	Title, Email string
	// Disabled blocks password, sessions and tokens.
	Disabled bool
	// MustChange means that another user set the password. It must be changed before
	// anything else.
	MustChange bool
	// Grants were given manually. Provided were given by the identity provider at the last
	// sign-in, which replaces them.
	Grants, Provided []Grant
	// Subject is the provider's identifier of the user, prefixed by the provider; empty for
	// a local account. It is unique.
	Subject string
	// Epoch grows when password, grants or state change. Sessions of an older epoch have
	// ended.
	Epoch                int64
	CreatedAt, UpdatedAt time.Time
	// SeenAt is when the user last signed in or a token of it was used, to the minute;
	// zero for never.
	SeenAt time.Time
}

var userName = regexp.MustCompile(`^[a-z0-9]([a-z0-9._@-]*[a-z0-9])?$`)

// CheckUserName reports why a text cannot be the name of a user.
func CheckUserName(field, name string) error {
	switch {
	case name == "":
		return job.FieldErrorf(field, "is missing")
	case len(name) > MaxUserName:
		return job.FieldErrorf(field, "has %d characters, at most %d are allowed", len(name), MaxUserName)
	case !userName.MatchString(name):
		return job.FieldErrorf(field, "%q must be lower-case letters, digits, '.', '-', '_' or '@', with a letter or digit at each end", name)
	case name == Root().Name:
		return job.FieldErrorf(field, "%q is the name of the server itself", name)
	}
	return nil
}

// Check returns an error that names the invalid field of a user.
func (u *User) Check() error {
	if err := CheckUserName("name", u.Name); err != nil {
		return err
	}
	switch {
	case u.Kind != Person && u.Kind != Service:
		return job.FieldErrorf("kind", "%q is not a kind of user; use %s or %s", u.Kind, Person, Service)
	case !plain(u.Title, MaxTitle):
		return job.FieldErrorf("title", "must be one line of at most %d characters", MaxTitle)
	case !plain(u.Email, MaxEmail):
		return job.FieldErrorf("email", "must be one line of at most %d characters", MaxEmail)
	}
	return CheckGrants("grants", u.Grants)
}

// CheckGrants returns an error for an invalid list of grants.
func CheckGrants(field string, grants []Grant) error {
	if len(grants) > MaxGrants {
		return job.FieldErrorf(field, "are %d, at most %d are allowed", len(grants), MaxGrants)
	}
	for i, g := range grants {
		if err := g.Check(); err != nil {
			return err
		}
		if slices.Contains(grants[:i], g) {
			return job.FieldErrorf(field, "%s is listed twice", g)
		}
	}
	return nil
}

// Everything returns all grants of the user, from every source.
func (u *User) Everything() []Grant {
	if len(u.Provided) == 0 {
		return u.Grants
	}
	return append(slices.Clone(u.Grants), u.Provided...)
}

// Principal returns the principal of the user with a credential.
func (u *User) Principal(credential int64) Principal {
	return Principal{
		Kind: u.Kind, ID: u.ID, Credential: credential, Name: u.Name, Grants: u.Everything(), Locked: u.MustChange,
	}
}

// Administers reports whether the user is a person with a manual grant of administrator on
// the whole server, and can sign in. Once there is such a user, there always is one.
func (u *User) Administers() bool {
	return u.Kind == Person && !u.Disabled && slices.Contains(u.Grants, Grant{Administrator, All, All})
}

// plain reports whether a text is one line of at most limit characters.
func plain(text string, limit int) bool {
	return job.Clean(text, limit) == text && !containsControl(text)
}

func containsControl(text string) bool { return slices.ContainsFunc([]rune(text), unicode.IsControl) }
