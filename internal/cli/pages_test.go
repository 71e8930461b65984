package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthd/orth/internal/cli"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/pagetest"
	"github.com/orthd/orth/internal/process"
)

// papers returns the pages of the repository, by their paths.
func papers(t *testing.T) map[string]string {
	t.Helper()
	found, err := pagetest.Pages(os.DirFS(filepath.Join("..", "..")))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Every command line that a page shows, and every command that a sentence names, is one
// that the program understands. Those of orth-solana are for its own tests.
func TestPagesShowCommandsThatExist(t *testing.T) {
	t.Parallel()
	looked, orth := 0, pagetest.Of(cli.New(kit.Config{}))
	for name, text := range papers(t) {
		wrong, lines := orth.WrongLines(text)
		looked += lines
		for _, trouble := range wrong {
			t.Errorf("%s: %s", name, trouble)
		}
	}
	if looked < 400 {
		t.Errorf("only %d commands were found", looked)
	}
}

// So is each example of the help.
func TestExamplesAreUnderstood(t *testing.T) {
	t.Parallel()
	for _, trouble := range pagetest.Of(cli.New(kit.Config{})).WrongExamples() {
		t.Error(trouble)
	}
}

// Every flag that a page names alone is one of some command, and every variable one that
// a program reads. The golden help of orth-solana lists what that program has.
func TestPagesNameSettingsThatExist(t *testing.T) {
	t.Parallel()
	flags := map[string]bool{"--help": true, "--version": true}
	for _, ofOthers := range []string{"--defaults-extra-file", "--enable-feature"} { // MySQL's clients, Prometheus
		flags[ofOthers] = true
	}
	variables := map[string]bool{"ORTH_JOB_RESULT_FILE": true, "ORTH_TEST_SEED": true, "ORTH_REQUIRE_TOOLS": true}
	for _, given := range (process.Facts{RunID: 1, Try: 1, Deadline: time.Unix(1, 0)}).Environ() {
		name, _, _ := strings.Cut(given, "=")
		variables[name] = true
	}
	see := func(flag string) {
		flags[flag] = true
		words := strings.ToUpper(strings.ReplaceAll(flag[2:], "-", "_"))
		variables["ORTH_"+words], variables["ORTH_SOLANA_"+words] = true, true
	}
	err := output.EveryCommand(cli.New(kit.Config{}), func(cmd *cobra.Command) error {
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			see("--" + flag.Name)
			for _, named := range pagetest.Variables(flag.Usage) {
				variables[named] = true
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	solana, err := os.ReadFile(filepath.Join("..", "..", "solana", "cli", "testdata", "help.golden"))
	if err != nil {
		t.Fatal(err)
	}
	for _, flag := range regexp.MustCompile(`--[a-z][a-z0-9-]*`).FindAllString(string(solana), -1) {
		see(flag)
	}
	for _, variable := range pagetest.Variables(string(solana)) {
		variables[variable] = true
	}
	for name, text := range papers(t) {
		for _, flag := range pagetest.Flags(text) {
			if !flags[flag] {
				t.Errorf("%s: no command has the flag %s", name, flag)
			}
		}
		for _, variable := range pagetest.Variables(text) {
			// Labels of jobs and secrets of channels have names that users choose.
			chosen := strings.HasPrefix(variable, "ORTH_LABEL_") || strings.HasPrefix(variable, "ORTH_CHANNEL_")
			if !variables[variable] && !chosen {
				t.Errorf("%s: nothing reads %s", name, variable)
			}
		}
	}
}

// Every setting of a server and of an executor is told of by a page; one whose secret may
// stand in a file by that file.
func TestPagesTellOfEverySetting(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for name, text := range papers(t) {
		if name != "CHANGELOG.md" {
			all.WriteString(text)
		}
	}
	told := map[string]bool{}
	for _, flag := range regexp.MustCompile(`--[a-z0-9-]+`).FindAllString(all.String(), -1) {
		told[flag] = true
	}
	root := cli.New(kit.Config{})
	for _, name := range []string{"server", "executor", "dev"} {
		cmd, _, err := root.Find([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			if !flag.Hidden && !told["--"+flag.Name] && !told["--"+flag.Name+"-file"] {
				t.Errorf("no page tells of --%s of %s", flag.Name, cmd.CommandPath())
			}
		})
	}
}

func TestWrongLinesAreFound(t *testing.T) {
	t.Parallel()
	page := strings.Join([]string{
		"Say `orth job lost`, `orth run list --wide`, `orth cluster list\\|shed`, `orth job list -A | wc -l` or `pg_dump --x`.",
		"```sh", "# orth nothing", "$ orth job show a b   # two", "X=1 ORTH_TOKEN=$(cat t) ./orth job trigger 'a b' \\", "    --param '#1' > out; ls",
		"orth run list --since", "go run ./cmd/orth run log 1 --follo", "orth job create … --nope", "```", "", "    orth run lsx", "    orth-solana queue ls", "",
	}, "\n")
	wrong, lines := pagetest.Of(cli.New(kit.Config{})).WrongLines(page)
	want := []string{
		"orth job show a b: too many arguments: orth job show KEY",
		"orth run list --since: flag needs an argument: --since",
		"go run ./cmd/orth run log 1 --follo: unknown flag: --follo",
		"orth job create … --nope: orth job create has no flag --nope",
		`orth run lsx: unknown command "lsx" for "orth run": did you mean 'orth run list'?`,
		"orth job lost: orth job has no command lost",
		"orth run list --wide: orth run list has no flag --wide",
		"orth cluster shed: orth cluster has no command shed",
	}
	if diff := cmp.Diff(want, wrong); diff != "" || lines != 10 {
		t.Errorf("%d lines: %s", lines, diff)
	}
}
