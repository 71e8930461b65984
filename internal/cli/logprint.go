package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/orthd/orth/internal/logformat"
)

// logPrinter prints lines of logs.
type logPrinter struct {
	to      io.Writer
	strip   bool // escape sequences are left out
	raw     bool // the mark-up with which executors frame a run is printed too
	numbers bool // lines get their numbers
}

// lines prints whole lines, the first of which has a number.
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

// found prints a line that was found, or one around it, with its number.
func (p *logPrinter) found(number int, mark, line string) error {
	if _, err := fmt.Fprintf(p.to, "%d%s%s\n", number, mark, p.readable(line)); err != nil {
		return fmt.Errorf("print the log: %w", err)
	}
	return nil
}

// readable returns text as the flags of the command want it.
func (p *logPrinter) readable(text string) string {
	if p.strip {
		text = logformat.StripANSI(text)
	}
	if !p.raw {
		text = logformat.Unframe(text)
	}
	return text
}
