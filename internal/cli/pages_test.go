package cli_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthd/orth/internal/cli"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/process"
	solana "github.com/orthd/orth/solana/cli"
)

var (
	codeBlock  = regexp.MustCompile("(?ms)^[ \t]*```[a-z]*\n(.*?)^[ \t]*```|((?:^ {4}\\S.*\n)+)") //nolint:gocritic // with (?m) a ^ begins any line
	codeInLine = regexp.MustCompile("`([^`\n]+)`")
	aFlag      = regexp.MustCompile(`^--[a-z0-9-]+$`)
	aVariable  = regexp.MustCompile(`\bORTH_[A-Z0-9_]*[A-Z0-9]\b`)
	anOpening  = regexp.MustCompile(`(?m)^\s*(\$ )?`)
)

// programs makes the commands whose lines the pages show, by what a line calls them.
func programs() map[string]*cobra.Command {
	orth, executor := cli.New(cli.Config{}), solana.New(solana.Config{})
	orth.InitDefaultHelpCmd()
	executor.InitDefaultHelpCmd()
	return map[string]*cobra.Command{"orth": orth, "./orth": orth, "orth-solana": executor, "./orth-solana": executor}
}

// words splits lines of a shell into commands, each a list of words, as far as pages need
// it: quotes, comments, continued lines, pipes. What is redirected is left out, variables
// and substitutions stay as they are written.
func words(text string) (commands [][]string) {
	var line []string
	var word strings.Builder
	begun, quote, depth := false, rune(0), 0
	endWord := func() {
		if begun {
			line = append(line, word.String())
		}
		word.Reset()
		begun = false
	}
	endLine := func() {
		endWord()
		for i := 0; i < len(line); i++ {
			if line[i] == "<" || line[i] == ">" {
				line = slices.Delete(line, i, min(i+2, len(line)))
				i--
			}
		}
		if len(line) > 0 {
			commands = append(commands, line)
		}
		line = nil
	}
	comment := false
	runes := []rune(strings.ReplaceAll(strings.ReplaceAll(text, "\\\r\n", " "), "\\\n", " "))
	for i, r := range runes {
		switch {
		case comment && r != '\n':
		case quote != 0 && r != quote, depth > 0 && r != ')' && r != '(':
			word.WriteRune(r)
		case quote != 0:
			quote = 0
		case r == '\n', r == '|', r == ';', r == '&':
			comment = false
			endLine()
		case r == '(' || r == ')':
			if begun = true; r == '(' {
				depth++
			} else {
				depth = max(depth-1, 0)
			}
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, begun = r, true
		case r == ' ' || r == '\t':
			endWord()
		case (r == '<' || r == '>') && (i == 0 || !begun):
			word.WriteRune(r)
			begun = true
			endWord()
		case r == '#' && !begun:
			comment = true
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	endLine()
	return commands
}

// programOf returns the program that a line calls and its arguments, nil for one of others.
func programOf(known map[string]*cobra.Command, line []string) (*cobra.Command, []string) {
	for len(line) > 0 && (aVariable.MatchString(line[0]) && strings.Contains(line[0], "=") || line[0] == "$" || line[0] == "sudo") {
		line = line[1:]
	}
	if len(line) > 2 && line[0] == "go" && line[1] == "run" {
		line = append([]string{path.Base(line[2])}, line[3:]...)
	}
	if len(line) == 0 || known[line[0]] == nil {
		return nil, nil
	}
	return known[line[0]], line[1:]
}

// wrongLine says what a program would say of the arguments in a block of code, without
// doing what they ask for.
func wrongLine(root *cobra.Command, args []string) error {
	if slices.ContainsFunc(args, func(word string) bool { return strings.Contains(word, "…") }) {
		return wrongMention(root, args) // the page leaves something out
	}
	root.InitDefaultCompletionCmd(args...)
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	cmd.InitDefaultHelpFlag()
	defer forget(cmd.Flags())
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	if !cmd.Runnable() {
		return fmt.Errorf("%s only holds others", cmd.CommandPath())
	}
	return cmd.ValidateArgs(cmd.Flags().Args())
}

// forget puts flags back to what they are without a command line.
func forget(flags *pflag.FlagSet) {
	flags.Visit(func(flag *pflag.Flag) {
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			_ = list.Replace(nil) // an empty list is fit for every flag
		} else {
			_ = flag.Value.Set(flag.DefValue)
		}
		flag.Changed = false
	})
}

// wrongMention says what is wrong with a command that a sentence names: a subcommand or
// a flag that there is not. Arguments and values may be missing.
func wrongMention(root *cobra.Command, args []string) error {
	cmd := root
	for i, word := range args {
		sub := slices.IndexFunc(cmd.Commands(), func(c *cobra.Command) bool { return c.Name() == word || c.HasAlias(word) })
		if sub < 0 {
			if letters := strings.TrimLeft(word, "-"); i == 0 && word == letters && word != strings.ToUpper(word) && word != "completion" {
				return fmt.Errorf("%s has no command %s", root.Name(), word)
			}
			if cmd.HasSubCommands() && cmd != root && regexp.MustCompile(`^[a-z-]+$`).MatchString(word) && !strings.HasPrefix(word, "-") && cmd.ValidateArgs([]string{word}) != nil {
				return fmt.Errorf("%s has no command %s", cmd.CommandPath(), word)
			}
			break
		}
		cmd = cmd.Commands()[sub]
	}
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	for _, word := range args {
		name, _, _ := strings.Cut(word, "=")
		switch {
		case aFlag.MatchString(name) && cmd.Flag(name[2:]) == nil && cmd != root:
			return fmt.Errorf("%s has no flag %s", cmd.CommandPath(), name)
		case len(name) == 2 && name[0] == '-' && name[1] != '-' && cmd != root && shorthand(cmd, name[1:]) == nil:
			return fmt.Errorf("%s has no flag %s", cmd.CommandPath(), name)
		}
	}
	return nil
}

func shorthand(cmd *cobra.Command, letter string) (found *pflag.Flag) {
	for _, flags := range []*pflag.FlagSet{cmd.Flags(), cmd.InheritedFlags()} {
		if flag := flags.ShorthandLookup(letter); flag != nil {
			found = flag
		}
	}
	return found
}

// variants returns a line for each of the alternatives that a sentence gives in one, such
// as status|plan|up.
func variants(line string) []string {
	line = strings.ReplaceAll(line, `\|`, "|")
	for word := range strings.FieldsSeq(line) {
		if strings.Trim(word, "|") != "" && strings.Contains(word, "|") {
			var all []string
			for either := range strings.SplitSeq(word, "|") {
				all = append(all, variants(strings.Replace(line, word, either, 1))...)
			}
			return all
		}
	}
	return []string{line}
}

// wrongLines returns what is wrong with the commands of a page, and how many it has.
func wrongLines(known map[string]*cobra.Command, page string) (wrong []string, lines int) {
	page = strings.ReplaceAll(page, "\r\n", "\n")
	for _, block := range codeBlock.FindAllStringSubmatch(page, -1) {
		for _, line := range words(anOpening.ReplaceAllString(block[1]+block[2], "")) {
			if root, args := programOf(known, line); root != nil {
				lines++
				if err := wrongLine(root, args); err != nil {
					wrong = append(wrong, fmt.Sprintf("%s: %v", strings.Join(line, " "), err))
				}
			}
		}
	}
	for _, code := range codeInLine.FindAllStringSubmatch(codeBlock.ReplaceAllString(page, ""), -1) {
		for _, line := range variants(code[1]) {
			for _, line := range words(line) {
				if root, args := programOf(known, line); root != nil && len(args) > 0 {
					lines++
					if err := wrongMention(root, args); err != nil {
						wrong = append(wrong, fmt.Sprintf("%s: %v", strings.Join(line, " "), err))
					}
				}
			}
		}
	}
	return wrong, lines
}

// renames lists names of the past beside those of today.
const renames = "docs/decisions/words.md"

// papers returns the pages of the repository but for renames, by their paths.
func papers(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	root := os.DirFS(filepath.Join("..", ".."))
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "examples/*/*.md"} {
		names, err := fs.Glob(root, pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if name == renames {
				continue
			}
			text, err := fs.ReadFile(root, name)
			if err != nil {
				t.Fatal(err)
			}
			found[name] = string(text)
		}
	}
	return found
}

