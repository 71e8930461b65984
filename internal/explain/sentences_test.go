package explain

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// callees are what sentences are made with, and which of the arguments is the
// code; the text stands behind it. Functions within others know the rest.
var callees = map[string]int{"sentence": 0, "one": 0, "with": 0, "addFact": 2, "add": 0}

// codeOf returns where a call has its code, -1 when it makes no sentence.
func codeOf(call *ast.CallExpr) int {
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		if at, ok := callees[f.Sel.Name]; ok && len(call.Args) > at+1 {
			return at
		}
	case *ast.Ident:
		if _, ok := callees[f.Name]; ok && len(call.Args) > 1 {
			return 0
		}
	}
	return -1
}

func literal(e ast.Expr) (string, bool) {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(l.Value)
	return text, err == nil
}

// sentences reads all sentences from the source: their texts by their codes.
func sentences(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found, set := make(map[string]string), token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			at := codeOf(call)
			if at < 0 {
				return true
			}
			if id, ok := call.Args[at].(*ast.Ident); ok && id.Name == "code" {
				return true // passed on
			}
			code, isCode := literal(call.Args[at])
			text, isText := literal(call.Args[at+1])
			if !isCode || !isText || code == "" || text == "" {
				t.Errorf("%s: write the code and the text of a sentence out where it is said", set.Position(call.Pos()))
				return true
			}
			if other, known := found[code]; known && other != text {
				t.Errorf("%s: code %q says %q, and elsewhere %q", set.Position(call.Pos()), code, text, other)
			}
			found[code] = text
			return true
		})
	}
	return found
}

// TestSentences keeps the list of all sentences, by which the console is held to
// have each of them in Chinese.
func TestSentences(t *testing.T) {
	t.Parallel()
	found := sentences(t)
	texts := make(map[string]string, len(found))
	for code, text := range found {
		if other, known := texts[text]; known {
			t.Errorf("%q and %q say the same", code, other)
		}
		texts[text] = code
		if strings.Trim(code, "abcdefghijklmnopqrstuvwxyz_") != "" {
			t.Errorf("%q: a code is lower case words with _ between them", code)
		}
	}
	got, err := json.MarshalIndent(found, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "sentences.json")
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
		t.Errorf("run the test with -update when this is wanted, and give the console the Chinese: %s", diff)
	}
}

// onList reads the list.
var onList = sync.OnceValue(func() map[string]string {
	all := make(map[string]string)
	data, err := os.ReadFile(filepath.Join("testdata", "sentences.json"))
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil {
		panic(err)
	}
	return all
})

// listed checks that a sentence is on the list, and that it has a value for each
// gap and no others.
func listed(t interface {
	Helper()
	Errorf(format string, args ...any)
}, said Sentence,
) {
	t.Helper()
	text, known := onList()[said.Code]
	if !known {
		t.Errorf("the code %q of %q is not on the list", said.Code, said.Text)
	}
	gaps := make(map[string]bool)
	for _, part := range strings.Split(text, "{")[1:] {
		name, _, _ := strings.Cut(part, "}")
		gaps[name] = true
	}
	for name := range said.Values {
		delete(gaps, name)
		if base, chinese := strings.CutSuffix(name, inChinese); chinese && said.Values[base] == "" || !chinese && !strings.Contains(text, "{"+name+"}") {
			t.Errorf("%q has no gap for %s", text, name)
		}
	}
	if len(gaps) > 0 {
		t.Errorf("%q lacks values for %v", said.Text, gaps)
	}
}
