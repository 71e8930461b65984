package cli_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/orthd/orth/internal/cli"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/pagetest"
)

// TestHintsAreCommands: every command of orth that a program or the console prints for people,
// in hints, errors, warnings and empty pages, is one that it understands. Those of orth-solana
// are for its own tests.
func TestHintsAreCommands(t *testing.T) {
	t.Parallel()
	orth, root := pagetest.Of(cli.New(kit.Config{})), os.DirFS(filepath.Join("..", ".."))
	wrong, looked, err := orth.WrongHints(root)
	if err != nil || looked < 150 {
		t.Errorf("only %d hints were found in the programs, %v", looked, err)
	}
	inConsole, looked, err := orth.WrongInConsole(root)
	if err != nil || looked < 15 {
		t.Errorf("only %d commands were found in the console, %v", looked, err)
	}
	for _, trouble := range append(wrong, inConsole...) {
		t.Error(trouble)
	}
}
