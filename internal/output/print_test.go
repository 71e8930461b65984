package output

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/orthd/orth/internal/terminal"
)

func TestColours(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]terminal.Colour{
		"succeeded": terminal.Green, "failed": terminal.Red, "timed out": terminal.Red, "waiting retry": terminal.Yellow, "running": terminal.Blue,
		"cancelled": terminal.Grey, "okay": terminal.Plain, "nothing": terminal.Plain, "": terminal.Plain, "retried as 5": terminal.Grey, "-": terminal.Grey,
	} {
		if got := ColourOf(state); got != want {
			t.Errorf("%q has the colour %q, want %q", state, got, want)
		}
	}
	if isStateColumn("MESSAGE") || !isStateColumn("State") {
		t.Error("the wrong columns are coloured")
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
		if err := writeYAML(&out, text); err != nil {
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
		if writeNames(&names, text, len(text)%2 == 0) == nil && strings.ContainsFunc(names.String(), func(r rune) bool { return r < ' ' && r != '\n' }) {
			t.Errorf("%q has a control character", names.String())
		}
		_ = writeYAML(&out, text) // It ends, and does not panic.
	})
}
