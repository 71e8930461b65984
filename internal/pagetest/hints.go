package pagetest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
)

// aHint is a command in a sentence of a program: in quotes, with the names of files and
// things filled in when it is printed.
var (
	aHint  = regexp.MustCompile("['`](orth(?:-solana)? [a-z][^'`]*)['`]")
	aVerb  = regexp.MustCompile(`%[-+# 0]*[0-9.*]*[a-zA-Z]`)
	inCode = regexp.MustCompile("\"(orth(?:-solana)? [a-z][^\"\n]*)\"|'(orth(?:-solana)? [a-z][^'\n]*)'|`(orth(?:-solana)? [a-z][^`]*)`|[“「'](orth(?:-solana)? [a-z][^”」'\n]*)[”」']")
	filler = regexp.MustCompile(`\$?\{[^}]*\}`)
)

// speakers are the folders of the repository whose programs print commands for people.
var speakers = []string{"internal", "api", "client", "job", "alarm", "access", "schedule", "executor", "handler", "solana", "cmd"}

// filled stands for what is filled in.
const filled = "1"

// sentences returns the texts of a Go file: literals, and sums of them with what else they
// have filled in.
func sentences(code []byte) (found []string, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", code, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var text func(e ast.Expr) string
	text = func(e ast.Expr) string {
		switch e := e.(type) {
		case *ast.BasicLit:
			if plain, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
				return plain
			}
		case *ast.BinaryExpr:
			if e.Op == token.ADD {
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
			if e.Op == token.ADD {
				found = append(found, text(e))
				return false
			}
		case *ast.BasicLit:
			found = append(found, text(e))
		}
		return true
	})
	return found, nil
}

// sources visits the files of a tree's folder that end so; tests and their data are none.
func sources(root fs.FS, folder string, ends []string, visit func(code []byte, name string) error) error {
	return fs.WalkDir(root, folder, func(name string, entry fs.DirEntry, err error) error {
		for _, end := range ends {
			if err != nil || entry.IsDir() || !strings.HasSuffix(name, end) || strings.Contains(name, "test") {
				continue
			}
			code, err := fs.ReadFile(root, name)
			if err != nil {
				return err
			}
			return visit(code, name)
		}
		return err
	})
}

// wrongHint returns what is wrong with a command that a program prints, and whether it is one of
// this program. A hint with something filled in is meant to be copied and must be whole; of the
// others a sentence may leave out arguments.
func (p *Program) wrongHint(hint string, whole bool) (ours bool, err error) {
	for _, line := range Words(hint) {
		args, calls := p.arguments(line)
		ours = ours || calls
		if !calls || len(args) == 0 || args[0] == filled {
			continue
		}
		check := wrongMention
		if whole {
			check = wrongLine
		}
		if err := check(p.root, args); err != nil {
			return ours, fmt.Errorf("%q: %w", hint, err)
		}
	}
	return ours, nil
}

// WrongPrinted returns what is wrong with the program's commands in a text that was printed.
func (p *Program) WrongPrinted(text string) (wrong []string) {
	for _, hint := range aHint.FindAllStringSubmatch(text, -1) {
		if _, err := p.wrongHint(hint[1], false); err != nil {
			wrong = append(wrong, err.Error())
		}
	}
	return wrong
}

// WrongHints returns what is wrong with the program's commands in the code of the repository,
// which prints them in hints, errors and warnings, and how many there are.
func (p *Program) WrongHints(root fs.FS) (wrong []string, looked int, err error) {
	for _, folder := range speakers {
		if err := sources(root, folder, []string{".go"}, func(code []byte, name string) error {
			texts, err := sentences(code)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			for _, text := range texts {
				for _, hint := range aHint.FindAllStringSubmatch(text, -1) {
					shown := aVerb.ReplaceAllString(hint[1], filled)
					ours, err := p.wrongHint(shown, shown != hint[1])
					if ours {
						looked++
					}
					if err != nil {
						wrong = append(wrong, fmt.Sprintf("%s: %v", name, err))
					}
				}
			}
			return nil
		}); err != nil {
			return nil, 0, err
		}
	}
	return wrong, looked, nil
}

// WrongInConsole is WrongHints for the code of the console.
func (p *Program) WrongInConsole(root fs.FS) (wrong []string, looked int, err error) {
	err = sources(root, "console/app/src", []string{".ts", ".tsx"}, func(code []byte, name string) error {
		for _, match := range inCode.FindAllStringSubmatch(string(code), -1) {
			hint := strings.Join(match[1:], "")
			ours, err := p.wrongHint(filler.ReplaceAllString(hint, filled), strings.Contains(hint, "--"))
			if err != nil { // what is filled in may be flags
				_, err = p.wrongHint(filler.ReplaceAllString(hint, ""), true)
			}
			if ours {
				looked++
			}
			if err != nil {
				wrong = append(wrong, fmt.Sprintf("%s: %v", name, err))
			}
		}
		return nil
	})
	return wrong, looked, err
}
