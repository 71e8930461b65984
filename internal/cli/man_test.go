package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
)

// Every command says what it does, in a sentence and with an example, and every flag
// says what it is for.
func TestEveryCommandIsDocumented(t *testing.T) {
	t.Parallel()
	commands := 0
	_ = output.EveryCommand(New(kit.Config{}), func(cmd *cobra.Command) error {
		commands++
		path := cmd.CommandPath()
		switch {
		case cmd.Short == "" || strings.HasSuffix(cmd.Short, "."):
			t.Errorf("%s: the short text is %q", path, cmd.Short)
		case !cmd.HasSubCommands() && cmd.Example == "":
			t.Errorf("%s has no example", path)
		case cmd.Example != "" && !strings.Contains(cmd.Example, path):
			t.Errorf("the example of %s does not show it: %s", path, cmd.Example)
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" {
				t.Errorf("%s --%s says nothing", path, f.Name)
			}
		})
		return nil
	})
	if commands < 80 {
		t.Errorf("only %d commands were found", commands)
	}
}

func TestManualPages(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "man1")
	var out, errs bytes.Buffer
	c := kit.Config{Stdout: &out, Stderr: &errs, Version: "1.2.3", Getenv: func(string) string { return "" }}
	if code := Execute(t.Context(), []string{"man", "--dir", dir}, c); code != 0 {
		t.Fatalf("exit code %d, %s", code, &errs)
	}
	text, err := os.ReadFile(filepath.Join(dir, "orth-job-trigger.1"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		".TH \"ORTH-JOB-TRIGGER\" 1", ".SH NAME\northn", ".SH EXAMPLES\n.nf\n  orth job trigger", ".B \\-\\-wait", ".SH SEE ALSO\n.BR orth\\-job (1)",
	} {
		want = strings.Replace(want, "\northn", "\north\\-job\\-trigger \\- ", 1)
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is missing in %s", want, text)
		}
	}
	if code := Execute(t.Context(), []string{"man"}, c); code != 2 {
		t.Errorf("no folder: exit code %d", code)
	}
}
