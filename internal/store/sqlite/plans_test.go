package sqlite

import (
	"database/sql"
	"flag"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

// TestPlans asks SQLite how it carries out each statement of sqlstore and
// compares the answers with testdata/plans.txt. None may scan a table or sort
// rows but those that have a reason.
func TestPlans(t *testing.T) {
	t.Parallel()
	excused := map[string]string{
		"countCalendars":   "at most 1,000, for a new calendar",
		"countGroups":      "at most 10,000, for a new group",
		"countLeases":      "at most 100,000, for a new executor",
		"countPauses":      "at most 1,000, for a new pause",
		"listAllCalendars": "at most 1,000, when the rules have changed",
		"listGroupKeys":    "at most 10,000, when the rules have changed and a pause names groups",
		"listGroups":       "at most 10,000, once per start",
		"listLeases":       "sorts the living executors",
		"listPauses":       "at most 1,000, for people or when the rules have changed",
	}
	path := filepath.Join(t.TempDir(), "orth.db")
	mustClose(t, mustOpen(t, path, Config{}))
	db, err := pool(path, 1, readSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer closing(t, db)

	queries := statements(t)
	if len(queries) < 40 {
		t.Fatalf("only %d statements were found", len(queries))
	}
	var golden strings.Builder
	for _, name := range slices.Sorted(maps.Keys(queries)) {
		fmt.Fprintf(&golden, "%s\n", name)
		for _, line := range explained(t, db, queries[name]) {
			fmt.Fprintf(&golden, "\t%s\n", line)
			if excused[name] == "" && (strings.Contains(line, "SCAN") || strings.Contains(line, "TEMP B-TREE")) {
				t.Errorf("%s: %s", name, line)
			}
		}
	}
	compare(t, "plans.txt", golden.String())
}

// compare compares got with a golden file, which -update writes.
func compare(t *testing.T, name, got string) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("differs from %s (-want +got):\n%s", name, diff)
	}
}

// statements returns the constants of sqlstore that are statements, by name.
func statements(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "sqlstore", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
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
		for _, verb := range []string{"SELECT ", "INSERT ", "UPDATE ", "DELETE "} {
			if strings.HasPrefix(text, verb) {
				found[name] = strings.ReplaceAll(text, "%s", "?, ?, ?")
			}
		}
	}
	return found
}

func explained(t *testing.T, db *sql.DB, query string) []string {
	t.Helper()
	args := make([]any, strings.Count(query, "?"))
	rows, err := db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	var lines []string
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, detail)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}
