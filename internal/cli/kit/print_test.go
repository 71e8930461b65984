package kit

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/terminal"
)

// A table lines up for wide characters, gives way to a narrow screen, and colours
// only the words of states.
func TestTable(t *testing.T) {
	t.Parallel()
	rows := func() [][]string {
		return [][]string{{"report", "succeeded", "日报 by night"}, {"etl", "failed", strings.Repeat("long ", 20)}, {"x", "odd", ""}}
	}
	for _, c := range []struct {
		name, head, output string
		screen             int
		paint              bool
		want               string
	}{
		{"plain", "JOB STATE MESSAGE", output.Table, 0, false, "JOB     STATE      MESSAGE\nreport  succeeded  日报 by night\n" +
			"etl     failed     long long long long long long long long long long long long…\nx       odd        -\n"},
		{"wide columns first", "JOB | STATE MESSAGE", output.Table, 0, false, "JOB\nreport\netl\nx\n"},
		{"narrow", "JOB STATE MESSAGE", output.Table, 32, false, "JOB     STATE      MESSAGE\nreport  succeeded  日报 by night\netl     failed     long long lo…\nx       odd        -\n"},
		{"narrower than can be", "JOB STATE MESSAGE", output.Table, 20, false, "JOB     STATE\nreport  succeeded\netl     failed\nx       odd\n(-o wide shows MESS…\n"},
		{"coloured", "JOB STATE", output.Table, 0, true, "\x1b[1mJOB\x1b[0m     \x1b[1mSTATE\x1b[0m\nreport  \x1b[32msucceeded\x1b[0m\netl     \x1b[31mfailed\x1b[0m\nx       odd\n"},
	} {
		var out bytes.Buffer
		tool := &Tool{Config: Config{Stdout: &out, Screen: c.screen}, Output: NewChoice(c.output)}
		if c.paint {
			tool.painting = terminal.Painting()
		}
		tool.Getenv = func(string) string { return "" }
		if err := tool.PrintTable(c.head, rows()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, out.String()); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// NO_COLOR is about terminals; --no-color takes colours away even there.
func TestNoColour(t *testing.T) {
	t.Parallel()
	tool := &Tool{Config: Config{Stdout: &bytes.Buffer{}, Getenv: func(string) string { return "" }}, painting: terminal.Painting()}
	if !tool.Painter().On() {
		t.Error("no colours")
	}
	tool.noColour = true
	if tool.Painter().On() {
		t.Error("colours despite --no-color")
	}
}
