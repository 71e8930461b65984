package terminal

import (
	"io"
	"os"
)

// Colour is the color of a word.
type Colour string

// The colors, as numbers of escape sequences.
const (
	Plain  Colour = ""
	Red    Colour = "31"
	Green  Colour = "32"
	Yellow Colour = "33"
	Blue   Colour = "36"
	Grey   Colour = "90"
	Bold   Colour = "1"
)

// Painter colors texts, or leaves them unchanged, like the zero value.
type Painter struct{ on bool }

// NewPainter returns a painter for out: it colors terminals that support it, unless TERM
// is dumb or NO_COLOR is set.
func NewPainter(out io.Writer, getenv func(string) string) Painter {
	file, ok := out.(*os.File)
	return Painter{ok && Is(out) && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb" && showsColours(file)}
}

// Paint returns the text in the color. The width on the screen is unchanged.
func (p Painter) Paint(text string, c Colour) string {
	if !p.on || c == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[0m"
}

// On reports whether the painter colors texts.
func (p Painter) On() bool { return p.on }

// Painting returns a painter that always colors.
func Painting() Painter { return Painter{true} }
