package executor

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/job"
)

// Tokens that protect nothing are refused with the reason, unless the user declares the
// time of a migration; then each start warns.
func TestTokensThatProtectNothing(t *testing.T) {
	t.Parallel()
	const loopback, beyond = "127.0.0.1:0", "0.0.0.0:9999"
	const good = "a-token-of-more-than-16"
	for _, c := range []struct {
		name, token, group, listen string
		admit                      bool
		field, want                string // of the error
		warns                      bool
	}{
		{"a good one", good, "", beyond, false, "", "", false},
		{"a good one, and one of the group", good, "orthg_" + good, beyond, false, "", "", false},
		{"a group's alone", "", "orthg_" + good, beyond, false, "", "", false},
		{"a group's alone, short", "", "short-one", beyond, false, "group-token", "beyond loopback", false},
		{"a good one, and a group's of one letter", good, strings.Repeat("eg", 20), beyond, false, "group-token", "hard to guess", false},
		{"one of one letter", strings.Repeat("eg", 20), "", beyond, false, "token", "hard to guess", false},
		{"a server's key", "orths_" + good, "", beyond, false, "", "", false},
		{"a server's key that can be guessed", "orths_" + strings.Repeat("eg", 20), "", loopback, false, "token", "hard to guess", false},
		{"a server's key for the group's token", "", "orths_" + good, loopback, false, "group-token", "executor key of a server", false},
		{"none beyond loopback", "", "", beyond, false, "token", "beyond loopback", false},
		{"the default of XXL-JOB", "default_token", "", loopback, false, "token", "well-known", false},
		{"that of the fork", "orth-secret-token", "", beyond, false, "token", "well-known", false},
		{"a group's that everybody knows", good, "default_token", loopback, false, "group-token", "well-known", false},
		{"a group's that everybody knows, admitted", good, "default_token", loopback, true, "group-token", "well-known", false},
		{"the default, admitted", "default_token", "", beyond, true, "", "", true},
		{"none, admitted", "", "", beyond, true, "", "", true},
		{"none with one of the group", "", "orthg_" + good, beyond, true, "", "", false},
		{"a short one is no default", "short-one", "", beyond, true, "token", "beyond loopback", false},
		{"a good one, nothing to admit", good, "", beyond, true, "", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			_, err := New(Config{
				Servers: []string{"http://127.0.0.1:1"}, Group: "app-x", Listen: c.listen, Token: c.token, GroupToken: c.group,
				AdmitDefaultToken: c.admit, Logger: slog.New(slog.NewTextHandler(&log, nil)),
			})
			wrong, failed := errors.AsType[*job.Error](err)
			switch {
			case failed != (c.want != ""):
				t.Fatalf("New: %v", err)
			case failed && (wrong.Kind != job.Invalid || wrong.Field != c.field || !strings.Contains(wrong.Message, c.want)):
				t.Errorf("New: %v", err)
			case failed && c.want == "well-known" && c.field == "token" && !strings.Contains(wrong.Hint, "--admit-default-token"):
				t.Errorf("it does not say how to go on: %q", wrong.Hint)
			}
			for _, token := range []string{c.token, c.group} {
				if token != "" && (failed && strings.Contains(err.Error()+wrong.Hint, token) || strings.Contains(log.String(), token)) {
					t.Errorf("%q is said: %v; %s", token, err, log.String())
				}
			}
			if warns := strings.Contains(log.String(), "level=WARN"); warns != c.warns {
				t.Errorf("log: %s", log.String())
			}
		})
	}
}

// Scripts and commands need a token, of the server or of the group.
func TestScriptsWithGroupToken(t *testing.T) {
	t.Parallel()
	c := good()
	c.Scripts, c.GroupToken, c.Programs.Commands = true, "orthg_0123456789", []string{"ls"}
	if _, err := New(c); err != nil {
		t.Errorf("with a token of the group: %v", err)
	}
	c.GroupToken, c.AdmitDefaultToken = "", true
	if _, err := New(c); err == nil {
		t.Error("scripts for all are admitted")
	}
}

// A server's key is never shown: what is shown is derived from it, for the group alone.
func TestServerKeyIsNotShown(t *testing.T) {
	t.Parallel()
	key := credential.GenerateServer()
	e, err := New(Config{Servers: []string{"http://127.0.0.1:1"}, Group: "app-x", Listen: "127.0.0.1:0", Token: key.Reveal()})
	if err != nil {
		t.Fatal(err)
	}
	if want := credential.OfGroup(key, "app-x").Reveal(); e.config.Token != want {
		t.Errorf("it shows %q, want %q", e.config.Token, want)
	}
}
