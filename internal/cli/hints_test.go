package cli_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// aHint is a command in a sentence of a program: in quotes, with the names of files and
// things filled in when it is printed.
var (
	aHint  = regexp.MustCompile("['`](orth(?:-solana)? [a-z][^'`]*)['`]")
	aVerb  = regexp.MustCompile(`%[-+# 0]*[0-9.*]*[a-zA-Z]`)
	inCode = regexp.MustCompile("\"(orth(?:-solana)? [a-z][^\"\n]*)\"|'(orth(?:-solana)? [a-z][^'\n]*)'|`(orth(?:-solana)? [a-z][^`]*)`|[“「'](orth(?:-solana)? [a-z][^”」'\n]*)[”」']")
	filler = regexp.MustCompile(`\$?\{[^}]*\}`)
)

// filled stands for what is filled in.
const filled = "1"

// sentences returns the texts of a Go file: literals, and sums of them with what else they
// have filled in.
func sentences(t *testing.T, path string) (found []string) {
	t.Helper()
	file, err := parser.ParseFile(gotoken.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var text func(e ast.Expr) string
	text = func(e ast.Expr) string {
		switch e := e.(type) {
		case *ast.BasicLit:
			if plain, err := strconv.Unquote(e.Value); err == nil && e.Kind == gotoken.STRING {
				return plain
			}
		case *ast.BinaryExpr:
			if e.Op == gotoken.ADD {
				return text(e.X) + text(e.Y)
			}
		case *ast.ParenExpr:
			return text(e.X)
		}
		return filled
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch e := n.(type) {
		case *ast.BinaryExpr:
			if e.Op == gotoken.ADD {
				found = append(found, text(e))
				return false
			}
		case *ast.BasicLit:
			found = append(found, text(e))
		}
		return true
	})
	return found
}

// sources returns the files below the folders of the repository that end so.
func sources(t *testing.T, folders []string, ends ...string) (found []string) {
	t.Helper()
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join("..", "..", folder), func(path string, entry fs.DirEntry, err error) error {
			for _, end := range ends {
				if err == nil && !entry.IsDir() && strings.HasSuffix(path, end) && !strings.Contains(path, "test") {
					found = append(found, path)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// wrongHint says what a program would say of a command that another one prints. One with
// something filled in is meant to be copied and must be whole; of the others a sentence
// may leave out arguments.
func wrongHint(known map[string]*cobra.Command, hint string, whole bool) error {
	for _, line := range words(hint) {
		root, args := programOf(known, line)
		if root == nil || len(args) == 0 || args[0] == filled {
			continue
		}
		check := wrongMention
		if whole {
			check = wrongLine
		}
		if err := check(root, args); err != nil {
			return fmt.Errorf("%q: %w", hint, err)
		}
	}
	return nil
}

// TestHintsAreCommands: every command that a program or the console prints for people,
// in hints, errors, warnings and empty pages, is one that the programs understand.
func TestHintsAreCommands(t *testing.T) {
	t.Parallel()
	known, looked := programs(), 0
	for _, path := range sources(t, []string{"internal", "api", "client", "job", "alarm", "access", "schedule", "executor", "handler", "solana", "cmd"}, ".go") {
		for _, sentence := range sentences(t, path) {
			for _, hint := range aHint.FindAllStringSubmatch(sentence, -1) {
				looked++
				text := aVerb.ReplaceAllString(hint[1], filled)
				if err := wrongHint(known, text, text != hint[1]); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			}
		}
	}
	if looked < 150 {
		t.Errorf("only %d hints were found in the programs", looked)
	}
	looked = 0
	for _, path := range sources(t, []string{"console/app/src"}, ".ts", ".tsx") {
		code, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range inCode.FindAllStringSubmatch(string(code), -1) {
			looked++
			hint := strings.Join(match[1:], "")
			err := wrongHint(known, filler.ReplaceAllString(hint, filled), strings.Contains(hint, "--"))
			if err != nil { // what is filled in may be flags
				err = wrongHint(known, filler.ReplaceAllString(hint, ""), true)
			}
			if err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	if looked < 15 {
		t.Errorf("only %d commands were found in the console", looked)
	}
}
