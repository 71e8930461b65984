package cli_test

import (
	"bytes"
	"testing"

	"github.com/orthd/orth/internal/cli"
	"github.com/orthd/orth/internal/cli/kit"
)

// BenchmarkStart is what every call of orth costs before its own work begins: the tree
// of commands with their flags and completions, and the help of one.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		var out bytes.Buffer
		if code := cli.Execute(b.Context(), []string{"job", "list", "--help"}, kit.Config{Stdout: &out, Stderr: &out}); code != 0 {
			b.Fatal(out.String())
		}
	}
}
