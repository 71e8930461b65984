package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/orthd/orth/internal/logformat"
)

// logPrinter prints log lines.
type logPrinter struct {
	to      io.Writer
	strip   bool // remove escape sequences
	raw     bool // keep the markup of XXL-JOB executors
	numbers bool // print line numbers
}

// lines prints whole lines; the first one has the given number.
func (p *logPrinter) lines(first int, text string) error {
	text = p.readable(text)
	if p.numbers {
		var numbered strings.Builder
		for line := range strings.Lines(text) {
			_, _ = fmt.Fprintf(&numbered, "%6d  %s", first, line)
			first++
		}
		text = numbered.String()
	}
	if _, err := io.WriteString(p.to, text); err != nil {
		return fmt.Errorf("print the log: %w", err)
	}
	return nil
}

// found prints a match, or a context line, with its number.
func (p *logPrinter) found(number int, mark, line string) error {
	if _, err := fmt.Fprintf(p.to, "%d%s%s\n", number, mark, p.readable(line)); err != nil {
		return fmt.Errorf("print the log: %w", err)
	}
	return nil
}

// readable applies the flags to a text.
func (p *logPrinter) readable(text string) string {
	if p.strip {
		text = logformat.StripANSI(text)
	}
	if !p.raw {
		text = logformat.Unframe(text)
	}
	return text
}
