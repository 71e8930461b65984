package tree

import (
	"fmt"

	"github.com/orthd/orth/job"
)

// Limits of what is read.
const (
	MaxDocuments = 50_000  // of all files together
	maxDepth     = 64      // of values within values
	maxNodes     = 200_000 // values of a file, with those that aliases repeat
)

// Sort is the type of a node.
type Sort int

// The sorts of nodes.
const (
	Null Sort = iota
	Bool
	Number
	Text
	List
	Map
)

// String returns what people call it.
func (s Sort) String() string {
	return [...]string{"nothing", "true or false", "a number", "a text", "a list", "a mapping"}[s]
}

// Node is a value of a document, with the place where it stands.
type Node struct {
	Sort   Sort
	Text   string // of what is neither list nor map
	List   []*Node
	Fields []Field // in the order of the file, each name once
	Origin string  // the file
	Line   int
	Column int
}

// Field is an entry of a mapping.
type Field struct {
	Name         string
	Line, Column int // of the name
	Value        *Node
}

// Get returns the value of a field, nil when there is none or it is null.
func (n *Node) Get(name string) *Node {
	for i := range n.Fields {
		if n.Fields[i].Name == name && n.Fields[i].Value.Sort != Null {
			return n.Fields[i].Value
		}
	}
	return nil
}

// Take returns what get does, and removes the field.
func (n *Node) Take(name string) *Node {
	found := n.Get(name)
	for i := range n.Fields {
		if n.Fields[i].Name == name {
			n.Fields = append(n.Fields[:i:i], n.Fields[i+1:]...)
			break
		}
	}
	return found
}

// Add adds a field; its name must be new.
func (n *Node) Add(f Field) error {
	for i := range n.Fields {
		if n.Fields[i].Name == f.Name {
			return wrongAt(n.Origin, f.Line, f.Column, "%q is said twice, first in line %d", f.Name, n.Fields[i].Line)
		}
	}
	n.Fields = append(n.Fields, f)
	return nil
}

// Wrong returns an error about the value.
func (n *Node) Wrong(format string, args ...any) *job.Error {
	return wrongAt(n.Origin, n.Line, n.Column, format, args...)
}

// Wrong returns an error about the field's name.
func (f *Field) Wrong(origin, format string, args ...any) *job.Error {
	return wrongAt(origin, f.Line, f.Column, format, args...)
}

// wrongAt returns an error about a place in a file.
func wrongAt(origin string, line, column int, format string, args ...any) *job.Error {
	return &job.Error{
		Kind: job.Invalid, Message: fmt.Sprintf("%s:%d:%d: ", origin, line, column) + fmt.Sprintf(format, args...),
	}
}

// Expected is the error for a value of another sort than the wanted one.
func (n *Node) Expected(wanted Sort) error {
	wrong := n.Wrong("must be %s, and is %s", wanted, n.Shown())
	if wanted == Text && (n.Sort == Number || n.Sort == Bool) {
		wrong.Hint = "put it in quotes"
	}
	return wrong
}

// Shown returns the value for an error.
func (n *Node) Shown() string {
	if n.Sort == List || n.Sort == Map || n.Sort == Null {
		return n.Sort.String()
	}
	return fmt.Sprintf("%.40q", n.Text)
}

// Need returns a field that must be a text.
func (n *Node) Need(name string) (*Node, error) {
	value := n.Get(name)
	if value == nil {
		return nil, n.Wrong("%s is missing", name)
	}
	if value.Sort != Text {
		return nil, value.Expected(Text)
	}
	return value, nil
}