// Every command line that a page shows, and every command that a sentence names, is one
// that the programs understand.
func TestPagesShowCommandsThatExist(t *testing.T) {
	t.Parallel()
	looked, known := 0, programs()
	for name, text := range papers(t) {
		wrong, lines := wrongLines(known, text)
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
	known := programs()
	for _, name := range []string{"orth", "orth-solana"} {
		if err := output.EveryCommand(known[name], func(cmd *cobra.Command) error {
			for _, line := range words(cmd.Example) {
				if root, args := programOf(known, line); root != nil {
					if err := wrongLine(root, args); err != nil {
						t.Errorf("%s: %s: %v", cmd.CommandPath(), strings.Join(line, " "), err)
					}
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// Every flag that a page names alone is one of some command, and every variable one that
// a program reads.
func TestPagesNameSettingsThatExist(t *testing.T) {
	t.Parallel()
	flags := map[string]bool{"--help": true, "--version": true}
	for _, ofOthers := range []string{"--defaults-extra-file", "--enable-feature"} { // MySQL's clients, Prometheus
		flags[ofOthers] = true
	}
	variables := map[string]bool{"ORTH_JOB_RESULT_FILE": true, "ORTH_TEST_SEED": true, "ORTH_REQUIRE_TOOLS": true}
	for _, given := range (process.Facts{RunID: 1, Try: 1, Deadline: time.Unix(1, 0)}).Environ() {
		variables[aVariable.FindString(given)] = true
	}
	for _, name := range []string{"orth", "orth-solana"} {
		if err := output.EveryCommand(programs()[name], func(cmd *cobra.Command) error {
			cmd.Flags().VisitAll(func(flag *pflag.Flag) {
				flags["--"+flag.Name] = true
				words := strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
				variables["ORTH_"+words], variables["ORTH_SOLANA_"+words] = true, true
				for _, named := range aVariable.FindAllString(flag.Usage, -1) {
					variables[named] = true
				}
			})
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range papers(t) {
		for _, code := range codeInLine.FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
			first, _, _ := strings.Cut(code[1], " ")
			if first, _, _ = strings.Cut(first, "="); aFlag.MatchString(first) && !flags[first] {
				t.Errorf("%s: no command has the flag %s", name, first)
			}
		}
		for _, variable := range aVariable.FindAllString(text, -1) {
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
	root := programs()["orth"]
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
		"orth run list --since", "go run ./cmd/orth run log 1 --follo", "orth job create … --nope", "```", "", "    orth-solana queue ls", "",
	}, "\n")
	wrong, lines := wrongLines(programs(), page)
	want := []string{
		"orth job show a b: too many arguments: orth job show KEY",
		"orth run list --since: flag needs an argument: --since",
		"go run ./cmd/orth run log 1 --follo: unknown flag: --follo",
		"orth job create … --nope: orth job create has no flag --nope",
		`orth-solana queue ls: unknown command "ls" for "orth-solana queue"`,
		"orth job lost: orth job has no command lost",
		"orth run list --wide: orth run list has no flag --wide",
		"orth cluster shed: orth cluster has no command shed",
	}
	if diff := cmp.Diff(want, wrong); diff != "" || lines != 10 {
		t.Errorf("%d lines: %s", lines, diff)
	}
}
