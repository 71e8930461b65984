package terminal

import (
	"io"
	"os"

	"github.com/mattn/go-isatty"
)

// Is reports whether a reader or writer is a terminal.
func Is(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && isatty.IsTerminal(file.Fd())
}

// Size returns the cells per line and the lines of the terminal behind a writer; zeros if
// it is not a terminal or the size is unknown.
func Size(out io.Writer) (columns, rows int) {
	if file, ok := out.(*os.File); ok && Is(out) {
		return screenSize(file)
	}
	return 0, 0
}

// Columns returns the cells per line of the terminal behind a writer, like [Size].
func Columns(out io.Writer) int {
	columns, _ := Size(out)
	return columns
}
