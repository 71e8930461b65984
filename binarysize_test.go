package orth_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maxBinary bounds the program for servers and executors, stripped, for linux/amd64, in
// bytes: its size and half a megabyte. docs/decisions/binary-size.md says what is in it.
// Lower the bound when the program gets smaller.
const maxBinary = 47_430_000

func TestBinarySize(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("links the whole program")
	}
	file := filepath.Join(t.TempDir(), "orth")
	command := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", file, "./cmd/orth")
	command.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", info.Size())
	if info.Size() > maxBinary {
		t.Errorf("the program has %d bytes, %d more than it may: see docs/decisions/binary-size.md for how to find what takes them", info.Size(), info.Size()-maxBinary)
	}
}

// TestNoTemplatesOfTheStandardLibrary: a program that executes one keeps every exported
// method of every type, because a template might call it. internal/template calls none.
func TestNoTemplatesOfTheStandardLibrary(t *testing.T) {
	t.Parallel()
	h, err := readHouse(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range h.dirs() {
		for _, s := range h.packages[dir].files {
			if s.test {
				continue
			}
			for _, imported := range s.syntax.Imports {
				if slices.Contains([]string{"text/template", "html/template"}, strings.Trim(imported.Path.Value, `"`)) {
					t.Errorf("%s imports %s: use internal/template", s.name, imported.Path.Value)
				}
			}
		}
	}
}
