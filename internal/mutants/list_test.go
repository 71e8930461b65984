package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	module = "../.."
	list   = "internal/mutants/testdata/mutants.txt"
	least  = 60 // faults
)

// TestList keeps the list from rotting: each fault has its line, once, and its test. Whether the
// test notices the fault is for make mutants.
func TestList(t *testing.T) {
	t.Parallel()
	faults, err := readList(module, list)
	if err != nil {
		t.Fatal(err)
	}
	if len(faults) < least {
		t.Errorf("%d faults, at least %d are wanted", len(faults), least)
	}
	tests := make(map[string]map[string]bool) // by package
	promises := make(map[string]bool)
	for _, m := range faults {
		if promises[m.promise] {
			t.Errorf("line %d: the promise %q has a fault already: say what this one is about", m.at, m.promise)
		}
		promises[m.promise] = true
		faulty, err := m.apply(module)
		if err != nil {
			t.Errorf("line %d: %v", m.at, err)
			continue
		}
		if _, err := parser.ParseFile(token.NewFileSet(), m.file, faulty, 0); err != nil {
			t.Errorf("line %d: with the fault the file is no Go: %v", m.at, err)
		}
		if tests[m.pkg] == nil {
			tests[m.pkg] = testsOf(t, m.pkg)
		}
		if !tests[m.pkg][m.top()] {
			t.Errorf("line %d: %s has no test %s", m.at, m.pkg, m.top())
		}
	}
}

// testsOf returns the names of a package's test functions.
func testsOf(t *testing.T, pkg string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(module, pkg, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]bool)
	for _, name := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") {
				found[fn.Name.Name] = true
			}
		}
	}
	return found
}

// TestTool plays the tool on a module of its own: a fault that its test notices, one that it
// does not, and lists that are wrong.
func TestTool(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":      "module example.com/sum\n\ngo 1.24\n",
		"sum.go":      "package sum\n\nfunc Sum(a, b int) int {\n\tif a == 0 {\n\t\treturn b\n\t}\n\treturn a + b\n}\n",
		"sum_test.go": "package sum\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tt.Run(\"small\", func(t *testing.T) {\n\t\tif Sum(2, 3) != 5 {\n\t\t\tt.Error(\"wrong\")\n\t\t}\n\t})\n}\n\nfunc TestZero(t *testing.T) {\n\tif Sum(0, 3) != 3 {\n\t\tt.Error(\"wrong\")\n\t}\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		before, after, test string
		noticed             bool
		says                string
	}{
		"noticed":               {"return a + b", "return a - b", "TestSum/small", true, "killed"},
		"not noticed":           {"return b", "return b + a", "TestZero", false, survived},
		"another test fails":    {"return a + b", "panic(1)", "TestSum/large", false, broken},
		"it does not compile":   {"return a + b", "return a +", "TestSum", false, broken},
		"no such line":          {"return a * b", "return a", "TestSum", false, "has no line"},
		"the line is twice":     {"}", "", "TestSum", false, "within"},
		"the test is not there": {"return a + b", "return a - b", "TestProduct", false, broken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := "promise: it adds\nfile: sum.go\n- " + c.before + "\n+ " + c.after + "\ntest: . " + c.test + "\n"
			faults := filepath.Join("..", filepath.Base(root), strings.ReplaceAll(name, " ", "-")+".txt")
			if err := os.WriteFile(filepath.Join(root, faults), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			err := run(t.Context(), []string{"-root", root, "-list", faults}, &out)
			if (err == nil) != c.noticed || !strings.Contains(out.String(), c.says) {
				t.Errorf("the error is %v, and it printed:\n%s\nwant %q", err, out.String(), c.says)
			}
		})
	}
}
