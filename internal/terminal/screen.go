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

// Size returns how many cells a line of the screen behind a writer has, and how many
// lines there are; zeros for a writer that is no screen, or that does not say.
func Size(out io.Writer) (columns, rows int) {
	if file, ok := out.(*os.File); ok && Is(out) {
		return size(file)
	}
	return 0, 0
}

// Columns returns how many cells a line of the screen behind a writer has, as
// [Size] does.
func Columns(out io.Writer) int {
	columns, _ := Size(out)
	return columns
}
