package job

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of named secrets.
const (
	// MinSecret is the shortest value, in bytes: a shorter one would be found in logs
	// where it is no secret, so it could not be hidden there.
	MinSecret = 8
	// MaxSecret is the longest value, in bytes.
	MaxSecret = 64 << 10
	// MaxSecretGroups is the groups that a secret may be limited to.
	MaxSecretGroups = 64
)

// Secret is the metadata of a value that jobs refer to by its key. The value is never shown
// again and is not part of it.
type Secret struct {
	ID int64
	// Namespace and Key name it: together they are unique.
	Namespace, Key string
	Title          string
	// Groups are those whose jobs may refer to it, sorted; none means all of the
	// namespace.
	Groups []string
	// Version grows by one with each change by a user.
	Version int64
	// CreatedBy and UpdatedBy are the names of the users.
	CreatedBy, UpdatedBy string
	CreatedAt, UpdatedAt time.Time
	// ReplacedAt is when the value was set, UsedAt when it last went out with a task,
	// to the minute; zero for never.
	ReplacedAt, UsedAt time.Time
}

// Check reports what is wrong with a secret, in terms of its fields.
func (s *Secret) Check() error {
	if err := CheckKey("namespace", s.Namespace); err != nil {
		return err
	}
	if err := CheckKey("key", s.Key); err != nil {
		return err
	}
	switch {
	case utf8.RuneCountInString(s.Title) > MaxTitle:
		return FieldErrorf("title", "has more than %d characters", MaxTitle)
	case !utf8.ValidString(s.Title) || strings.ContainsRune(s.Title, 0):
		return FieldErrorf("title", "must be valid UTF-8 without NUL characters")
	case len(s.Groups) > MaxSecretGroups:
		return FieldErrorf("groups", "are %d, at most %d are allowed; leave them out for all of the namespace", len(s.Groups), MaxSecretGroups)
	}
	for _, group := range s.Groups {
		if err := CheckGroup("groups", group); err != nil {
			return err
		}
	}
	return nil
}

// Serves reports whether jobs of a group in the secret's namespace may refer to it.
func (s *Secret) Serves(group string) bool {
	return len(s.Groups) == 0 || slices.Contains(s.Groups, group)
}

// CheckSecretValue reports why a text cannot be the value of a secret. The error does
// not repeat it.
func CheckSecretValue(field, value string) error {
	switch {
	case value == "":
		return FieldErrorf(field, "is missing")
	case len(value) > MaxSecret:
		return FieldErrorf(field, "has %d bytes, at most %d are allowed", len(value), MaxSecret)
	case !utf8.ValidString(value) || strings.ContainsRune(value, 0):
		return FieldErrorf(field, "must be valid UTF-8 without NUL characters: encode anything else, in base64 for example")
	}
	for line := range strings.Lines(value) {
		if line = strings.TrimSpace(line); len(line) >= MinSecret && strings.Trim(line, "*") != "" {
			return nil
		}
	}
	return FieldErrorf(field, "must have a line of at least %d bytes: a shorter text stands in many logs by chance, so it could not be hidden there", MinSecret)
}
