package output

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Confirm asks a question on out and reads the answer from in, up to 100 bytes. Only an
// explicit yes confirms; any other answer prints that nothing was changed.
func Confirm(in io.Reader, out io.Writer, question string) (bool, error) {
	if _, err := fmt.Fprint(out, question+" [y/N] "); err != nil {
		return false, err
	}
	line, err := bufio.NewReader(io.LimitReader(in, 100)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, fmt.Errorf("read the answer: %w", err)
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true, nil
	}
	_, err = fmt.Fprintln(out, "nothing was changed")
	return false, err
}
