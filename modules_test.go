package orth_test

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

var update = flag.Bool("update", false, "write the golden files")

// programs are the folders of the modules that have programs for users, and the lists of what
// is built into them.
var programs = map[string]string{".": "modules.txt", "solana": "modules-solana.txt"}

// listModules returns, by a template, the modules of what packages of the module in a folder
// need. Variables are those of the go command.
func listModules(t *testing.T, folder, template, packages string, variables ...string) []string {
	t.Helper()
	arguments := append([]string{"list", "-deps", "-f", "{{with .Module}}{{if not .Main}}" + template + "{{end}}{{end}}"}, strings.Fields(packages)...)
	command := exec.CommandContext(t.Context(), "go", arguments...)
	command.Dir = folder
	command.Env = append(os.Environ(), variables...)
	out, err := command.Output()
	if exit, failed := errors.AsType[*exec.ExitError](err); failed {
		t.Fatalf("%s in %s: %v\n%s", command, folder, err, exit.Stderr)
	} else if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool {
		return line == "" || strings.HasPrefix(line, modulePath+" ") // the main one, in another
	})
	return slices.Compact(slices.Sorted(slices.Values(lines)))
}

// versions is the template for a module's path and version, or what replaces it.
const versions = "{{.Path}} {{with .Replace}}=> {{.Path}}{{else}}{{.Version}}{{end}}"

// TestModulesBuiltIn compares the modules that are built into the programs, on any of their
// platforms, with the lists in testdata: what is new, or has changed, is seen in review
// with the sum of its content, and can be looked up where weaknesses are told of.
func TestModulesBuiltIn(t *testing.T) {
	t.Parallel()
	for folder, list := range programs {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			sums, err := os.ReadFile(filepath.Join(folder, "go.sum"))
			if err != nil {
				t.Fatal(err)
			}
			built := map[string]bool{}
			for _, system := range []string{"linux", "darwin", "windows"} {
				for _, module := range listModules(t, folder, versions, "./cmd/...", "GOWORK=off", "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0") {
					built[module] = true
				}
			}
			var got bytes.Buffer
			for _, module := range slices.Sorted(maps.Keys(built)) {
				sum := sumOf(string(sums), module)
				if sum == "" && !strings.Contains(module, " => ./") { // one in this repository
					t.Errorf("go.sum has no sum of %s", module)
				}
				got.WriteString(strings.TrimSpace(module+" "+sum) + "\n")
			}
			path := filepath.Join("testdata", list)
			if *update {
				if err := os.WriteFile(path, got.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, change := range difference(string(want), got.String()) {
				t.Errorf("%s: look at what it does and at what is known of it, then 'go test -run TestModulesBuiltIn . -update'", change)
			}
		})
	}
}

// TestModulesAreLicensed finds modules that are built into the programs and come without
// a licence: nobody may hand these on.
func TestModulesAreLicensed(t *testing.T) {
	t.Parallel()
	for folder := range programs {
		for _, line := range listModules(t, folder, "{{if not .Replace}}{{.Path}} {{.Dir}}{{end}}", "./cmd/...", "GOWORK=off") {
			module, dir, _ := strings.Cut(line, " ")
			if dir == "" {
				continue
			}
			files, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(files, func(file os.DirEntry) bool { return licensePattern.MatchString(file.Name()) }) {
				t.Errorf("%s has no licence: ask for one, or do without it", module)
			}
		}
	}
}

// TestWorkspaceChangesNoVersion: packages and their tests are built from the same versions in
// the workspace, where tests run, and from their module alone, which is what "go install" and
// releases do.
func TestWorkspaceChangesNoVersion(t *testing.T) {
	t.Parallel()
	for _, folder := range append([]string{"."}, wings...) {
		together := listModules(t, folder, versions, "-test ./...")
		alone := listModules(t, folder, versions, "-test ./...", "GOWORK=off")
		for _, change := range difference(strings.Join(alone, "\n"), strings.Join(together, "\n")) {
			if !strings.Contains(change, " => ") { // a path that is replaced is another one from go.work
				t.Errorf("%s, in the workspace: %s: give each go.mod the same version", folder, change)
			}
		}
	}
}

