package executorauth_test

import (
	"testing"

	"github.com/orthd/orth/internal/executorauth"
	"github.com/orthd/orth/internal/redacted"
)

// The secrets are the tokens that groups have now, told once for each version.
func TestSecrets(t *testing.T) {
	t.Parallel()
	g := executorauth.NewGroups(executorauth.Config{Store: newRows("a", "b"), Sealer: newSealer(t), Key: redacted.New(key)})
	if version, texts := g.Secrets(0); version != 0 || len(texts) > 0 {
		t.Errorf("before anything was read: version %d, %d secrets", version, len(texts))
	}
	gone, goneText := add(t, g, "a")
	_, kept := add(t, g, "b")
	version, texts := g.Secrets(0)
	if len(texts) != 2 || version == 0 {
		t.Errorf("version %d, %d secrets, want 2", version, len(texts))
	}
	if again, texts := g.Secrets(version); again != version || texts != nil {
		t.Errorf("version %d again, %d secrets, want none", again, len(texts))
	}
	if err := g.RemoveToken(t.Context(), "a", gone, false); err != nil {
		t.Fatal(err)
	}
	after, texts := g.Secrets(version)
	if after == version || len(texts) != 1 || texts[0].Reveal() != kept || kept == goneText {
		t.Errorf("version %d after %d, %d secrets, want that of b", after, version, len(texts))
	}
}
