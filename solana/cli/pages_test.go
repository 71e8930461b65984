package cli_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/orthd/orth/internal/pagetest"
	"github.com/orthd/orth/solana/cli"
)

// Every command line of the program that a page shows, and every command of it that a sentence
// names, is one that it understands. The tests of orth look at its flags and variables.
func TestPagesShowCommandsThatExist(t *testing.T) {
	t.Parallel()
	pages, err := pagetest.Pages(os.DirFS(filepath.Join("..", "..")))
	if err != nil {
		t.Fatal(err)
	}
	looked, program := 0, pagetest.Of(cli.New(cli.Config{}))
	for name, text := range pages {
		wrong, lines := program.WrongLines(text)
		looked += lines
		for _, trouble := range wrong {
			t.Errorf("%s: %s", name, trouble)
		}
	}
	if looked < 5 {
		t.Errorf("only %d commands were found", looked)
	}
}

// So is each example of the help.
func TestExamplesAreUnderstood(t *testing.T) {
	t.Parallel()
	for _, trouble := range pagetest.Of(cli.New(cli.Config{})).WrongExamples() {
		t.Error(trouble)
	}
}

// So is each command that a program or the console prints for people.
func TestHintsAreCommands(t *testing.T) {
	t.Parallel()
	program, root := pagetest.Of(cli.New(cli.Config{})), os.DirFS(filepath.Join("..", ".."))
	wrong, looked, err := program.WrongHints(root)
	if err != nil || looked < 5 {
		t.Errorf("only %d hints were found in the programs, %v", looked, err)
	}
	inConsole, looked, err := program.WrongInConsole(root)
	if err != nil || looked < 1 {
		t.Errorf("only %d commands were found in the console, %v", looked, err)
	}
	for _, trouble := range append(wrong, inConsole...) {
		t.Error(trouble)
	}
}

func TestWrongLinesAreFound(t *testing.T) {
	t.Parallel()
	got, _ := pagetest.Of(cli.New(cli.Config{})).WrongLines("`orth job lost`\n\n    orth-solana queue ls\n")
	if want := []string{`orth-solana queue ls: unknown command "ls" for "orth-solana queue"`}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
