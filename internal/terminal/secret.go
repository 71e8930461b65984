package terminal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// maxTyped is the maximum length of a typed line in bytes.
const maxTyped = 4096

// ReadSecret reads one line, without echo from a terminal. The line break is not part of
// the result.
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
