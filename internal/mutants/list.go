package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// mutant is one fault: a line that becomes another one, and the test that fails then.
type mutant struct {
	promise string   // what the fault breaks
	file    string   // below the root of the module
	within  string   // the function that the line stands in, as (*Type).Name or Name; empty for the whole file
	before  string   // the line, without the blanks around it
	after   string   // what it becomes; empty for nothing
	pkg     string   // of the test, as ./internal/x
	test    string   // its full name, with the names of subtests
	flags   []string // for the test
	at      int      // the line of the list that the fault begins at
}

// String names the fault for people.
func (m *mutant) String() string {
	return fmt.Sprintf("%s: %s (%s %s)", m.file, m.promise, m.pkg, m.test)
}

// top returns the test's function.
func (m *mutant) top() string {
	name, _, _ := strings.Cut(m.test, "/")
	return name
}

// pattern returns the expression for go test's -run.
func (m *mutant) pattern() string {
	parts := strings.Split(m.test, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}

// readList reads a list of faults. Each is a paragraph:
//
//	promise: an outcome leaves the outbox when a server has it
//	file: internal/outbox/send.go
//	within: (*Outbox).send
//	- if err == nil {
//	+ if true {
//	test: ./internal/outbox TestKeepsRefused/some -rounds 3
//
// within may be left out; a "+" alone takes the line away. Lines that begin with # are
// comments.
func readList(root, name string) ([]*mutant, error) {
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		return nil, err
	}
	var all []*mutant
	var m *mutant
	for i, line := range strings.Split(string(text), "\n") {
		key, value, _ := strings.Cut(line, " ")
		if m == nil && line != "" && key != "#" {
			m = &mutant{at: i + 1}
			all = append(all, m)
		}
		value = strings.TrimSpace(value)
		switch key {
		case "#":
		case "":
			m = nil
		case "promise:":
			m.promise = value
		case "file:":
			m.file = value
		case "within:":
			m.within = value
		case "-":
			m.before = value
		case "+":
			m.after = value
		case "test:":
			words := strings.Fields(value)
			if len(words) < 2 {
				return nil, fmt.Errorf("%s:%d: a test is a package and a name, not %q", name, i+1, value)
			}
			m.pkg, m.test, m.flags = words[0], words[1], words[2:]
		default:
			return nil, fmt.Errorf("%s:%d: %q is no part of a fault: promise:, file:, within:, -, + and test: are", name, i+1, key)
		}
	}
	for _, m := range all {
		if m.promise == "" || m.file == "" || m.before == "" || m.pkg == "" || m.before == m.after {
			return nil, fmt.Errorf("%s:%d: a fault needs promise:, file:, -, + and test:, and has to change its line", name, m.at)
		}
	}
	return all, nil
}

// apply returns the text of the fault's file with the fault. The error says that its line is
// not there once.
func (m *mutant) apply(root string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, m.file))
	if err != nil {
		return nil, err
	}
	from, to, err := m.lineRange(text)
	if err != nil {
		return nil, err
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	found := -1
	for i := from; i < min(to, len(lines)); i++ {
		if string(bytes.TrimSpace(lines[i])) != m.before {
			continue
		}
		if found >= 0 {
			return nil, fmt.Errorf("%s has the line %q at %d and at %d: name the function with a line that begins with within", m.file, m.before, found+1, i+1)
		}
		found = i
	}
	if found < 0 {
		return nil, fmt.Errorf("%s has no line %q%s: give the fault another line, or take it out with a reason", m.file, m.before, m.where())
	}
	lines[found] = []byte(m.after + "\n")
	return bytes.Join(lines, nil), nil
}

func (m *mutant) where() string {
	if m.within == "" {
		return ""
	}
	return " in " + m.within
}

// lineRange returns the lines that the fault's line is looked for in, counted from 0.
func (m *mutant) lineRange(text []byte) (from, to int, err error) {
	if m.within == "" {
		return 0, bytes.Count(text, []byte("\n")) + 1, nil
	}
	places := token.NewFileSet()
	parsed, err := parser.ParseFile(places, m.file, text, parser.SkipObjectResolution)
	if err != nil {
		return 0, 0, err
	}
	for _, d := range parsed.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && nameOf(fn) == m.within {
			return places.Position(fn.Pos()).Line - 1, places.Position(fn.End()).Line, nil
		}
	}
	return 0, 0, fmt.Errorf("%s has no function %s", m.file, m.within)
}

// nameOf returns a function's name, with the type of a method: (*Type).Name or Type.Name.
func nameOf(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Name.Name
	}
	typ, star := fn.Recv.List[0].Type, false
	if pointer, ok := typ.(*ast.StarExpr); ok {
		typ, star = pointer.X, true
	}
	if generic, ok := typ.(*ast.IndexExpr); ok {
		typ = generic.X
	}
	name, _ := typ.(*ast.Ident)
	switch {
	case name == nil:
		return fn.Name.Name
	case star:
		return "(*" + name.Name + ")." + fn.Name.Name
	default:
		return name.Name + "." + fn.Name.Name
	}
}
