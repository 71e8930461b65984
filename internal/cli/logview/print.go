package logview

import (
	"fmt"
	"io"
	"strings"

	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/logformat"
	"github.com/orthd/orth/internal/terminal"
)

// Printer prints log lines.
type Printer struct {
	To      io.Writer
	Strip   bool // remove escape sequences
	Raw     bool // keep the markup of XXL-JOB executors
	Numbers bool // print line numbers
}

// lines prints whole lines; the first one has the given number.
func (p *Printer) lines(first int, text string) error {
	text = p.readable(text)
	if p.Numbers {
		var numbered strings.Builder
		for line := range strings.Lines(text) {
			_, _ = fmt.Fprintf(&numbered, "%6d  %s", first, line)
			first++
		}
		text = numbered.String()
	}
	if _, err := io.WriteString(p.To, text); err != nil {
		return fmt.Errorf("print the log: %w", err)
	}
	return nil
}

// Found prints a match, or a context line, with its number.
func (p *Printer) Found(number int, mark, line string) error {
	if _, err := fmt.Fprintf(p.To, "%d%s%s\n", number, mark, p.readable(line)); err != nil {
		return fmt.Errorf("print the log: %w", err)
	}
	return nil
}

// readable applies the flags to a text.
func (p *Printer) readable(text string) string {
	if p.Strip {
		text = logformat.StripANSI(text)
	}
	if !p.Raw {
		text = logformat.Unframe(text)
	}
	return text
}

// NewColorChoice returns the choice of color modes.
func NewColorChoice() kit.Choice { return kit.NewChoice("auto", "auto", "always", "never") }

// StripsColors reports whether escape sequences are removed.
func StripsColors(t *kit.Tool, color string, never bool) bool {
	switch {
	case never || color == "never":
		return true
	case color == "always":
		return false
	}
	return t.Getenv("NO_COLOR") != "" || !terminal.Is(t.Stdout)
}
