package kit

import (
	"fmt"
	"slices"
	"strings"
)

// Choice is a flag with a fixed set of values. Values of two words accept a dash or an
// underscore.
type Choice struct {
	Value   string
	Allowed []string
}

// NewChoice returns a choice with an initial value, which may be empty.
func NewChoice(value string, allowed ...string) Choice { return Choice{value, allowed} }

// String returns the selected value.
func (c *Choice) String() string { return c.Value }

// Set selects a value.
func (c *Choice) Set(word string) error {
	word = strings.ReplaceAll(word, "_", "-")
	if !slices.Contains(c.Allowed, word) {
		return fmt.Errorf("must be one of %s", strings.Join(c.Allowed, ", "))
	}
	c.Value = word
	return nil
}

// Type returns the values, for help.
func (c *Choice) Type() string { return strings.Join(c.Allowed, "|") }

// Word returns the API spelling of the value.
func (c *Choice) Word() string { return strings.ReplaceAll(c.Value, "-", "_") }

// Sorting is a flag with the name of a sort order, descending with a - prefix.
type Sorting struct {
	by   Choice
	down bool
}

// NewSorting returns a sorting without an order.
func NewSorting(names ...string) Sorting { return Sorting{by: NewChoice("", names...)} }

// String returns the selected order.
func (s *Sorting) String() string { return s.sign() + s.by.String() }

// Set selects an order.
func (s *Sorting) Set(text string) error {
	name, down := strings.CutPrefix(text, "-")
	s.down = down
	return s.by.Set(name)
}

// Type returns the names, for help.
func (s *Sorting) Type() string { return "[-]" + s.by.Type() }

// Word returns the API spelling of the order.
func (s *Sorting) Word() string { return s.sign() + s.by.Word() }

func (s *Sorting) sign() string {
	if s.down {
		return "-"
	}
	return ""
}
