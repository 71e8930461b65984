package credential_test

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

func TestGroupTokens(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 100 {
		token := credential.GenerateGroup()
		text := token.Reveal()
		if !credential.MayBeGroup(text) || len(text) != len("orthg_")+43 || seen[text] {
			t.Fatalf("token %q", text)
		}
		seen[text] = true
		hash := credential.Hash(token)
		if raw, err := hex.DecodeString(hash); err != nil || len(raw) != 32 || strings.Contains(hash, text) {
			t.Errorf("hash %q: %v", hash, err)
		}
		if !credential.SameHash(hash, credential.Hash(redacted.New(text))) || credential.SameHash(hash, credential.Hash(credential.GenerateGroup())) {
			t.Error("hashes of one token differ, or those of two are the same")
		}
		if shown := fmt.Sprintf("%v %+v %#v", token, token, token); strings.Contains(shown, text) {
			t.Errorf("printed: %s", shown)
		}
	}
	if credential.SameHash("ab", "abc") || !credential.SameHash("", "") {
		t.Error("hashes of other lengths are taken for the same")
	}
}

// What executors have already can become a token of their group, unless it
// protects nothing or no request could carry it.
func TestBroughtTokens(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"hunter2!", ""},
		{strings.Repeat("x", 256), ""},
		{"{\"a\":\"~\"}", ""},
		{credential.GenerateGroup().Reveal(), ""},
		{"default_token", "well-known"},
		{"ORTH-secret-Token", "well-known"},
		{"test", "well-known"},
		{"", "8 to 256"},
		{"hunter2", "8 to 256"},
		{strings.Repeat("x", 257), "8 to 256"},
		{strings.Repeat("x", 64<<10), "8 to 256"},
		{"with a blank", "without blanks"},
		{"with-a-tab\t", "without blanks"},
		{"line\r\nfeed: 1", "without blanks"},
		{"with-a-\x00-zero", "without blanks"},
		{"with-a-\x7f-delete", "without blanks"},
		{"pässwörter", "ASCII"},
		{"密码密码密码密码", "ASCII"},
		{"\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8", "ASCII"},
	} {
		err := credential.CheckGroup("token", redacted.New(c.text))
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%.40q: %v", c.text, err)
		case c.want != "" && (!job.Is(err, job.Invalid) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%.40q: %v, want %q", c.text, err, c.want)
		case err != nil && c.text != "" && strings.Contains(err.Error(), c.text):
			t.Errorf("the error shows the token: %v", err)
		}
		if well := c.want == "well-known"; credential.WellKnown(redacted.New(c.text)) != well || !well && credential.MayBeGroup(c.text) != (c.want == "") {
			t.Errorf("%.40q is judged in two ways", c.text)
		}
	}
}

func TestKeyID(t *testing.T) {
	t.Parallel()
	if id := credential.KeyID("abc"); id != "ba7816bf8f01cfea" { // the digest that FIPS 180-2 has for it
		t.Errorf("key id %s", id)
	}
}
