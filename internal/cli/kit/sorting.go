package kit

import "strings"

// sorting is a flag with the name of a sort order, descending with a - prefix.
type sorting struct {
	by   Choice
	down bool
}

// NewSorting returns a sorting without an order.
func NewSorting(names ...string) sorting { return sorting{by: NewChoice("", names...)} }

// String returns the selected order.
func (s *sorting) String() string { return s.sign() + s.by.String() }

// Set selects an order.
func (s *sorting) Set(text string) error {
	name, down := strings.CutPrefix(text, "-")
	s.down = down
	return s.by.Set(name)
}

// Type returns the names, for help.
func (s *sorting) Type() string { return "[-]" + s.by.Type() }

// Word returns the API spelling of the order.
func (s *sorting) Word() string { return s.sign() + s.by.Word() }

func (s *sorting) sign() string {
	if s.down {
		return "-"
	}
	return ""
}
