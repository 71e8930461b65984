package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/orthd/orth/api"
)

// listName is the name of the commands that list things.
const listName = "list"

// asJSON reports whether results are to be printed as JSON.
func (t *tool) asJSON() bool { return t.output.value == "json" }

// json prints a value as indented JSON.
func (t *tool) json(v any) error {
	enc := json.NewEncoder(t.Stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// tell tells the user something that is not a result.
func (t *tool) tell(format string, args ...any) {
	_, _ = fmt.Fprintf(t.Stderr, format+"\n", args...) // Nobody is left to tell when this fails.
}

// table prints rows under a head, in columns.
func (t *tool) table(head string, rows [][]string) error {
	w := tabwriter.NewWriter(t.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, strings.ReplaceAll(head, " ", "\t")) // Flush tells what went wrong.
	for _, row := range rows {
		for i, cell := range row {
			row[i] = oneLine(cell)
		}
		_, _ = fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}

// sheet prints names with their values, one under the other. Pairs without a
// value are left out; the further lines of a value are indented, and tabs, which
// would be columns, become blanks.
func (t *tool) sheet(pairs [][2]string) error {
	w := tabwriter.NewWriter(t.Stdout, 0, 0, 2, ' ', 0)
	for _, pair := range pairs {
		if pair[1] == "" {
			continue
		}
		for i, line := range strings.Split(strings.TrimRight(pair[1], "\n"), "\n") {
			name := ""
			if i == 0 {
				name = pair[0] + ":"
			}
			_, _ = fmt.Fprintf(w, "%s\t%s\n", name, printable(strings.ReplaceAll(line, "\t", "    ")))
		}
	}
	return w.Flush()
}

// maxCell is the most characters in a cell of a table.
const maxCell = 60

// oneLine makes a text fit for a cell: one line, not too long, "-" when empty.
func oneLine(text string) string {
	if text == "" {
		return "-"
	}
	runes := []rune(printable(text))
	if len(runes) > maxCell {
		return string(runes[:maxCell-1]) + "…"
	}
	return string(runes)
}

// printable replaces what would move the cursor, colour the terminal or hide
// text: names and messages may come from anyone.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)
}

// time shows an instant in the user's zone, "" for none.
func (t *tool) time(at api.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.In(t.Location).Format("2006-01-02 15:04:05 MST")
}

// took returns how long something took, to the millisecond.
func took(from, to api.Time) string {
	return to.Sub(from.Time).Round(time.Millisecond).String()
}

// shortTime returns a duration without the zero units that a [time.Duration]
// prints.
func shortTime(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
