package executorauth

import "github.com/orthd/orth/internal/redacted"

// Secrets returns the unsealed group tokens of the last snapshot, in no order, and their
// version, which is above 0. It returns none when the version is known. It reads no rows.
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
