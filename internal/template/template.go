// Package template executes templates in the language of text/template.
//
// It knows the language, whose parser is that of the standard library, and values made
// of structs, maps, slices, texts, numbers and truths. It must never know what a
// template is about. A template, its functions and a value come in; a text goes out, or
// an error that names the place.
//
// It calls no methods: a linker that meets text/template keeps every exported method
// of every type of the program, because a template might call it.
package template

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"text/template/parse"
)

// Func is a function that templates may call.
type Func func(args []any) (any, error)

// Template is a parsed template. It may be executed by several goroutines at once.
type Template struct {
	// Tree is the template itself. Trees has it too, with all that it defines.
	Tree  *parse.Tree
	Trees map[string]*parse.Tree
	// Escape changes what actions write. Defaults to nothing.
	Escape func(string) string

	funcs map[string]Func
}

// Parse reads a template that may call functions beside those of the language: and, or,
// not, eq, ne, lt, le, gt, ge, len and index.
func Parse(name, text string, funcs map[string]Func) (*Template, error) {
	known := builtins()
	maps.Copy(known, funcs)
	names := map[string]any{"and": true, "or": true} // the parser looks at the names alone
	for f := range known {
		names[f] = true
	}
	tree := parse.New(name)
	trees := map[string]*parse.Tree{}
	if _, err := tree.Parse(text, "", "", trees, names); err != nil {
		return nil, err
	}
	return &Template{Tree: tree, Trees: trees, funcs: known}, nil
}

// Add gives the template another function, which its parsed text does not call yet.
func (t *Template) Add(name string, f Func) { t.funcs[name] = f }

// Execute writes the template with a value. An error of w is returned as it is.
func (t *Template) Execute(w io.Writer, value any) error {
	if t.Tree == nil || t.Tree.Root == nil {
		return nil
	}
	s := &state{t: t, tree: t.Tree, w: w, variables: []variable{{"$", value}}}
	return s.writeNode(value, t.Tree.Root)
}

// maxDepth bounds templates that include themselves.
const maxDepth = 1000

// errBreak and errContinue leave a pass of a loop.
var (
	errBreak    = errors.New("break")
	errContinue = errors.New("continue")
)

// writeError is an error of the writer.
type writeError struct{ error }

// Unwrap returns it.
func (e writeError) Unwrap() error { return e.error }

// state is one execution on its way.
type state struct {
	t         *Template
	tree      *parse.Tree
	w         io.Writer
	variables []variable
	depth     int
}

type variable struct {
	name  string
	value any
}

// failed names the place of an error that has none yet.
func (s *state) failed(at parse.Node, err error) error {
	var placed *placedError
	var written writeError
	if err == nil || errors.Is(err, errBreak) || errors.Is(err, errContinue) || errors.As(err, &placed) || errors.As(err, &written) {
		return err
	}
	location, context := s.tree.ErrorContext(at)
	return &placedError{fmt.Sprintf("template: %s: executing %q at <%s>: ", location, s.tree.Name, context), err}
}

// placedError is an error with its place.
type placedError struct {
	place string
	err   error
}

// Error implements error.
func (e *placedError) Error() string { return e.place + e.err.Error() }

// Unwrap returns what went wrong.
func (e *placedError) Unwrap() error { return e.err }

// writeNode writes a node.
func (s *state) writeNode(dot any, node parse.Node) error {
	switch n := node.(type) {
	case *parse.ListNode:
		if n == nil {
			return nil
		}
		for _, inner := range n.Nodes {
			if err := s.writeNode(dot, inner); err != nil {
				return err
			}
		}
		return nil
	case *parse.TextNode:
		return s.write(n.Text)
	case *parse.ActionNode:
		value, err := s.evalPipe(dot, n.Pipe)
		if err != nil || len(n.Pipe.Decl) > 0 {
			return err
		}
		return s.print(value)
	case *parse.IfNode:
		return s.branch(dot, &n.BranchNode, false)
	case *parse.WithNode:
		return s.branch(dot, &n.BranchNode, true)
	case *parse.RangeNode:
		return s.failed(n, s.writeLoop(dot, n))
	case *parse.TemplateNode:
		return s.failed(n, s.include(dot, n))
	case *parse.BreakNode:
		return errBreak
	case *parse.ContinueNode:
		return errContinue
	case *parse.CommentNode:
		return nil
	default:
		return s.failed(node, fmt.Errorf("unknown node: %s", node))
	}
}

func (s *state) write(text []byte) error {
	if _, err := s.w.Write(text); err != nil {
		return writeError{err}
	}
	return nil
}

func (s *state) print(value any) error {
	text := "<no value>"
	if value != nil {
		text = fmt.Sprint(value)
	}
	if s.t.Escape != nil {
		text = s.t.Escape(text)
	}
	return s.write([]byte(text))
}

// branch writes one of two lists. The first one sees the value when with is set.
func (s *state) branch(dot any, n *parse.BranchNode, with bool) error {
	defer s.scope()()
	value, err := s.evalPipe(dot, n.Pipe)
	switch {
	case err != nil:
		return err
	case !isTrue(value):
		return s.writeNode(dot, n.ElseList)
	case with:
		return s.writeNode(value, n.List)
	}
	return s.writeNode(dot, n.List)
}

// scope returns what ends the life of the variables from here on.
func (s *state) scope() func() {
	mark := len(s.variables)
	return func() { s.variables = s.variables[:mark] }
}

// writeLoop writes the list of a loop for each element.
func (s *state) writeLoop(dot any, n *parse.RangeNode) error {
	defer s.scope()()
	value, err := s.evalPipe(dot, n.Pipe)
	if err != nil {
		return err
	}
	mark, passes := len(s.variables), 0
	for key, element := range elements(value, &err) {
		passes++
		if declared := n.Pipe.Decl; len(declared) > 0 {
			if err := s.setVariable(n.Pipe, declared[len(declared)-1], element); err != nil {
				return err
			}
			if len(declared) > 1 {
				if err := s.setVariable(n.Pipe, declared[0], key); err != nil {
					return err
				}
			}
		}
		err := s.writeNode(element, n.List)
		s.variables = s.variables[:mark]
		if errors.Is(err, errBreak) {
			break
		}
		if err != nil && !errors.Is(err, errContinue) {
			return err
		}
	}
	if err != nil || passes > 0 {
		return err
	}
	return s.writeNode(dot, n.ElseList)
}

// include writes another template.
func (s *state) include(dot any, n *parse.TemplateNode) error {
	tree := s.t.Trees[n.Name]
	if tree == nil {
		return fmt.Errorf("template %q not defined", n.Name)
	}
	if s.depth >= maxDepth {
		return fmt.Errorf("exceeded maximum template depth (%v)", maxDepth)
	}
	if n.Pipe != nil {
		var err error
		if dot, err = s.evalPipe(dot, n.Pipe); err != nil {
			return err
		}
	} else {
		dot = nil
	}
	inner := &state{t: s.t, tree: tree, w: s.w, variables: []variable{{"$", dot}}, depth: s.depth + 1}
	return inner.writeNode(dot, tree.Root)
}
