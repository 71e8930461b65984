package secret_test

import (
	"strings"
	"testing"

	"github.com/orthd/orth/internal/secret"
	"github.com/orthd/orth/job"
)

func TestCheckBinding(t *testing.T) {
	t.Parallel()
	random := secret.Generate().Reveal()
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
	} {
		err := secret.CheckBinding("token", secret.New(c.token), c.host)
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
