package secret_test

import (
	"strings"
	"testing"

	"github.com/orthd/orth/internal/secret"
)

// A group's token is made of the key and shows the group, and nothing of the key.
func TestOfGroup(t *testing.T) {
	t.Parallel()
	key, other := secret.GenerateServer(), secret.GenerateServer()
	token := secret.OfGroup(key, "a.b-c_d")
	for what, same := range map[string]bool{
		"twice":               !token.Equal(secret.OfGroup(key, "a.b-c_d")),
		"of another group":    token.Equal(secret.OfGroup(key, "a.b-c_e")),
		"of another key":      token.Equal(secret.OfGroup(other, "a.b-c_d")),
		"a key":               secret.IsServer(token),
		"with the key":        strings.Contains(token.Reveal(), strings.TrimPrefix(key.Reveal(), "orths_")),
		"taken as brought":    secret.CheckGroup("token", token) == nil || secret.CheckGroup("token", key) == nil,
		"too long for a wire": !secret.MayBeGroup(secret.OfGroup(key, strings.Repeat("g", 64)).Reveal()),
	} {
		if same {
			t.Errorf("%s: %q", what, token.Reveal())
		}
	}
	if plain := secret.New("a-token-of-others"); !secret.OfGroup(plain, "a").Equal(plain) {
		t.Error("a token of others is changed")
	}
	id := secret.KeyID(token.Reveal())
	if group, ok := secret.GroupOf(token.Reveal()); !ok || group != "a.b-c_d" || !secret.IsKeyID(id) || strings.Contains(id, ":") {
		t.Errorf("group %q, %t, key %q", group, ok, id)
	}
	if group, ok := secret.GroupOf(id); !ok || group != "a.b-c_d" {
		t.Errorf("key %q is of %q, %t", id, group, ok)
	}
	for _, text := range []string{"", "orthd_", "orthd_:x", "orthd_a b:x", "orthd_a/b", "orthg_a:x", key.Reveal(), "orthd_" + strings.Repeat("a", 65)} {
		if group, ok := secret.GroupOf(text); ok {
			t.Errorf("%q is of group %q", text, group)
		}
		if secret.IsKeyID(text) {
			t.Errorf("%q names a key", text)
		}
	}
	if !secret.IsKeyID(secret.KeyID("other")) || secret.IsKeyID(token.Reveal()) || secret.IsKeyID(strings.ToUpper(secret.KeyID("other"))) {
		t.Error("names of keys are told wrongly")
	}
}

func TestCheckServer(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		secret.GenerateServer().Reveal(): "", secret.Generate().Reveal(): "begins with orths_", "": "begins with orths_",
		"orths_" + strings.Repeat("a", 40): "hard to guess", "orths_" + secret.Generate().Reveal() + " x": "without blanks",
	} {
		err := secret.CheckServer("executor-token", secret.New(text))
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
