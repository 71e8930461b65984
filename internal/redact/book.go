package redact

import (
	"slices"
	"strings"
)

const (
	// gram is how many bytes of a literal, from its mark on, are looked up at once.
	gram = 4
	// maxLiteral bounds a literal, in bytes.
	maxLiteral = 8 << 10
)

// What may begin at a byte.
const (
	markShape byte = 1 << iota
	markLiteral
)

// shapes are the bytes by which secrets are found that are known by their shape:
// the rarest one that each of them has. See scan.shape.
const shapes = "=:>@JIBbEx_"

// rare are bytes that stand rarely in logs, the rarest first; all others are worse.
const rare = "~^$%!&+?@<>;QZXJKVWYHGUqzjxFPBkLMNOCDR_ATISEv"

// literal is a text that is secret.
type literal struct {
	text string
	mark int // where the bytes are by which it is found
}

// book is what texts are compared with. It never changes.
type book struct {
	hot      [256]byte
	literals map[uint32][]literal
	bits     [1024]uint64 // a filter in front of literals
	// again is how often a masked text is looked at again: what masks leave may be
	// a literal that has a * in it.
	again int
}

func newBook(literals []string, defaults bool) *book {
	b := &book{literals: make(map[uint32][]literal)}
	if defaults {
		for i := range len(shapes) {
			b.hot[shapes[i]] |= markShape
		}
	}
	literals = slices.Clone(literals)
	slices.Sort(literals)
	for _, text := range slices.Compact(literals) {
		if len(text) < MinLiteral || len(text) > maxLiteral || strings.ContainsAny(text, "\r\n") || strings.Trim(text, "*") == "" {
			continue
		}
		l := literal{text: text, mark: markOf(text)}
		key := gramOf(text[l.mark:])
		b.literals[key] = append(b.literals[key], l)
		b.hot[text[l.mark]] |= markLiteral
		word, bit := place(key)
		b.bits[word] |= bit
		if strings.Contains(text, "*") {
			b.again = 8
		}
	}
	return b
}

// markOf returns where the rarest byte is that has enough behind it.
func markOf(text string) int {
	best, rank := 0, len(rare)+1
	for i := range len(text) - gram + 1 {
		r := strings.IndexByte(rare, text[i])
		if r < 0 {
			r = len(rare)
		}
		if r < rank {
			best, rank = i, r
		}
	}
	return best
}

func gramOf(s string) uint32 {
	_ = s[gram-1]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

func place(key uint32) (word int, bit uint64) {
	h := key * 2654435761 >> 16
	return int(h >> 6), 1 << (h & 63)
}

// mayContain reports whether there may be literals with these bytes.
func (b *book) mayContain(key uint32) bool {
	word, bit := place(key)
	return b.bits[word]&bit != 0
}
