package cli

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

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
		{"plain", "JOB STATE MESSAGE", outTable, 0, false, "JOB     STATE      MESSAGE\nreport  succeeded  日报 by night\n" +
			"etl     failed     long long long long long long long long long long long long…\nx       odd        -\n"},
		{"wide columns first", "JOB | STATE MESSAGE", outTable, 0, false, "JOB\nreport\netl\nx\n"},
		{"narrow", "JOB STATE MESSAGE", outTable, 32, false, "JOB     STATE      MESSAGE\nreport  succeeded  日报 by night\netl     failed     long long lo…\nx       odd        -\n"},
		{"narrower than can be", "JOB STATE MESSAGE", outTable, 5, false, "JOB     STATE     MESSAGE\nreport  succeed…  日报 by…\netl     failed    long lo…\nx       odd       -\n"},
		{"coloured", "JOB STATE", outTable, 0, true, "\x1b[1mJOB\x1b[0m     \x1b[1mSTATE\x1b[0m\nreport  \x1b[32msucceeded\x1b[0m\netl     \x1b[31mfailed\x1b[0m\nx       odd\n"},
	} {
		var out bytes.Buffer
		tool := &tool{Config: Config{Stdout: &out}, output: newChoice(c.output), cells: c.screen}
		if c.paint {
			tool.painting = terminal.Painting()
		}
		tool.Getenv = func(string) string { return "" }
		if err := tool.table(c.head, rows()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, out.String()); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestColours(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]terminal.Colour{
		"succeeded": terminal.Green, "failed": terminal.Red, "timed out": terminal.Red, "waiting retry": terminal.Yellow, "running": terminal.Blue,
		"cancelled": terminal.Grey, "okay": terminal.Plain, "nothing": terminal.Plain, "": terminal.Plain, "redriven as 5": terminal.Grey, "-": terminal.Grey,
	} {
		if got := colourOf(state); got != want {
			t.Errorf("%q has the colour %q, want %q", state, got, want)
		}
	}
	if tellsState("MESSAGE") || !tellsState("State") {
		t.Error("the wrong columns are coloured")
	}
}

// NO_COLOR is about terminals; --no-color takes colours away even there.
func TestNoColour(t *testing.T) {
	t.Parallel()
	tool := &tool{Config: Config{Stdout: &bytes.Buffer{}, Getenv: func(string) string { return "" }}, painting: terminal.Painting()}
	if !tool.painter().On() {
		t.Error("no colours")
	}
	tool.noColour = true
	if tool.painter().On() {
		t.Error("colours despite --no-color")
	}
}

// Any text survives the way through YAML, also one that looks like something else.
func TestYAMLKeepsTexts(t *testing.T) {
	t.Parallel()
	odd := rapid.SampledFrom([]string{
		"yes", "null", "1e3", "0x10", "2030-01-31", "~", "a: b", "- a", "#", "'", "a\nb\n", "\t\n", "  a\n b", "a\n\tb", "a \n", "\n", "1152921504606846976", "on", " x ",
	})
	rapid.Check(t, func(r *rapid.T) {
		want := rapid.MapOf(rapid.OneOf(odd, rapid.String()), rapid.OneOf(odd, rapid.StringMatching(`[ -~äöü日本\n\t]{0,40}`), rapid.String())).Draw(r, "texts")
		text, err := json.Marshal(want)
		if err != nil {
			r.Fatal(err)
		}
		var out bytes.Buffer
		if err := asYAML(&out, text); err != nil {
			r.Fatal(err)
		}
		var got map[string]string
		if err := yaml.Unmarshal(out.Bytes(), &got); err != nil || !maps.Equal(got, want) {
			r.Fatalf("%q came back as %q, %v: %s", want, got, err, &out)
		}
	})
}

// FuzzNames finds names in whatever a result is, without a control character in them.
func FuzzNames(f *testing.F) {
	for _, seed := range []string{`[{"key":"a"},{"id":5}]`, `{"jobs":[{"key":"a"}],"n":1}`, `["x"]`, `null`, `{"a":[],"b":[]}`, `[{"key":"\u001b[31m"}]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var names, out bytes.Buffer
		if asNames(&names, text) == nil && strings.ContainsFunc(names.String(), func(r rune) bool { return r < ' ' && r != '\n' }) {
			t.Errorf("%q has a control character", names.String())
		}
		_ = asYAML(&out, text) // It ends, and does not panic.
	})
}
