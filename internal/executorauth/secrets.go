package executorauth

import "github.com/orthd/orth/internal/redacted"

// Secrets returns the tokens of groups that can be opened, in no order, and their
// version, which is above 0; none when the version is known already. They are those
// that were read last: nothing is read.
func (g *Groups) Secrets(known int64) (version int64, texts []redacted.Text) {
	b := g.book.Load()
	if b == nil || b.version == known {
		return known, nil
	}
	for _, e := range b.tokens {
		if !e.text.IsZero() {
			texts = append(texts, e.text)
		}
	}
	return b.version, texts
}
