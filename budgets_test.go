package orth_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
)

// namesRule finds packages and files whose name says how they are made and not
// what they are for.
func namesRule(h *house) (findings []string) {
	banned := []string{"util", "utils", "common", "helper", "helpers", "types", "models", "core", "base", "misc"}
	check := func(what, name string, words []string) {
		for _, word := range words {
			if slices.Contains(banned, word) {
				findings = append(findings, fmt.Sprintf("%s %s: %q is no name for a %s", what, name, word, what))
			}
		}
	}
	for _, dir := range h.dirs() {
		check("package", dir, strings.Split(dir, "/"))
		for _, s := range h.packages[dir].files {
			check("file", s.name, strings.Split(strings.TrimSuffix(path.Base(s.name), ".go"), "_"))
		}
	}
	return findings
}

// foreignWordsRule finds names of foreign protocols outside the doors that
// speak them.
func foreignWordsRule(h *house) (findings []string) {
	words := []string{
		"logId", "SERIAL_EXECUTION", "DISCARD_LATER", "COVER_EARLY", "glueType", "glueSource", "jobInfo",
		"registryGroup", "handleCode", "executorBlockStrategy", "executorRouteStrategy",
	}
	for _, s := range h.code() {
		if strings.HasPrefix(s.name, "internal/wire/") || strings.HasPrefix(s.name, "internal/xxlimport/") || strings.HasPrefix(s.name, "wiretest/") {
			continue
		}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			text := ""
			switch n := n.(type) {
			case *ast.Ident:
				text = n.Name
			case *ast.BasicLit:
				text = n.Value
			}
			for _, word := range words {
				if strings.Contains(text, word) {
					findings = append(findings, fmt.Sprintf("%s: %s is a foreign word: it belongs to internal/wire", h.at(n), word))
				}
			}
			return true
		})
	}
	return findings
}

// commentsRule finds packages that have no package comment, or more than one.
func commentsRule(h *house) (findings []string) {
	for _, dir := range h.dirs() {
		var found []string
		for _, s := range h.packages[dir].files {
			if s.syntax.Doc == nil {
				continue
			}
			text := s.syntax.Doc.Text()
			found = append(found, s.name)
			name := s.syntax.Name.Name
			if !strings.HasPrefix(text, "Package "+name+" ") && (name != "main" || !strings.HasPrefix(text, "Command ")) {
				findings = append(findings, fmt.Sprintf("%s: the package comment must begin with \"Package %s \"", s.name, name))
			}
		}
		if len(found) != 1 {
			findings = append(findings, fmt.Sprintf("%s has %d package comments, want one: %v", dir, len(found), found))
		}
	}
	return findings
}

// documentedRule finds exported names without a doc comment. Names in a group
// are served by the group's comment.
func documentedRule(h *house) (findings []string) {
	report := func(n ast.Node, name string) {
		findings = append(findings, fmt.Sprintf("%s: %s has no doc comment", h.at(n), name))
	}
	for _, s := range h.code() {
		if s.syntax.Name.Name == "main" {
			continue
		}
		for _, decl := range s.syntax.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Doc == nil && d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d))) {
					report(d, d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if name, documented := exportedSpec(spec); name != "" && !documented && d.Doc == nil {
						report(spec, name)
					}
				}
			}
		}
	}
	return findings
}

// receiver returns the name of a method's type.
func receiver(d *ast.FuncDecl) string {
	t := d.Recv.List[0].Type
	for {
		switch inner := t.(type) {
		case *ast.StarExpr:
			t = inner.X
		case *ast.IndexExpr:
			t = inner.X
		case *ast.IndexListExpr:
			t = inner.X
		case *ast.Ident:
			return inner.Name
		default:
			return ""
		}
	}
}

// exportedSpec returns the first exported name of a spec and whether it has a
// comment of its own.
func exportedSpec(spec ast.Spec) (string, bool) {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		if s.Name.IsExported() {
			return s.Name.Name, s.Doc != nil || s.Comment != nil
		}
	case *ast.ValueSpec:
		for _, name := range s.Names {
			if name.IsExported() {
				return name.Name, s.Doc != nil || s.Comment != nil
			}
		}
	}
	return "", false
}

