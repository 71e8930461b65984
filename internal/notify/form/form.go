// Package form says what a kind of channel asks for, and reads it.
//
// It knows how settings and secrets are named, needed, defaulted and bounded. It
// must never know what one of them is good for, or where they are kept. The fields
// of a kind and a channel come in; the values go out, or an Invalid error that
// names the field as the user wrote it. No error has a value of a secret in it.
package form

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/job"
)

// maxValue bounds a value, in bytes; the certificates of an authority fit.
const maxValue = 16 << 10

// Field is something that a kind of channel asks for.
type Field struct {
	Name   string
	Secret bool // it stands in the channel's secrets, and nobody may see it again
	Needed bool
	// Place says that the value is where messages go: when it changes, no secret that
	// is kept goes there.
	Place bool
	// Default is what an empty value means; always empty for secrets.
	Default string
	// Lines says that the value may have several lines.
	Lines bool
	// Doc is one sentence for people.
	Doc string
	// Check says what is wrong with a value, in words that do not repeat it when it
	// is a secret; nil for nothing. It is not asked about an empty one.
	Check func(value string) error
}

// Values are the values of a channel by the names of its fields.
type Values map[string]string

// Read returns the values of a channel, with defaults in place of empty ones. A
// channel that sets what its kind does not know, lacks what it needs, or says what
// cannot be is an Invalid error about "settings.name" or "secrets.name".
func Read(fields []Field, c alarm.Channel) (Values, error) {
	if err := unknown(fields, c); err != nil {
		return nil, err
	}
	values := Values{}
	for _, f := range fields {
		value := f.of(c)
		if err := f.check(value); err != nil {
			return nil, err
		}
		if value == "" {
			value = f.Default
		}
		values[f.Name] = value
	}
	return values, nil
}

// of returns what a channel says.
func (f Field) of(c alarm.Channel) string {
	if f.Secret {
		return strings.TrimSpace(c.Secrets[f.Name])
	}
	return strings.TrimSpace(c.Settings[f.Name])
}

// path is the field's name in errors.
func (f Field) path() string {
	if f.Secret {
		return "secrets." + f.Name
	}
	return "settings." + f.Name
}

func (f Field) check(value string) error {
	switch {
	case value == "" && f.Needed:
		return job.FieldErrorf(f.path(), "it is missing: %s", f.Doc)
	case value == "":
		return nil
	case len(value) > maxValue:
		return job.FieldErrorf(f.path(), "it has %d bytes, at most %d are possible", len(value), maxValue)
	}
	for _, r := range value {
		if unicode.IsControl(r) && (!f.Lines || r != '\n' && r != '\r' && r != '\t') {
			return job.FieldErrorf(f.path(), "it has a control character or an end of line in it: remove that")
		}
	}
	if f.Check == nil {
		return nil
	}
	if err := f.Check(value); err != nil {
		return job.FieldErrorf(f.path(), "%s", err.Error())
	}
	return nil
}

// unknown finds what no field asks for, and what stands in the wrong place.
func unknown(fields []Field, c alarm.Channel) error {
	find := func(name string) (Field, bool) {
		i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
		if i < 0 {
			return Field{}, false
		}
		return fields[i], true
	}
	for _, name := range slices.Sorted(maps.Keys(c.Settings)) {
		switch f, known := find(name); {
		case !known:
			return job.FieldErrorf("settings."+name, "a channel of kind %s has no such setting: it has %s", c.Kind, names(fields, false))
		case f.Secret:
			return job.FieldErrorf("settings."+name, "it is a secret: set it among the secrets, so that nobody can read it again")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Secrets)) {
		switch f, known := find(name); {
		case !known:
			return job.FieldErrorf("secrets."+name, "a channel of kind %s has no such secret: it has %s", c.Kind, names(fields, true))
		case !f.Secret:
			return job.FieldErrorf("secrets."+name, "it is no secret: set it among the settings")
		}
	}
	return nil
}

func names(fields []Field, secret bool) string {
	var list []string
	for _, f := range fields {
		if f.Secret == secret {
			list = append(list, f.Name)
		}
	}
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

// Address is a Check for addresses of HTTP. Its errors do not repeat the address,
// which may have a token in it.
func Address(value string) error {
	u, err := url.Parse(value)
	switch {
	case err != nil:
		return job.Errorf(job.Invalid, "it is no address: write one as https://host/path")
	case u.Scheme != "https" && u.Scheme != "http":
		return job.Errorf(job.Invalid, "it begins with neither https:// nor http://")
	case u.Host == "":
		return job.Errorf(job.Invalid, "it names no host: write https://host/path")
	case u.User != nil:
		return job.Errorf(job.Invalid, "it has a user in it, which is not sent: give a header instead")
	case u.Fragment != "":
		return job.Errorf(job.Invalid, "it has a # in it, and what follows is never sent: leave that out")
	}
	return nil
}

// List splits a value at its commas and leaves out what is empty.
func List(value string) []string {
	var list []string
	for part := range strings.SplitSeq(value, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// AtMost is a Check for lists: no more than n entries, each of which one accepts.
func AtMost(n int, one func(entry string) error) func(value string) error {
	return func(value string) error {
		list := List(value)
		if len(list) > n {
			return job.Errorf(job.Invalid, "it has %d entries, at most %d are possible", len(list), n)
		}
		for _, entry := range list {
			if err := one(entry); err != nil {
				return err
			}
		}
		return nil
	}
}

// OneOf is a Check for a closed set of words.
func OneOf(words ...string) func(value string) error {
	return func(value string) error {
		if slices.Contains(words, value) {
			return nil
		}
		return job.Errorf(job.Invalid, "%q is not possible: write one of %s", value, strings.Join(words, ", "))
	}
}
