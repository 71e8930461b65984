package secret_test

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/secret"
)

func TestGroupTokens(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 100 {
		token := secret.GenerateGroup()
		text := token.Reveal()
		if !secret.MayBeGroup(text) || len(text) != len("orthg_")+43 || seen[text] {
			t.Fatalf("token %q", text)
		}
		seen[text] = true
		hash := secret.Hash(token)
		if raw, err := hex.DecodeString(hash); err != nil || len(raw) != 32 || strings.Contains(hash, text) {
			t.Errorf("hash %q: %v", hash, err)
		}
		if !secret.SameHash(hash, secret.Hash(secret.New(text))) || secret.SameHash(hash, secret.Hash(secret.GenerateGroup())) {
			t.Error("hashes of one token differ, or those of two are the same")
		}
		if shown := fmt.Sprintf("%v %+v %#v", token, token, token); strings.Contains(shown, text) {
			t.Errorf("printed: %s", shown)
		}
	}
	if secret.MayBeGroup(secret.Generate().Reveal()) || secret.SameHash("ab", "abc") || !secret.SameHash("", "") {
		t.Error("other texts are taken for tokens of groups, or hashes of other lengths for the same")
	}
}
