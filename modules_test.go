package orth_test

import (
	"bytes"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// TestModulesBuiltIn compares the modules that are built into the programs, on any of their
// platforms, with testdata/modules.txt: what is new, or has changed, is seen in review
// with the sum of its content, and can be looked up where weaknesses are told of.
func TestModulesBuiltIn(t *testing.T) {
	t.Parallel()
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	built := map[string]bool{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		command := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{with .Replace}}=> {{.Path}}{{else}}{{.Version}}{{end}}{{end}}{{end}}", "./cmd/...")
		command.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
		out, err := command.Output()
		if err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		for line := range strings.Lines(string(out)) {
			if module := strings.TrimSpace(line); module != "" {
				built[module] = true
			}
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
	path := filepath.Join("testdata", "modules.txt")
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
}

// TestModulesAreLicensed finds modules that are built into the programs and come without
// a licence: nobody may hand these on.
func TestModulesAreLicensed(t *testing.T) {
	t.Parallel()
	command := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{if not (or .Main .Replace)}}{{.Path}} {{.Dir}}{{end}}{{end}}", "./cmd/...")
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	for _, line := range slices.Compact(slices.Sorted(strings.Lines(string(out)))) {
		module, dir, _ := strings.Cut(strings.TrimSpace(line), " ")
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
