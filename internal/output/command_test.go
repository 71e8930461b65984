package output

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/job"
)

// tree returns a command with a subcommand that has one of its own, and the names of those that ran.
func tree(out *bytes.Buffer) (root *cobra.Command, ran *[]string) {
	ran = new([]string)
	leaf := &cobra.Command{Use: "leaf", RunE: func(cmd *cobra.Command, _ []string) error { *ran = append(*ran, cmd.Name()); return nil }}
	root = Parent(&cobra.Command{Use: "root", SilenceErrors: true, SilenceUsage: true}, Parent(&cobra.Command{Use: "branch"}, leaf))
	root.SetOut(out)
	root.SetErr(out)
	return root, ran
}

func TestParentPrintsItsHelp(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	root, _ := tree(&out)
	root.SetArgs([]string{"branch"})
	if err := root.ExecuteContext(t.Context()); err != nil || !bytes.Contains(out.Bytes(), []byte("root branch [command]")) {
		t.Errorf("%v, %s", err, &out)
	}
	root.SetArgs([]string{"branch", "twig"})
	if err := root.ExecuteContext(t.Context()); err == nil {
		t.Error("a subcommand that there is not is taken")
	}
}

func TestBefore(t *testing.T) {
	t.Parallel()
	root, ran := tree(new(bytes.Buffer))
	var wrong error
	Before(root, func(*cobra.Command, []string) error { *ran = append(*ran, "before"); return wrong })
	do := func(args ...string) error {
		*ran = nil
		root.SetArgs(args)
		return root.ExecuteContext(t.Context())
	}
	if err := do("branch", "leaf"); err != nil || fmt.Sprint(*ran) != "[before leaf]" {
		t.Errorf("%v, %v", *ran, err)
	}
	if err := do("branch", "leaf", "--unknown"); err == nil || len(*ran) > 0 {
		t.Errorf("with a wrong command line: %v, %v", *ran, err)
	}
	wrong = Usagef("--%s: is wrong", "flag")
	if err := do("branch", "leaf"); !errors.Is(err, UsageError{"--flag: is wrong"}) || fmt.Sprint(*ran) != "[before]" {
		t.Errorf("%v, %v", *ran, err)
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	flag := func(field string) string {
		if field == "" {
			return ""
		}
		return "--" + field
	}
	for _, c := range []struct {
		err           error
		message, hint string
	}{
		{errors.New("the disk is full"), "the disk is full", ""},
		{fmt.Errorf("wait: %w", context.Canceled), "interrupted", ""},
		{fmt.Errorf("save: %w", &job.Error{Kind: job.Conflict, Message: "it changed", Hint: "load it again"}), "it changed", "load it again"},
		{job.FieldErrorf("zone", "there is no Mars"), "--zone: there is no Mars", ""},
	} {
		if message, hint := Explain(c.err, flag); message != c.message || hint != c.hint {
			t.Errorf("%v: %q, %q", c.err, message, hint)
		}
	}
}

func TestTold(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	root, _ := tree(&out)
	PrintUsageError(&out, root.Commands()[0], errors.New("unknown flag: --x"))
	PrintFailure(&out, "root", "it changed", "load it again")
	PrintFailure(&out, "root", "interrupted", "")
	const want = "root: unknown flag: --x\n      see 'root branch --help'\nroot: it changed\n      load it again\nroot: interrupted\n"
	if out.String() != want {
		t.Errorf("told: %s, want %s", &out, want)
	}
}

// Mistakes in flags are told in words for people, and say what was meant.
func TestSpeak(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"branch leaf":                    "--must is required: the text that there has to be",
		"branch leaf --must 1 --times x": `--times: "x" is not an integer`,

		"branch leaf --must 1 --times 99999999999999999999": `--times: "99999999999999999999" is out of range`,
		"branch leaf --must 1 --size -1":                    `--size: "-1" is not a non-negative integer`,
		"branch leaf --must 1 --wait soon":                  `--wait: "soon" is not a duration such as 500ms, 30s or 1h30m`,
		"branch leaf --must 1 --ratio half":                 `--ratio: "half" is not a number`,
		"branch leaf --must 1 --yes=perhaps":                `--yes: "perhaps" must be true or false`,
		"branch leaf --must 1 --key s3cret":                 "--key: is no key",
		"branch leaf --must":                                "--must needs a value: text",
		"branch leaf --must 1 --time 3":                     "unknown flag: --time: did you mean --times?",
		"branch leaf --must 1 --colour":                     "unknown flag: --colour",
		"help branch lef":                                   `unknown command "lef" for "root branch": did you mean 'root branch leaf'?`,
		"help nothing":                                      `unknown command "nothing" for "root"`,
		"completion tcsh":                                   `unknown command "tcsh" for "root completion"`,
		"help branch leaf":                                  "",
	} {
		root, _ := tree(new(bytes.Buffer))
		leaf, _, err := root.Find([]string{"branch", "leaf"})
		if err != nil {
			t.Fatal(err)
		}
		flags := leaf.Flags()
		flags.Int("times", 0, "")
		flags.Uint64("size", 0, "")
		flags.Duration("wait", 0, "")
		flags.Float64("ratio", 0, "")
		flags.Bool("yes", false, "")
		flags.Var(new(keyed), "key", "")
		flags.String("must", "", "the `text` that there has to be")
		if err := leaf.MarkFlagRequired("must"); err != nil {
			t.Fatal(err)
		}
		DescribeFlagErrors(root)
		root.SetArgs(strings.Fields(line))
		err = root.ExecuteContext(t.Context())
		if told := fmt.Sprint(err); want == "" && err != nil || want != "" && told != want {
			t.Errorf("%s: %s", line, told)
		}
	}
}

// keyed is a flag that takes nothing, and whose texts are nobody's business.
type keyed struct{}

func (*keyed) Confidential()    {}
func (*keyed) String() string   { return "" }
func (*keyed) Set(string) error { return errors.New("is no key") }
func (*keyed) Type() string     { return "keys" }