// apart are the modules that the workspace leaves out: versions that meet those of no other
// program, and what a go.mod replaces.
var apart = []string{"interop/oidc", "interop/versitygw", "solana/treeout"}

// TestWorkspace: go.work names every module of the repository that is not apart, and the main
// one can be installed by its path, which a replacement in its go.mod would forbid.
func TestWorkspace(t *testing.T) {
	t.Parallel()
	for _, wrong := range unusedModules(t, os.DirFS(".")) {
		t.Error(wrong)
	}
	own := read(t, "go.mod")
	if strings.Contains(own, "\nreplace ") || strings.Contains(own, modulePath+"/") {
		t.Error("go.mod replaces a module, or needs another one of this repository")
	}
}

// unusedModules returns the modules of a tree that its go.work does not name, and those that it
// names although they are apart or not there.
func unusedModules(t *testing.T, tree fs.FS) (wrong []string) {
	t.Helper()
	work, err := fs.ReadFile(tree, "go.work")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for line := range strings.Lines(string(work)) {
		if name := strings.TrimSpace(line); name == "." || strings.HasPrefix(name, "./") {
			used[path.Clean(name)] = true
		}
	}
	err = fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() == "node_modules" || entry.Name() == "testdata" || name != "." && entry.Name()[0] == '.' {
			if err == nil && entry.IsDir() {
				return fs.SkipDir
			}
			return err
		}
		if folder := path.Dir(name); path.Base(name) == "go.mod" {
			if used[folder] == slices.Contains(apart, folder) {
				wrong = append(wrong, folder+" has a go.mod: name it in go.work or in the list of those that are apart")
			}
			delete(used, folder)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range slices.Sorted(maps.Keys(used)) {
		wrong = append(wrong, "go.work names "+folder+", which has no go.mod")
	}
	return wrong
}

func TestUnusedModulesAreFound(t *testing.T) {
	t.Parallel()
	got := unusedModules(t, fstest.MapFS{
		"go.work":               {Data: []byte("go 1.26.0\n\nuse (\n\t.\n\t./gone\n\t./solana\n\t./solana/treeout\n)\n")},
		"go.mod":                {},
		"solana/go.mod":         {},
		"solana/treeout/go.mod": {},
		"fresh/go.mod":          {},
		"interop/oidc/go.mod":   {},
		"x/node_modules/go.mod": {},
		"x/testdata/go.mod":     {},
		".cache/x/go.mod":       {},
	})
	want := []string{
		"fresh has a go.mod: name it in go.work or in the list of those that are apart",
		"solana/treeout has a go.mod: name it in go.work or in the list of those that are apart",
		"go.work names gone, which has no go.mod",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

var licensePattern = regexp.MustCompile(`(?i)^(licen[cs]e|copying)`)

// sumOf returns the sum of a module, "path version", in the text of a go.sum; empty when
// it has none.
func sumOf(sums, module string) string {
	for line := range strings.Lines(sums) {
		if sum, of := strings.CutPrefix(line, module+" "); of {
			return strings.TrimSpace(sum)
		}
	}
	return ""
}

// difference returns the lines that only one of two texts has.
func difference(old, fresh string) (all []string) {
	had, has := strings.Split(strings.TrimSpace(old), "\n"), strings.Split(strings.TrimSpace(fresh), "\n")
	for _, line := range had {
		if !slices.Contains(has, line) {
			all = append(all, "gone: "+line)
		}
	}
	for _, line := range has {
		if !slices.Contains(had, line) {
			all = append(all, "new: "+line)
		}
	}
	return all
}

func TestModulesThatChange(t *testing.T) {
	t.Parallel()
	got := difference("a v1 h1:x\nb v1 h1:y\n", "a v1 h1:z\nb v1 h1:y\nc v1 h1:w\n")
	if want := []string{"gone: a v1 h1:x", "new: a v1 h1:z", "new: c v1 h1:w"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if sum := sumOf("a v1/go.mod h1:m\na v1 h1:x\n", "a v1"); sum != "h1:x" {
		t.Errorf("the sum is %q", sum)
	}
}
