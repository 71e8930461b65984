package saying

import (
	"maps"
	"slices"
)

// Rest counts, by their codes, sentences that are not told one by one.
type Rest map[string]int

// Said returns a sentence for each kind: how many more there are. They are in the order
// of the codes.
func (r Rest) Said() []Said {
	all := make([]Said, 0, len(r))
	for _, code := range slices.Sorted(maps.Keys(r)) {
		all = append(all, Say("more", "%d more of the kind %s are not told one by one", r[code], code))
	}
	return all
}
