package credential_test

import (
	"strings"
	"testing"

	"github.com/orthd/orth/internal/credential"
)

func TestGenerate(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 100 {
		text := credential.Generate().Reveal()
		if len(text) != 43 || strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			t.Fatalf("generated %q, want 43 URL-safe characters", text)
		}
		if seen[text] {
			t.Fatal("the same token came twice")
		}
		seen[text] = true
	}
}
