package executorauth_test

import (
	"testing"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/executorauth"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

// What each beat and each call to an executor costs, with 1,000 tokens.
func BenchmarkGroups(b *testing.B) {
	sealer, err := credential.OpenSealer(b.TempDir() + "/secrets.key")
	if err != nil {
		b.Fatal(err)
	}
	r := newRows("a")
	var text redacted.Text
	for i := range int64(1000) {
		text = credential.GenerateGroup()
		hash := credential.Hash(text)
		r.tokens = append(r.tokens, job.GroupToken{ID: i + 1, Group: "a", Hash: hash, Sealed: sealer.Seal(text, "a", hash)})
	}
	g := executorauth.NewGroups(executorauth.Config{Store: r, Sealer: sealer, Admitted: []string{"default_token"}})
	shown := text.Reveal()
	b.Run("caller", func(b *testing.B) {
		for b.Loop() {
			if _, err := g.Caller(b.Context(), shown); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("stranger", func(b *testing.B) {
		for b.Loop() {
			if _, err := g.Caller(b.Context(), "a-token-of-nobody"); err == nil {
				b.Fatal("taken")
			}
		}
	})
	b.Run("outbound", func(b *testing.B) {
		for b.Loop() {
			if g.Outbound("a", 1000) == "" {
				b.Fatal("not shown")
			}
		}
	})
	b.Run("start", func(b *testing.B) { // reading and opening them all
		for b.Loop() {
			if executorauth.NewGroups(executorauth.Config{Store: r, Sealer: sealer}).Outbound("a", 1000) == "" {
				b.Fatal("not shown")
			}
		}
	})
}
