package message

import (
	"maps"
	"slices"
)

// Omitted counts messages that were left out of a list, by their codes.
type Omitted map[string]int

// Messages returns one message for each code: how many more there are. They are sorted by
// code.
func (o Omitted) Messages() []Message {
	all := make([]Message, 0, len(o))
	for _, code := range slices.Sorted(maps.Keys(o)) {
		all = append(all, New("more", "%d more of kind %s are not listed", o[code], code))
	}
	return all
}
