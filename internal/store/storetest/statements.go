package storetest

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Statements returns those of sqlstore, by their names, with three placeholders in each list, for
// tests of its neighbours.
func Statements(tb testing.TB) map[string]string {
	tb.Helper()
	names, err := filepath.Glob(filepath.Join("..", "sqlstore", "*.go"))
	if err != nil {
		tb.Fatal(err)
	}
	files := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			tb.Fatal(err)
		}
		parsed = append(parsed, file)
	}
	// Imports stay unknown; the statements need none.
	config := types.Config{Error: func(error) {}}
	pkg, _ := config.Check("sqlstore", files, parsed, nil) // incomplete on purpose
	found := map[string]string{}
	for _, name := range pkg.Scope().Names() {
		c, ok := pkg.Scope().Lookup(name).(*types.Const)
		if !ok || c.Val().Kind() != constant.String {
			continue
		}
		text := constant.StringVal(c.Val())
		verb, _, _ := strings.Cut(text, " ")
		if slices.Contains([]string{"SELECT", "UPDATE", "DELETE", "INSERT"}, verb) {
			found[name] = strings.ReplaceAll(strings.ReplaceAll(text, "%s", "?, ?, ?"), "%%", "%")
		}
	}
	return found
}
