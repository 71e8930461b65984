package cli

import (
	"fmt"
	"slices"
	"strings"
)

// choice is a flag with a fixed set of values. Values of two words accept a dash or an
// underscore.
type choice struct {
	value   string
	allowed []string
}

// newChoice returns a choice with an initial value, which may be empty.
func newChoice(value string, allowed ...string) choice { return choice{value, allowed} }

// String returns the selected value.
func (c *choice) String() string { return c.value }

// Set selects a value.
func (c *choice) Set(word string) error {
	word = strings.ReplaceAll(word, "_", "-")
	if !slices.Contains(c.allowed, word) {
		return fmt.Errorf("must be one of %s", strings.Join(c.allowed, ", "))
	}
	c.value = word
	return nil
}

// Type returns the values, for help.
func (c *choice) Type() string { return strings.Join(c.allowed, "|") }

// word returns the API spelling of the value.
func (c *choice) word() string { return strings.ReplaceAll(c.value, "-", "_") }
