package cli

import "strings"

// sorting is a flag that takes the name of an order, with - before it for the other way
// round.
type sorting struct {
	by   choice
	down bool
}

// newSorting returns a sorting by nothing.
func newSorting(names ...string) sorting { return sorting{by: newChoice("", names...)} }

// String returns what was chosen.
func (s *sorting) String() string { return s.sign() + s.by.String() }

// Set chooses.
func (s *sorting) Set(text string) error {
	name, down := strings.CutPrefix(text, "-")
	s.down = down
	return s.by.Set(name)
}

// Type returns the names, for help.
func (s *sorting) Type() string { return "[-]" + s.by.Type() }

// word returns what was chosen as the API writes it.
func (s *sorting) word() string { return s.sign() + s.by.word() }

func (s *sorting) sign() string {
	if s.down {
		return "-"
	}
	return ""
}
