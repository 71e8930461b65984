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

// maxValue bounds a value, in bytes. It leaves room for CA certificates.
const maxValue = 16 << 10

// Field is a setting or a secret of a channel kind.
type Field struct {
	Name   string
	Secret bool // stored with the channel's secrets, write-only
	Needed bool
	// Place marks the destination of messages. When it changes, stored secrets are not sent
	// to it.
	Place bool
	// Default is the value of an empty field; always empty for secrets.
	Default string
	// Lines allows several lines.
	Lines bool
	// Doc is one sentence for users.
	Doc string
	// Check checks a non-empty value. For a secret its error must not contain the value.
	Check func(value string) error
}

// Values are the values of a channel by the names of its fields.
type Values map[string]string

// Read returns the values of a channel, with defaults for empty ones. An unknown, missing
// or invalid field is an Invalid error about "settings.name" or "secrets.name".
func Read(fields []Field, c alarm.Channel) (Values, error) {
	if err := unknown(fields, c); err != nil {
		return nil, err
	}
	values := Values{}
	for _, f := range fields {
		value := f.valueIn(c)
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

// valueIn returns the value in a channel.
func (f Field) valueIn(c alarm.Channel) string {
	if f.Secret {
		return strings.TrimSpace(c.Secrets[f.Name])
	}
	return strings.TrimSpace(c.Settings[f.Name])
}

// errorPath is the field's name in errors.
func (f Field) errorPath() string {
	if f.Secret {
		return "secrets." + f.Name
	}
	return "settings." + f.Name
}

func (f Field) check(value string) error {
	switch {
	case value == "" && f.Needed:
		return job.FieldErrorf(f.errorPath(), "it is missing: %s", f.Doc)
	case value == "":
		return nil
	case len(value) > maxValue:
		return job.FieldErrorf(f.errorPath(), "it has %d bytes, at most %d are possible", len(value), maxValue)
	}
	for _, r := range value {
		if unicode.IsControl(r) && (!f.Lines || r != '\n' && r != '\r' && r != '\t') {
			return job.FieldErrorf(f.errorPath(), "it has a control character or an end of line in it: remove that")
		}
	}
	if f.Check == nil {
		return nil
	}
	if err := f.Check(value); err != nil {
		return job.FieldErrorf(f.errorPath(), "%s", err.Error())
	}
	return nil
}

// unknown finds unknown fields, and secrets among settings or the reverse.
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

// Address is a Check for HTTP addresses. Its errors do not contain the address, which may
// include a token.
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

// List splits a value at commas and drops empty parts.
func List(value string) []string {
	var list []string
	for part := range strings.SplitSeq(value, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// AtMost is a Check for lists of at most n entries, each of which must pass one.
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
