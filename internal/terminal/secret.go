package terminal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// maxTyped bounds a line that is typed, in bytes.
const maxTyped = 4096

// ReadSecret reads one line without showing it where in is a terminal, and as it is
// from anything else. The end of the line is not part of it.
func ReadSecret(in io.Reader) (string, error) {
	if file, ok := in.(*os.File); ok && Is(in) {
		restore, err := silence(file)
		if err != nil {
			return "", fmt.Errorf("read without echo: %w", err)
		}
		defer restore()
	}
	line, err := bufio.NewReader(io.LimitReader(in, maxTyped)).ReadString('\n')
	if err != nil && (!errors.Is(err, io.EOF) || line == "") {
		return "", fmt.Errorf("read the secret: %w", err)
	}
	return strings.TrimRight(line, "\r\n"), nil
}
