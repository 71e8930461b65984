package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/orthd/orth/internal/logtext"
)

// logPrinter prints lines of logs.
type logPrinter struct {
	to      io.Writer
	strip   bool // escape sequences are left out
	numbers bool // lines get their numbers
}

// lines prints whole lines, the first of which has a number.
func (p *logPrinter) lines(first int, text string) error {
	if p.strip {
		text = logtext.StripANSI(text)
	}
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
	if p.strip {
		line = logtext.StripANSI(line)
	}
	if _, err := fmt.Fprintf(p.to, "%d%s%s\n", number, mark, line); err != nil {
		return fmt.Errorf("print the log: %w", err)
	}
	return nil
}
