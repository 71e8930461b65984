package job

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestChildOnMeets(t *testing.T) {
	t.Parallel()
	want := map[ChildOn][]State{
		"":             {Succeeded},
		ChildOnSuccess: {Succeeded},
		ChildOnFailure: {Failed, TimedOut, Lost},
		ChildOnAlways:  {Succeeded, Failed, TimedOut, Lost},
	}
	for _, on := range append(ChildOns(), "") {
		var got []State
		for _, end := range append(States(), "strange") {
			if on.Meets(end) {
				got = append(got, end)
			}
		}
		if diff := cmp.Diff(want[on], got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", on, diff)
		}
	}
}

// Old rows hold bare numbers.
func TestChildJSON(t *testing.T) {
	t.Parallel()
	var got []Child
	if err := json.Unmarshal([]byte(`[1, {"job":2,"on":"failure","param":"{{result}}"}, {"job":3}]`), &got); err != nil {
		t.Fatal(err)
	}
	want := []Child{{JobID: 1}, {JobID: 2, On: ChildOnFailure, Param: "{{result}}"}, {JobID: 3}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var again []Child
	if err := json.Unmarshal(text, &again); err != nil || !cmp.Equal(again, want) {
		t.Errorf("%s became %+v, %v", text, again, err)
	}
	for _, wrong := range []string{`["a"]`, `[1.5]`, `[[1]]`, `[{"job":"a"}]`} {
		if err := json.Unmarshal([]byte(wrong), &got); err == nil {
			t.Errorf("%s became %+v", wrong, got)
		}
	}
}

func TestExpand(t *testing.T) {
	t.Parallel()
	words := map[string]string{"a": "1", "b": "{{a}}", "empty": ""}
	for _, test := range []struct{ template, want string }{
		{"", ""},
		{"plain", "plain"},
		{"{{a}}", "1"},
		{"x{{a}}y{{empty}}z{{a}}", "x1yz1"},
		{"{{b}}", "{{a}}"},
		{"{{c}} {{A}} {{ a }}", "{{c}} {{A}} {{ a }}"},
		{"{{", "{{"},
		{"}}", "}}"},
		{"{{a", "{{a"},
		{"{{{a}}}", "{{{a}}}"},
		{"{{x{{a}}", "{{x1"},
		{"{\"k\":{\"v\":\"{{a}}\"}}", "{\"k\":{\"v\":\"1\"}}"},
	} {
		if got, fits := Expand(test.template, words, 100); !fits || got != test.want {
			t.Errorf("%q became %q, %t; want %q", test.template, got, fits, test.want)
		}
	}
}

// The text is bounded whatever the words are, and complete when it fits.
func TestExpandBounds(t *testing.T) {
	t.Parallel()
	huge := map[string]string{"a": strings.Repeat("x", 1<<20)}
	if got, fits := Expand(strings.Repeat("{{a}}", 1<<13), huge, MaxParam); fits || got != "" {
		t.Errorf("%d bytes, %t", len(got), fits)
	}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[xy{}]{0,6}`).Draw(t, "word")
		pieces := rapid.SliceOf(rapid.SampledFrom([]string{"{{a}}", "b", "{{c}}", "-"})).Draw(t, "pieces")
		limit := rapid.IntRange(0, 60).Draw(t, "limit")
		template := strings.Join(pieces, "")
		want := strings.ReplaceAll(template, "{{a}}", word)
		got, fits := Expand(template, map[string]string{"a": word}, limit)
		switch {
		case fits != (len(want) <= limit):
			t.Fatalf("%q with a=%q: %d bytes, limit %d, fits %t", template, word, len(want), limit, fits)
		case fits && got != want, !fits && got != "":
			t.Fatalf("%q with a=%q became %q, want %q", template, word, got, want)
		}
	})
}

// FuzzChild: what is read is written as it is read.
func FuzzChild(f *testing.F) {
	for _, seed := range []string{"7", `{"job":7,"on":"always","param":"{{result}}"}`, "{}", "null", `[1]`, `"7"`, "1e3"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var c, again Child
		if json.Unmarshal([]byte(text), &c) != nil {
			return
		}
		written, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(written, &again); err != nil || again != c {
			t.Fatalf("%q became %+v, then %s, then %+v: %v", text, c, written, again, err)
		}
	})
}
