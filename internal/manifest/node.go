package manifest

import (
	"fmt"

	"github.com/orthd/orth/job"
)

// Limits of what is read.
const (
	MaxFile      = 1 << 20   // bytes of a file
	MaxBytes     = 256 << 20 // of all files together
	MaxDocuments = 50_000    // of all files together
	MaxFiles     = 100_000   // of a folder: a document and its script each
	maxDepth     = 64        // of values within values
	maxNodes     = 200_000   // values of a file, with those that aliases repeat
)

// sort is the type of a node.
type sort int

const (
	isNull sort = iota
	isBool
	isNumber
	isText
	isList
	isMap
)

// String returns what people call it.
func (s sort) String() string {
	return [...]string{"nothing", "true or false", "a number", "a text", "a list", "a mapping"}[s]
}

// node is a value of a document, with the place where it stands.
type node struct {
	sort   sort
	text   string // of what is neither list nor map
	list   []*node
	fields []field // in the order of the file, each name once
	origin string  // the file
	line   int
	column int
}

// field is an entry of a mapping.
type field struct {
	name         string
	line, column int // of the name
	value        *node
}

// get returns the value of a field, nil when there is none or it is null.
func (n *node) get(name string) *node {
	for i := range n.fields {
		if n.fields[i].name == name && n.fields[i].value.sort != isNull {
			return n.fields[i].value
		}
	}
	return nil
}

// take returns what get does, and removes the field.
func (n *node) take(name string) *node {
	found := n.get(name)
	for i := range n.fields {
		if n.fields[i].name == name {
			n.fields = append(n.fields[:i:i], n.fields[i+1:]...)
			break
		}
	}
	return found
}

// add adds a field; its name must be new.
func (n *node) add(f field) error {
	for i := range n.fields {
		if n.fields[i].name == f.name {
			return wrongAt(n.origin, f.line, f.column, "%q is said twice, first in line %d", f.name, n.fields[i].line)
		}
	}
	n.fields = append(n.fields, f)
	return nil
}

// wrong returns an error about the value.
func (n *node) wrong(format string, args ...any) *job.Error {
	return wrongAt(n.origin, n.line, n.column, format, args...)
}

// wrong returns an error about the field's name.
func (f *field) wrong(origin, format string, args ...any) *job.Error {
	return wrongAt(origin, f.line, f.column, format, args...)
}

// wrongAt returns an error about a place in a file.
func wrongAt(origin string, line, column int, format string, args ...any) *job.Error {
	return &job.Error{
		Kind: job.Invalid, Message: fmt.Sprintf("%s:%d:%d: ", origin, line, column) + fmt.Sprintf(format, args...),
	}
}
