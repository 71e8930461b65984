package manifest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/orthd/orth/job"
)

// A plan tells which secrets its jobs lack, those that stay as they are too.
func TestLackSecrets(t *testing.T) {
	t.Parallel()
	const head = "apiVersion: orth/v1\nkind: Job\nmetadata: {namespace: team, key: "
	const tail = "\n  group: g\n  schedule: {kind: manual}\n  handler: {kind: named, name: x}\n---\n"
	text := head + "one}\nspec:\n  param: 'a ${secret:have} ${secret:lack|url} $${secret:text}'\n  labels: {token: '${secret:other}'}" + tail +
		head + "same}\nspec:\n  param: '${secret:lack}'" + tail + head + "plain}\nspec:\n  param: x" + tail + head + "wrong}\nspec:\n  param: '${secret:X}'" + tail
	want, mistakes := Read("-", []byte(text), "default", nil)
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	have := slices.DeleteFunc(slices.Clone(want), func(o Object) bool { return o.Key != "same" })
	plan, err := Decide(want, have, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := plan.SecretSpaces(); !slices.Equal(got, []string{"team"}) {
		t.Errorf("namespaces %q", got)
	}
	plan.LackSecrets("elsewhere", nil)
	plan.LackSecrets("team", []string{"have"})
	lacks := map[string]string{}
	for _, c := range plan.Changes {
		lacks[c.Key] = strings.Join(c.Lacks, " ")
	}
	for key, want := range map[string]string{"one": "lack other", "same": "lack", "plain": "", "wrong": ""} {
		if lacks[key] != want {
			t.Errorf("%s lacks %q, want %q", key, lacks[key], want)
		}
	}
}

// A document of a secret is refused with words that help, and without its value.
func TestNoDocumentHoldsASecret(t *testing.T) {
	t.Parallel()
	_, mistakes := Read("-", []byte("apiVersion: orth/v1\nkind: Secret\nmetadata: {key: api}\nspec: {value: hush-hush}\n"), "default", nil)
	if len(mistakes) != 1 {
		t.Fatal(mistakes)
	}
	wrong, _ := errors.AsType[*job.Error](mistakes[0])
	if wrong == nil || !strings.Contains(wrong.Hint, "orth secret set") || strings.Contains(wrong.Error(), "hush") {
		t.Errorf("%v", mistakes)
	}
}
