package credential_test

import (
	"strings"
	"testing"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

func TestCheckBinding(t *testing.T) {
	t.Parallel()
	random := credential.Generate().Reveal()
	for _, c := range []struct {
		token, host, want string
	}{
		{"", "127.0.0.1", ""},
		{"", "localhost", ""},
		{"", "::1", ""},
		{"short", "127.0.0.1", ""},
		{"", "0.0.0.0", "beyond loopback"},
		{"", "", "beyond loopback"},
		{"short", "10.0.0.1", "beyond loopback"},
		{random, "0.0.0.0", ""},
		{random, "example.org", ""},
		{"default_token", "127.0.0.1", "well-known"},
		{"orth-secret-token", "127.0.0.1", "well-known"},
		{"Default_Token", "0.0.0.0", "well-known"},
		{strings.Repeat("a", 40), "0.0.0.0", "hard to guess"},
		{strings.Repeat("ab", 20), "0.0.0.0", "hard to guess"},
		{strings.Repeat("a8f3", 10), "0.0.0.0", "hard to guess"},
		{"password12345678901234567890", "0.0.0.0", "hard to guess"},
		{"Password-Password-Password", "0.0.0.0", "hard to guess"},
		{"abcdefghijklmnopqrstuvwxyz", "0.0.0.0", "hard to guess"},
		{"zyxwvutsrqponmlkjihgfedcba", "0.0.0.0", "hard to guess"},
		{"qwertyuiopasdfghjklzxcvbnm", "0.0.0.0", "hard to guess"},
		{"xxl-job-access-token-default", "0.0.0.0", "hard to guess"},
		{"xxl-job-access-token-default", "127.0.0.1", ""},
		{"9f1c07ab52e4d836", "0.0.0.0", ""},
		{"correct horse battery", "0.0.0.0", ""},
	} {
		err := credential.CheckBinding("token", redacted.New(c.token), c.host)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("token %q on %q: %v", c.token, c.host, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !job.Is(err, job.Invalid)):
			t.Errorf("token %q on %q: got %v, want an error with %q", c.token, c.host, err, c.want)
		case err != nil && c.token != "" && strings.Contains(err.Error(), c.token):
			t.Errorf("the error shows the token: %v", err)
		}
	}
}

// Random secrets pass, also short ones of few characters.
func TestRandomSecretsPass(t *testing.T) {
	t.Parallel()
	refused := 0
	for range 10_000 {
		text := credential.Generate().Reveal()
		if credential.Guessable(redacted.New(text)) || credential.CheckServer("key", credential.GenerateServer()) != nil {
			t.Fatalf("a random secret can be guessed: %s", text)
		}
		sum := credential.Hash(redacted.New(text))
		if credential.Guessable(redacted.New(sum[:32])) {
			t.Fatalf("128 random bits can be guessed: %s", sum[:32])
		}
		if credential.Guessable(redacted.New(sum[:16])) {
			refused++
		}
	}
	if refused > 50 {
		t.Errorf("%d of 10000 secrets of 16 hexadecimal digits are refused", refused)
	}
}