// sizesRule finds files and functions that nobody reads to the end.
func sizesRule(h *house) (findings []string) {
	const fileStop, fileMost, functionStop, functionMost = 800, 500, 120, 50
	var files, functions []int
	for _, s := range h.code() {
		files = append(files, s.lines)
		if s.lines > fileStop {
			findings = append(findings, fmt.Sprintf("%s has %d lines, at most %d are allowed", s.name, s.lines, fileStop))
		}
		for _, decl := range s.syntax.Decls {
			f, isFunction := decl.(*ast.FuncDecl)
			if !isFunction {
				continue
			}
			lines := h.fset.Position(f.End()).Line - h.fset.Position(f.Pos()).Line + 1
			functions = append(functions, lines)
			if lines > functionStop {
				findings = append(findings, fmt.Sprintf("%s: %s has %d lines, at most %d are allowed", h.at(f), f.Name.Name, lines, functionStop))
			}
		}
	}
	if n := mostOf(files); n > fileMost {
		findings = append(findings, fmt.Sprintf("19 of 20 files have up to %d lines, want %d", n, fileMost))
	}
	if n := mostOf(functions); n > functionMost {
		findings = append(findings, fmt.Sprintf("19 of 20 functions have up to %d lines, want %d", n, functionMost))
	}
	return findings
}

// mostOf returns the 95th percentile.
func mostOf(numbers []int) int {
	if len(numbers) == 0 {
		return 0
	}
	slices.Sort(numbers)
	return numbers[(len(numbers)-1)*95/100]
}

// interfacesRule finds that interfaces have grown wide. A union, which has no
// method of its own, is as wide as what it joins and is not counted; the store is
// the widest of them.
func interfacesRule(h *house) (findings []string) {
	const narrow, stop, share = 3, 9, 85
	var wide []string
	all := 0
	for _, s := range h.code() {
		for _, spec := range interfacesOf(s) {
			n := h.width(s, spec.Type)
			if n > stop && s.syntax.Name.Name+"."+spec.Name.Name != "store.Store" {
				findings = append(findings, fmt.Sprintf("%s: %s has %d methods, at most %d are allowed", h.at(spec), spec.Name.Name, n, stop))
			}
			if isUnion(spec.Type) {
				continue
			}
			all++
			if n > narrow {
				wide = append(wide, fmt.Sprintf("%s %s (%d)", h.at(spec), spec.Name.Name, n))
			}
		}
	}
	if 100*len(wide) > (100-share)*all {
		findings = append(findings, fmt.Sprintf("%d of %d interfaces have more than %d methods: %s",
			len(wide), all, narrow, strings.Join(wide, ", ")))
	}
	return findings
}

// isUnion reports whether an interface joins others and adds nothing.
func isUnion(e ast.Expr) bool {
	i, isInterface := e.(*ast.InterfaceType)
	return isInterface && len(i.Methods.List) > 1 &&
		!slices.ContainsFunc(i.Methods.List, func(m *ast.Field) bool { return len(m.Names) > 0 })
}

// interfacesOf returns the interface types that a file declares; constraints of
// type parameters are none.
func interfacesOf(s *source) (specs []*ast.TypeSpec) {
	for _, decl := range s.syntax.Decls {
		if d, isGeneral := decl.(*ast.GenDecl); isGeneral && d.Tok == token.TYPE {
			for _, spec := range d.Specs {
				t, isType := spec.(*ast.TypeSpec)
				if !isType {
					continue
				}
				if i, isInterface := t.Type.(*ast.InterfaceType); isInterface && !isConstraint(i) {
					specs = append(specs, t)
				}
			}
		}
	}
	return specs
}

func isConstraint(i *ast.InterfaceType) bool {
	return slices.ContainsFunc(i.Methods.List, func(f *ast.Field) bool {
		switch f.Type.(type) {
		case *ast.BinaryExpr, *ast.UnaryExpr:
			return true
		}
		return false
	})
}

// width counts the methods of an interface with those of the interfaces it
// embeds, as far as they are declared in the house; others count as one.
func (h *house) width(s *source, t ast.Expr) int {
	switch t := t.(type) {
	case *ast.InterfaceType:
		n := 0
		for _, field := range t.Methods.List {
			if len(field.Names) > 0 {
				n += len(field.Names)
			} else {
				n += h.width(s, field.Type)
			}
		}
		return n
	case *ast.Ident:
		return h.widthOf(path.Dir(s.name), t.Name)
	case *ast.SelectorExpr:
		for _, imported := range s.imports() {
			if dir, ours := local(imported); ours && path.Base(dir) == fmt.Sprint(t.X) {
				return h.widthOf(dir, t.Sel.Name)
			}
		}
	}
	return 1
}

func (h *house) widthOf(dir, name string) int {
	if r := h.packages[dir]; r != nil {
		for _, s := range r.code() {
			for _, spec := range interfacesOf(s) {
				if spec.Name.Name == name {
					return h.width(s, spec.Type)
				}
			}
		}
	}
	return 1
}

// initRule finds functions that run before main. Wiring is written out.
func initRule(h *house) (findings []string) {
	for _, s := range h.code() {
		for _, decl := range s.syntax.Decls {
			if f, isFunction := decl.(*ast.FuncDecl); isFunction && f.Recv == nil && f.Name.Name == "init" {
				findings = append(findings, h.at(f)+": init runs behind the reader's back: call it from the wiring")
			}
		}
	}
	return findings
}
