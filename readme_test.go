package orth_test

import (
	"os"
	"strings"
	"testing"
)

// TestReadme keeps the README short, and its program the one that is compiled.
func TestReadme(t *testing.T) {
	t.Parallel()
	readme := read(t, "README.md")
	if n := strings.Count(readme, "\n"); n > 120 {
		t.Errorf("README.md has %d lines, at most 120 are meant to be read", n)
	}
	_, rest, _ := strings.Cut(readme, "```go\n")
	shown, _, found := strings.Cut(rest, "```")
	_, compiled, isProgram := strings.Cut(read(t, "examples/executor/main.go"), "package main\n")
	if !found || !isProgram || shown != "package main\n"+compiled {
		t.Error("the program in README.md is not examples/executor/main.go")
	}
	if n := strings.Count(shown, "\n"); n > 25 {
		t.Errorf("the program in README.md has %d lines, at most 25 are promised", n)
	}
	for _, command := range []string{"go run ./cmd/orth dev", "go test ./..."} {
		if !strings.Contains(readme, command) {
			t.Errorf("README.md does not say %q", command)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
