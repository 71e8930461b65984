package credential_test

import (
	"strings"
	"testing"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/redacted"
)

// A group's token is made of the key and shows the group, and nothing of the key.
func TestOfGroup(t *testing.T) {
	t.Parallel()
	key, other := credential.GenerateServer(), credential.GenerateServer()
	token := credential.OfGroup(key, "a.b-c_d")
	for what, same := range map[string]bool{
		"twice":               !token.Equal(credential.OfGroup(key, "a.b-c_d")),
		"of another group":    token.Equal(credential.OfGroup(key, "a.b-c_e")),
		"of another key":      token.Equal(credential.OfGroup(other, "a.b-c_d")),
		"a key":               credential.IsServer(token),
		"with the key":        strings.Contains(token.Reveal(), strings.TrimPrefix(key.Reveal(), "orths_")),
		"taken as brought":    credential.CheckGroup("token", token) == nil || credential.CheckGroup("token", key) == nil,
		"too long for a wire": !credential.MayBeGroup(credential.OfGroup(key, strings.Repeat("g", 64)).Reveal()),
	} {
		if same {
			t.Errorf("%s: %q", what, token.Reveal())
		}
	}
	if plain := redacted.New("a-token-of-others"); !credential.OfGroup(plain, "a").Equal(plain) {
		t.Error("a token of others is changed")
	}
	id := credential.KeyID(token.Reveal())
	if group, ok := credential.GroupOf(token.Reveal()); !ok || group != "a.b-c_d" || !credential.IsKeyID(id) || strings.Contains(id, ":") {
		t.Errorf("group %q, %t, key %q", group, ok, id)
	}
	if group, ok := credential.GroupOf(id); !ok || group != "a.b-c_d" {
		t.Errorf("key %q is of %q, %t", id, group, ok)
	}
	for _, text := range []string{"", "orthd_", "orthd_:x", "orthd_a b:x", "orthd_a/b", "orthg_a:x", key.Reveal(), "orthd_" + strings.Repeat("a", 65)} {
		if group, ok := credential.GroupOf(text); ok {
			t.Errorf("%q is of group %q", text, group)
		}
		if credential.IsKeyID(text) {
			t.Errorf("%q names a key", text)
		}
	}
	if !credential.IsKeyID(credential.KeyID("other")) || credential.IsKeyID(token.Reveal()) || credential.IsKeyID(strings.ToUpper(credential.KeyID("other"))) {
		t.Error("names of keys are told wrongly")
	}
}

func TestCheckServer(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		credential.GenerateServer().Reveal(): "", credential.Generate().Reveal(): "begins with orths_", "": "begins with orths_",
		"orths_" + strings.Repeat("a", 40): "hard to guess", "orths_" + credential.Generate().Reveal() + " x": "without blanks",
	} {
		err := credential.CheckServer("executor-token", redacted.New(text))
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
