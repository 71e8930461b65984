package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/cli"
	"github.com/orthd/orth/internal/cli/kit"
)

// TestListsAreFitted: a golden file has the table of each command that lists things, so
// that golden prints it on screens of 60, 80 and 100 cells too.
func TestListsAreFitted(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "*.golden"))
	if err != nil {
		t.Fatal(err)
	}
	printed := make(map[string]bool) // command lines that print a table
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		line, rest, golden := strings.Cut(strings.TrimPrefix(string(text), "$ orth "), "\n")
		_, out, _ := strings.Cut(rest, "== standard output\n")
		head, _, _ := strings.Cut(out, "\n")
		if golden && strings.Contains(head, "  ") && strings.ToUpper(head) == head {
			printed[line] = true
		}
	}
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		// The table of contexts comes from a file, and has no times.
		if path := strings.TrimPrefix(cmd.CommandPath(), "orth "); cmd.Name() == "list" && path != "context list" {
			found := false
			for line := range printed {
				found = found || line == path || strings.HasPrefix(line, path+" ")
			}
			if !found {
				t.Errorf("no golden file has the table of 'orth %s'", path)
			}
		}
		for _, sub := range cmd.Commands() {
			check(sub)
		}
	}
	check(cli.New(kit.Config{}))
}
