package redact

import (
	"cmp"
	"slices"
	"strings"
)

// textRange is a part of a text that is secret, without a line end.
type textRange struct{ from, to int }

// scan is one reading of a text.
type scan struct {
	text  string
	book  *book
	spans []textRange
	// from is where the next shape may begin: before it everything is hidden, or
	// known to be none.
	from int
	// literalsOnly leaves the shapes out.
	literalsOnly bool
	// noEnd: no private key ends behind from.
	noEnd bool
}

// markSecret notes that a part is secret.
func (f *scan) markSecret(from, to int) {
	if from < to {
		f.spans = append(f.spans, textRange{from, to})
	}
}

// hideShape hides a shape; none begins in it.
func (f *scan) hideShape(from, to int) {
	f.markSecret(from, to)
	f.from = to
}

// scanText finds literals and shapes.
func (f *scan) scanText() {
	text, hot := f.text, &f.book.hot
	for i := range len(text) {
		if hot[text[i]] != 0 {
			f.scanByte(i)
		}
	}
}

// scanByte looks at the byte at i, with which something may begin.
func (f *scan) scanByte(i int) {
	mark := f.book.hot[f.text[i]]
	if mark&markLiteral != 0 {
		f.literal(i)
	}
	if mark&markShape != 0 && i >= f.from && !f.literalsOnly {
		f.shape(i)
	}
}

// literal hides those that have their mark at i.
func (f *scan) literal(i int) {
	if i+gram > len(f.text) {
		return
	}
	key := gramOf(f.text[i:])
	if !f.book.mayContain(key) {
		return
	}
	for _, l := range f.book.literals[key] {
		if begin := i - l.mark; begin >= 0 && strings.HasPrefix(f.text[begin:], l.text) {
			f.markSecret(begin, begin+len(l.text))
		}
	}
}

// masked returns the text with what was found hidden. Secrets that touch each other
// are one.
func (f *scan) masked() string {
	slices.SortFunc(f.spans, func(a, b textRange) int { return cmp.Compare(a.from, b.from) })
	var out strings.Builder
	out.Grow(len(f.text))
	at := 0
	for i := 0; i < len(f.spans); {
		from, to := f.spans[i].from, f.spans[i].to
		for i++; i < len(f.spans) && f.spans[i].from <= to; i++ {
			to = max(to, f.spans[i].to)
		}
		out.WriteString(f.text[at:from])
		out.WriteString(Masked)
		at = to
	}
	out.WriteString(f.text[at:])
	return out.String()
}

// lineEnd returns the end of the line that i is in.
func (f *scan) lineEnd(i int) int {
	if n := strings.IndexByte(f.text[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(f.text)
}
