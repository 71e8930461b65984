package cli

import "strings"

// sorting is a flag with the name of a sort order, descending with a - prefix.
type sorting struct {
	by   choice
	down bool
}

// newSorting returns a sorting without an order.
func newSorting(names ...string) sorting { return sorting{by: newChoice("", names...)} }

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

// word returns the API spelling of the order.
func (s *sorting) word() string { return s.sign() + s.by.word() }

func (s *sorting) sign() string {
	if s.down {
		return "-"
	}
	return ""
}
