package documents

import (
	"fmt"
	"strings"

	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/manifest"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/terminal"
)

// maxShownValue is the maximum length of a value in an abbreviated plan, in characters.
const maxShownValue = 100

// PrintPlan prints a plan field by field. With full set values are not cut, and new objects
// are printed completely.
func PrintPlan(t *kit.Tool, plan *manifest.Plan, full bool) error {
	var out strings.Builder
	paint := t.Painter()
	for i := range plan.Changes {
		c := &plan.Changes[i]
		sign, colour := signOf(c.Action)
		if sign == "" && len(c.Lacks) == 0 {
			continue
		}
		fmt.Fprintln(&out, paint.Paint(kit.FirstOf(sign, " ")+" "+c.ID().String(), colour))
		if c.Action == manifest.ActionChange || full {
			for k := range c.Fields {
				showField(&out, paint, &c.Fields[k], full)
			}
		}
		for _, note := range c.Notes {
			fmt.Fprintf(&out, "    (%s)\n", note)
		}
		if c.Refused != "" {
			fmt.Fprintln(&out, paint.Paint("    ! refused: "+output.Printable(c.Refused), terminal.Red))
		}
		for _, key := range c.Lacks {
			command := t.CommandLine(append([]string{"secret", "set", key}, kit.NamespaceFlags(c.Namespace)...)...)
			fmt.Fprintf(&out, "    ! secret %s does not exist on the server: create it with %s\n", key, command)
		}
	}
	if out.Len() > 0 {
		out.WriteByte('\n')
	}
	out.WriteString(plan.Summary() + "\n")
	_, err := t.Stdout.Write([]byte(out.String()))
	return err
}

func signOf(a manifest.Action) (string, terminal.Colour) {
	switch a {
	case manifest.ActionCreate:
		return "+", terminal.Green
	case manifest.ActionChange:
		return "~", terminal.Yellow
	case manifest.ActionDelete:
		return "-", terminal.Red
	case manifest.ActionNone:
	}
	return "", terminal.Plain
}

// showField prints a changed field; a text of several lines as a unified diff.
func showField(out *strings.Builder, paint terminal.Painter, f *manifest.FieldChange, full bool) {
	old, now := f.Texts()
	if strings.Contains(strings.TrimSuffix(old, "\n"), "\n") || strings.Contains(strings.TrimSuffix(now, "\n"), "\n") {
		fmt.Fprintf(out, "    %s:\n", output.Printable(f.Path))
		for line := range strings.Lines(manifest.TextDiff(old, now)) {
			line = output.Printable(strings.TrimSuffix(line, "\n"))
			fmt.Fprintln(out, "      "+paint.Paint(line, lineColour(line)))
		}
		return
	}
	fmt.Fprintf(out, "    %s: %s\n", output.Printable(f.Path), arrow(valueIn(f.Old, old, full), valueIn(f.New, now, full)))
}

func arrow(old, now string) string {
	switch {
	case old == "":
		return now
	case now == "":
		return old + " → (default)"
	}
	return old + " → " + now
}

// valueIn formats a value on one line, "" for none.
func valueIn(value any, text string, full bool) string {
	if value == nil {
		return ""
	}
	text = output.Printable(text)
	if runes := []rune(text); !full && len(runes) > maxShownValue {
		text = string(runes[:maxShownValue-1]) + "…"
	}
	if text == "" {
		return `""`
	}
	return text
}

func lineColour(line string) terminal.Colour {
	switch {
	case strings.HasPrefix(line, "+"):
		return terminal.Green
	case strings.HasPrefix(line, "-"):
		return terminal.Red
	case strings.HasPrefix(line, "@@"):
		return terminal.Blue
	}
	return terminal.Plain
}
