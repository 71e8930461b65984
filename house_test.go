package orth_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

const modulePath = "github.com/orthd/orth"

// wings are the modules beside the main one that follow its rules: what Orth has to measure
// itself, and its executor of Solana's threads.
var wings = []string{"bench", "solana"}

// house is the tree as its rules see it: parsed sources of the main module and its wings, for
// every platform and build tag, without other nested modules.
type house struct {
	fset     *token.FileSet
	packages map[string]*room  // by directory, "." for the root
	papers   map[string]string // text of each go.mod and of docs/decisions, by path
}

// room is one directory with Go files.
type room struct {
	dir   string
	files []*source
}

// source is one Go file.
type source struct {
	name   string
	syntax *ast.File
	lines  int
	test   bool
}

// readHouse parses the tree. Directories that begin with a dot or an underscore,
// testdata, node_modules and nested modules but for the wings are no part of the
// house, nor are files that no build includes (build tag ignore).
func readHouse(tree fs.FS) (*house, error) {
	h := &house{fset: token.NewFileSet(), packages: map[string]*room{}, papers: map[string]string{}}
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && foreign(tree, name):
			return fs.SkipDir
		case entry.IsDir():
			return nil
		case path.Ext(name) == ".go":
			return h.readSource(tree, name)
		case path.Base(name) == "go.mod", path.Dir(name) == "docs/decisions":
			text, err := fs.ReadFile(tree, name)
			h.papers[name] = string(text)
			return err
		}
		return nil
	})
	return h, err
}

func foreign(tree fs.FS, dir string) bool {
	if dir == "." {
		return false
	}
	base := path.Base(dir)
	if base[0] == '.' || base[0] == '_' || base == "testdata" || base == "node_modules" {
		return true
	}
	_, err := fs.Stat(tree, path.Join(dir, "go.mod"))
	return err == nil && !slices.Contains(wings, dir)
}

// inWing reports whether a directory lies in another module than the main one.
func inWing(dir string) bool {
	wing, _, _ := strings.Cut(dir, "/")
	return slices.Contains(wings, wing)
}

func (h *house) readSource(tree fs.FS, name string) error {
	text, err := fs.ReadFile(tree, name)
	if err != nil {
		return err
	}
	if bytes.HasPrefix(text, []byte("//go:build ignore\n")) {
		return nil
	}
	syntax, err := parser.ParseFile(h.fset, name, text, parser.ParseComments)
	if err != nil {
		return err
	}
	dir := path.Dir(name)
	if h.packages[dir] == nil {
		h.packages[dir] = &room{dir: dir}
	}
	h.packages[dir].files = append(h.packages[dir].files, &source{
		name:   name,
		syntax: syntax,
		lines:  bytes.Count(text, []byte("\n")),
		test:   strings.HasSuffix(name, "_test.go"),
	})
	return nil
}

// dirs returns the packages' directories, sorted.
func (h *house) dirs() []string {
	var dirs []string
	for dir := range h.packages {
		dirs = append(dirs, dir)
	}
	slices.Sort(dirs)
	return dirs
}

// code returns the files that are not tests, in the order of their names.
func (h *house) code() []*source {
	var files []*source
	for _, dir := range h.dirs() {
		files = append(files, h.packages[dir].code()...)
	}
	return files
}

func (r *room) code() []*source {
	return slices.DeleteFunc(slices.Clone(r.files), func(s *source) bool { return s.test })
}

// imports returns what the package's code imports, sorted.
func (r *room) imports() []string {
	var paths []string
	for _, s := range r.code() {
		paths = append(paths, s.imports()...)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

func (s *source) imports() []string {
	var paths []string
	for _, spec := range s.syntax.Imports {
		text, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			panic(err) // the parser has read it already
		}
		paths = append(paths, text)
	}
	return paths
}

// local returns the directory of an import of the house: the paths of its modules are those of
// their directories.
func local(importPath string) (string, bool) {
	if importPath == modulePath {
		return ".", true
	}
	return strings.CutPrefix(importPath, modulePath+"/")
}

// external reports whether an import comes from another module.
func external(importPath string) bool {
	_, ours := local(importPath)
	host, _, _ := strings.Cut(importPath, "/")
	return !ours && strings.Contains(host, ".")
}

// at tells where a node stands, as file:line.
func (h *house) at(node ast.Node) string {
	position := h.fset.Position(node.Pos())
	return fmt.Sprintf("%s:%d", position.Filename, position.Line)
}

// built parses files given as path and text.
func built(t *testing.T, files map[string]string) *house {
	t.Helper()
	tree := fstest.MapFS{}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	h, err := readHouse(tree)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestReadHouseLeavesOutWhatIsNotOurs(t *testing.T) {
	t.Parallel()
	h := built(t, map[string]string{
		"go.mod":                      "module github.com/orthd/orth\n",
		"doc.go":                      "package orth\n",
		"job/job.go":                  "package job\n",
		"job/made.go":                 "//go:build ignore\n\npackage main\n",
		"job/testdata/broken.go":      "not Go",
		"interop/go.mod":              "module interop\n",
		"interop/interop.go":          "package interop\n",
		"solana/go.mod":               "module github.com/orthd/orth/solana\n",
		"solana/tpu/tpu.go":           "package tpu\n",
		"solana/treeout/go.mod":       "module treeout\n",
		"solana/treeout/treeout.go":   "package treeout\n",
		"console/node_modules/x/x.go": "package x\n",
		".cache/y/y.go":               "package y\n",
	})
	if got, want := fmt.Sprint(h.dirs()), "[. job solana/tpu]"; got != want {
		t.Errorf("packages %s, want %s", got, want)
	}
	if n := len(h.packages["job"].files); n != 1 {
		t.Errorf("job has %d files, want 1", n)
	}
}
