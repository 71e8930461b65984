package terminal

import (
	"io"
	"os"
)

// Colour is how a word is painted.
type Colour string

// The colours, as the numbers that escape sequences have for them.
const (
	Plain  Colour = ""
	Red    Colour = "31"
	Green  Colour = "32"
	Yellow Colour = "33"
	Blue   Colour = "36"
	Grey   Colour = "90"
	Bold   Colour = "1"
)

// Painter paints texts, or leaves them as they are. The zero value leaves them.
type Painter struct{ on bool }

// NewPainter returns a painter for what is written to out: it paints on terminals
// that show colours, unless TERM is dumb or NO_COLOR says not to.
func NewPainter(out io.Writer, getenv func(string) string) Painter {
	file, ok := out.(*os.File)
	return Painter{ok && Is(out) && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb" && showsColours(file)}
}

// Paint returns the text in the colour. What it returns is no wider on a screen.
func (p Painter) Paint(text string, c Colour) string {
	if !p.on || c == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[0m"
}

// On reports whether the painter paints.
func (p Painter) On() bool { return p.on }

// Painting returns a painter that always paints.
func Painting() Painter { return Painter{true} }
