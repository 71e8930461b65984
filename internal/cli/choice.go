package cli

import (
	"fmt"
	"slices"
	"strings"
)

// choice is a flag that takes one of a few words. Words of two parts may be
// written with a dash or an underscore.
type choice struct {
	value   string
	allowed []string
}

// newChoice returns a choice with its value at the start, which may be empty.
func newChoice(value string, allowed ...string) choice { return choice{value, allowed} }

// String returns the word chosen.
func (c *choice) String() string { return c.value }

// Set chooses.
func (c *choice) Set(word string) error {
	word = strings.ReplaceAll(word, "_", "-")
	if !slices.Contains(c.allowed, word) {
		return fmt.Errorf("use one of %s", strings.Join(c.allowed, ", "))
	}
	c.value = word
	return nil
}

// Type returns the words, for help.
func (c *choice) Type() string { return strings.Join(c.allowed, "|") }

// word returns the word as the API writes it.
func (c *choice) word() string { return strings.ReplaceAll(c.value, "-", "_") }
