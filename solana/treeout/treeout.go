// Package treeout stands in for a module of the same path that solana-go imports and that
// has no licence: go.mod replaces it. It has the calls that solana-go makes, for texts
// about transactions that Orth never asks for.
package treeout

import "strings"

// Branches is a tree, or a part of one.
type Branches interface {
	// Child adds a part and returns it.
	Child(text string) Branches
	// Add adds a part.
	Add(part Branches)
	// ParentFunc calls a function with the part itself.
	ParentFunc(call func(Branches))
	// String returns the lines of the part, those inside indented.
	String() string
}

// Tree implements [Branches]. One goroutine uses it.
type Tree struct {
	text  string
	parts []Branches
}

// New returns a tree of one text.
func New(text string) *Tree { return &Tree{text: text} }

// Child implements [Branches].
func (t *Tree) Child(text string) Branches {
	part := New(text)
	t.Add(part)
	return part
}

// Add implements [Branches].
func (t *Tree) Add(part Branches) { t.parts = append(t.parts, part) }

// ParentFunc implements [Branches].
func (t *Tree) ParentFunc(call func(Branches)) { call(t) }

// String implements [Branches].
func (t *Tree) String() string {
	var out strings.Builder
	out.WriteString(t.text + "\n")
	for _, part := range t.parts {
		for line := range strings.Lines(part.String()) {
			out.WriteString("  " + line)
		}
	}
	return out.String()
}
