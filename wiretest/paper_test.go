package wiretest

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the lists in docs/conformance.md")

// paper is the page that lists the cases, between two marks.
const (
	paper      = "../docs/conformance.md"
	paperBegin = "<!-- the lists below are written by: go test ./wiretest -run TestPaper -update -->\n"
)

// TestPaper holds the page to the data.
func TestPaper(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(paper)
	if err != nil {
		t.Fatal(err)
	}
	before, _, found := strings.Cut(string(text), paperBegin)
	if !found {
		t.Fatalf("%s has no mark for the lists", paper)
	}
	want := before + paperBegin + lists(t)
	if *update {
		if err := os.WriteFile(paper, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(text) != want {
		t.Errorf("%s is not what the data says: run go test ./wiretest -run TestPaper -update", paper)
	}
}

// lists returns everything that the data has and people read.
func lists(t *testing.T) string {
	t.Helper()
	b := mustBook(t)
	executors, admins := all(t)
	var text strings.Builder
	fmt.Fprintf(&text, "\n## Flavours\n\n| name | of |\n|---|---|\n")
	for _, f := range slices.Sorted(maps.Keys(b.Flavours)) {
		fmt.Fprintf(&text, "| `%s` | %s |\n", f, b.Flavours[f])
	}
	for _, list := range []struct {
		title, column string
		names         map[string]string
	}{
		{"Handlers of an executor under test", "what it does", b.Handlers},
		{"Capabilities", "what the target can", b.Capabilities},
		{"Deviations", "where the target is otherwise on purpose", b.Deviations},
	} {
		fmt.Fprintf(&text, "\n## %s\n\n| name | %s |\n|---|---|\n", list.title, list.column)
		for _, name := range slices.Sorted(maps.Keys(list.names)) {
			fmt.Fprintf(&text, "| `%s` | %s |\n", name, list.names[name])
		}
	}
	text.WriteString(table("Cases of executors", executors))
	text.WriteString(table("Cases of admins", admins))
	return text.String()
}

func table(title string, cases []numbered) string {
	var text strings.Builder
	fmt.Fprintf(&text, "\n## %s\n\n| case | what must be so | for | needs |\n|---|---|---|---|\n", title)
	for _, c := range cases {
		flavours := "all"
		if len(c.Flavours) > 0 {
			var names []string
			for _, f := range c.Flavours {
				names = append(names, string(f))
			}
			flavours = strings.Join(names, ", ")
		}
		needs := slices.Clone(c.Needs)
		if c.Setup != nil && !slices.Contains(needs, "start") {
			needs = append(needs, "start")
		}
		if c.When != "" {
			needs = append(needs, "deviation "+c.When)
		}
		if c.Unless != "" {
			needs = append(needs, "no deviation "+c.Unless)
		}
		fmt.Fprintf(&text, "| %s | %s | %s | %s |\n", c.ID, c.Title, flavours, strings.Join(needs, ", "))
	}
	return text.String()
}
