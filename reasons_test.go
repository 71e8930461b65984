package orth_test

import (
	"encoding/json"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// reasonRooms are the packages that say in words why a run, an attempt or a node of a
// workflow is where it is, or why there is an alarm.
var reasonRooms = []string{
	"internal/alerting", "internal/backup", "internal/backfill", "internal/broadcast", "internal/completer", "internal/deadletters", "internal/dispatcher", "internal/jobs", "internal/planner",
	"internal/route", "internal/store/sqlstore", "internal/upkeep", "internal/watch", "internal/workflow", "job",
}

// reasonsBelow are packages whose functions are asked for reasons by the one above.
var reasonsBelow = map[string]string{"internal/dispatcher": "internal/dispatcher/waiting"}

// TestReasons keeps the list of what the server says as a reason. Each of them is there
// in Chinese, and the console's tests hold that against the list.
func TestReasons(t *testing.T) {
	t.Parallel()
	h, err := readHouse(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]bool)
	for _, dir := range reasonRooms {
		r := h.packages[dir]
		if r == nil {
			t.Fatalf("there is no package %s", dir)
		}
		if below := h.packages[reasonsBelow[dir]]; below != nil {
			r = &room{dir: dir, files: slices.Concat(r.files, below.files)}
		}
		newSpeech(r, found).read()
	}
	got, err := json.MarshalIndent(slices.Sorted(maps.Keys(found)), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "reasons.json")
	if *update {
		if err := os.WriteFile(path, append(got, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), string(got)+"\n"); diff != "" {
		t.Errorf("run the test with -update when this is wanted, and give the Chinese (internal/reason/reasons.json): %s", diff)
	}
}

// speech finds the texts of one package that become reasons: what is put into fields
// and parameters of such names, and what the functions say that are called for it.
type speech struct {
	room   *room
	found  map[string]bool
	bodies map[string][]*ast.FuncDecl // by the name of the function or method
	asked  map[*ast.FuncDecl]bool
}

func newSpeech(r *room, found map[string]bool) *speech {
	s := &speech{room: r, found: found, bodies: make(map[string][]*ast.FuncDecl), asked: make(map[*ast.FuncDecl]bool)}
	for _, file := range s.sources() {
		for _, decl := range file.syntax.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil {
				s.bodies[f.Name.Name] = append(s.bodies[f.Name.Name], f)
			}
		}
	}
	return s
}

func (s *speech) sources() []*source {
	return slices.DeleteFunc(slices.Clone(s.room.files), func(file *source) bool { return file.test })
}

// saysReasons reports whether all that a function returns as text is a reason.
func saysReasons(dir, name string) bool {
	switch dir {
	case "internal/alerting":
		return name == "reasonOf" || name == "tooSlow"
	case "job":
		return strings.HasSuffix(name, "Reason") || name == "Called" || name == "Over" || name == "ShardsFailed"
	case "internal/broadcast":
		return name == "decide"
	case "internal/route":
		return name == "Pick" || name == "choose"
	}
	return false
}

// isReason reports whether a field, a parameter or a variable of the name holds a
// reason.
func (s *speech) isReason(name string) bool {
	switch name {
	case "Reason", "reason", "Note", "note", "Message", "Over", "StopReason", "held":
		return true
	case "why":
		return s.room.dir == "internal/upkeep"
	}
	return false
}

func (s *speech) read() {
	for _, name := range slices.Sorted(maps.Keys(s.bodies)) {
		for _, f := range s.bodies[name] {
			if saysReasons(s.room.dir, name) {
				s.say(f)
				continue
			}
			ast.Inspect(f.Body, func(n ast.Node) bool { return s.look(f, n) })
		}
	}
}

// look takes the texts of what becomes a reason within a function.
func (s *speech) look(f *ast.FuncDecl, n ast.Node) bool {
	switch n := n.(type) {
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok && s.isReason(key.Name) {
			s.take(f, n.Value)
		}
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			if s.isReason(nameOf(left)) && len(n.Lhs) == len(n.Rhs) {
				s.take(f, n.Rhs[i])
			}
		}
	case *ast.BinaryExpr:
		if s.isReason(nameOf(n.X)) {
			s.take(f, n.Y)
		}
	case *ast.CallExpr:
		for _, callee := range s.bodies[nameOf(n.Fun)] {
			for i, name := range parameters(callee) {
				if i < len(n.Args) && s.isReason(name) {
					s.take(f, n.Args[i])
				}
			}
		}
	}
	return true
}

// take keeps the texts of an expression, of the variables in it and of what it calls.
func (s *speech) take(f *ast.FuncDecl, e ast.Expr) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit, *ast.BinaryExpr:
			if text, whole := literal(n.(ast.Expr)); whole {
				s.keep(text)
				return false
			}
		case *ast.CallExpr:
			for _, callee := range s.bodies[nameOf(n.Fun)] {
				if returnsText(callee) {
					s.say(callee)
				}
			}
		case *ast.Ident:
			s.assigned(f, n.Name)
		}
		return true
	})
}

// assigned keeps the texts that a variable of the function is given, or that a constant
// of the package is.
func (s *speech) assigned(f *ast.FuncDecl, name string) {
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == len(a.Rhs) {
			for i, left := range a.Lhs {
				if id, ok := left.(*ast.Ident); ok && id.Name == name && name != "err" {
					s.texts(a.Rhs[i])
				}
			}
		}
		return true
	})
	for _, file := range s.sources() {
		for _, decl := range file.syntax.Decls {
			g, ok := decl.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for _, spec := range g.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && len(v.Values) == 1 && v.Names[0].Name == name {
					s.texts(v.Values[0])
				}
			}
		}
	}
}

// say keeps all texts of a function that is asked for a reason.
func (s *speech) say(f *ast.FuncDecl) {
	if s.asked[f] {
		return
	}
	s.asked[f] = true
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok {
			s.take(f, e)
			return false
		}
		return true
	})
}

// texts keeps the texts within an expression.
func (s *speech) texts(e ast.Expr) {
	ast.Inspect(e, func(n ast.Node) bool {
		if part, ok := n.(ast.Expr); ok {
			if text, whole := literal(part); whole {
				s.keep(text)
				return false
			}
		}
		return true
	})
}

// keep notes a text that has two words.
func (s *speech) keep(text string) {
	if strings.Contains(strings.TrimSpace(text), " ") {
		s.found[text] = true
	}
}

// literal returns the text of an expression that is a literal, or several put together.
func literal(e ast.Expr) (text string, whole bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, err := strconv.Unquote(e.Value)
			return text, err == nil
		}
	case *ast.BinaryExpr:
		left, leftWhole := literal(e.X)
		right, rightWhole := literal(e.Y)
		return left + right, e.Op == token.ADD && leftWhole && rightWhole
	}
	return "", false
}

func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

func parameters(f *ast.FuncDecl) []string {
	var names []string
	for _, field := range f.Type.Params.List {
		for _, name := range field.Names {
			names = append(names, name.Name)
		}
	}
	return names
}

func returnsText(f *ast.FuncDecl) bool {
	return f.Type.Results != nil && slices.ContainsFunc(f.Type.Results.List, func(field *ast.Field) bool {
		return nameOf(field.Type) == "string"
	})
}
