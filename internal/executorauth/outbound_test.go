package executorauth_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/executorauth"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

const (
	key    = "orths_of-this-server-and-of-no-other-9f1c07ab52e4d836"
	shared = "what-all-executors-have-9f1c07"
)

// derived is what is made of the key for a group.
func derived(group string) string { return credential.OfGroup(redacted.New(key), group).Reveal() }

func newSealer(t *testing.T) *credential.Sealer {
	t.Helper()
	s, err := credential.OpenSealer(filepath.Join(t.TempDir(), "secrets.key"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fleet is executors that are alive.
type fleet []job.Executor

func (f fleet) Executors() []job.Executor { return f }

// wantOutbound checks what an executor is shown.
func wantOutbound(t *testing.T, g *executorauth.Groups, group string, token int64, want string) {
	t.Helper()
	if text := g.Outbound(group, token); text != want {
		t.Errorf("group %s, token %d: shown %q, want %q", group, token, text, want)
	}
}

// While a group changes its token each executor is shown the one that it has.
func TestOutboundRotation(t *testing.T) {
	t.Parallel()
	g := executorauth.NewGroups(executorauth.Config{Store: newRows("a", "b", "c"), Sealer: newSealer(t), Key: redacted.New(key)})
	older, oldText := add(t, g, "a")
	newer, newText := add(t, g, "a")
	other, otherText := add(t, g, "b")
	wantOutbound(t, g, "a", older, oldText)
	wantOutbound(t, g, "a", newer, newText)
	wantOutbound(t, g, "b", other, otherText)
	wantOutbound(t, g, "a", job.TokenNone, newText) // it was entered by hand
	wantOutbound(t, g, "c", job.TokenNone, derived("c"))
	wantOutbound(t, g, "a", job.TokenDerived, derived("a"))
	wantOutbound(t, g, "a", job.TokenShared, "") // no longer
	wantOutbound(t, g, "a", other, "")           // never another group's
	wantOutbound(t, g, "c", other, "")
	wantOutbound(t, g, "", older, "")
	if err := g.RemoveToken(t.Context(), "a", older, false); err != nil {
		t.Fatal(err)
	}
	wantOutbound(t, g, "a", older, "") // it may have leaked: whoever shows it learns nothing
	wantOutbound(t, g, "a", newer, newText)
}

// Tokens of a server that sealed none are taken from executors, who are shown nothing.
func TestOutboundUnsealed(t *testing.T) {
	t.Parallel()
	r := newRows("a")
	before, sealing := executorauth.NewGroups(executorauth.Config{Store: r}), executorauth.NewGroups(executorauth.Config{Store: r, Sealer: newSealer(t)})
	id, text := add(t, before, "a")
	wantGroup(t, sealing, text, "a")
	wantOutbound(t, sealing, "a", id, "")
	newer, newText := add(t, sealing, "a")
	wantOutbound(t, sealing, "a", id, "") // its executors were not given the newer one
	wantOutbound(t, sealing, "a", newer, newText)
	tokens, _, err := sealing.GroupTokens(t.Context(), "a")
	if err != nil || len(tokens) != 2 || tokens[0].Outbound || !tokens[1].Outbound {
		t.Errorf("listed %+v, %v", tokens, err)
	}
	if _, _, err := sealing.Key(t.Context(), credential.KeyID(text)); !job.Is(err, job.Unauthorized) || !strings.Contains(err.Error(), "orth group token add a") {
		t.Errorf("a key that is not kept: %v", err)
	}
}

// Each executor signs with what it has, and is told apart by that.
func TestKeys(t *testing.T) {
	t.Parallel()
	r := newRows("a", "b")
	g := executorauth.NewGroups(executorauth.Config{Store: r, Sealer: newSealer(t), Key: redacted.New(key), Shared: redacted.New(shared), Admitted: []string{"default_token", executorauth.NoToken}})
	first, firstText := add(t, g, "a")
	second, secondText := add(t, g, "b")
	for _, c := range []struct {
		text  string
		group string
		id    int64
		of    int64 // the group, once it is confirmed
	}{
		{firstText, "a", first, 1},
		{secondText, "b", second, 2},
		{shared, "", job.TokenShared, 0},
		{derived("b"), "b", job.TokenDerived, 2},
		{derived("new"), "new", job.TokenDerived, job.NoGroup},
	} {
		text, caller, err := g.Key(t.Context(), credential.KeyID(c.text))
		if err != nil || text != c.text || caller.Group != c.group || caller.TokenID != c.id {
			t.Errorf("key %q of %+v: %v", text, caller, err)
		}
		if caller, err = g.Confirm(t.Context(), caller); err != nil || caller.GroupID != c.of {
			t.Errorf("key %q, confirmed: %+v: %v", text, caller, err)
		}
	}
	for _, id := range []string{
		"", credential.KeyID("default_token"), credential.KeyID(""), credential.KeyID("nobody's"), credential.Hash(redacted.New(firstText)),
		strings.ToUpper(credential.KeyID(shared)), credential.KeyID(key), derived("a"), "orthd_", "orthd_a b", strings.Repeat("0", 64<<10), firstText,
	} {
		if key, caller, err := g.Key(t.Context(), id); !job.Is(err, job.Unauthorized) || key != "" || caller != (job.Caller{}) {
			t.Errorf("key %.20q: %q of %+v, %v", id, key, caller, err)
		}
	}
	if err := g.RemoveToken(t.Context(), "a", first, false); err != nil {
		t.Fatal(err)
	}
	if _, _, err := g.Key(t.Context(), credential.KeyID(firstText)); !job.Is(err, job.Unauthorized) {
		t.Errorf("a key that is gone: %v", err)
	}
	for _, id := range []string{credential.KeyID(""), credential.KeyID(derived("a"))} {
		if _, _, err := executorauth.NewGroups(executorauth.Config{Store: r}).Key(t.Context(), id); !job.Is(err, job.Unauthorized) {
			t.Errorf("a server without a key, and %s: %v", id, err)
		}
	}
}

// Whatever users and executors do, nobody is shown a token of another group, and
// nobody is shown the server's key, nor what is shared without having shown it.
func TestOutboundNeverLeaks(t *testing.T) {
	t.Parallel()
	sealer := newSealer(t)
	rapid.Check(t, func(r *rapid.T) {
		groups := []string{"a", "b", "c"}
		g := executorauth.NewGroups(executorauth.Config{Store: newRows(groups...), Sealer: sealer, Key: redacted.New(key), Shared: redacted.New(shared), Admitted: []string{"default_token"}})
		texts := map[int64]string{} // by id
		of := map[int64]string{}
		live := map[int64]bool{}
		for range rapid.IntRange(1, 12).Draw(r, "steps") {
			group := rapid.SampledFrom(groups).Draw(r, "group")
			if id := rapid.SampledFrom(append([]int64{0}, ids(texts)...)).Draw(r, "id"); id != 0 && rapid.Bool().Draw(r, "remove") {
				if err := g.RemoveToken(t.Context(), of[id], id, false); err != nil {
					r.Fatal(err)
				}
				delete(live, id)
				continue
			}
			made, text, err := g.AddToken(t.Context(), group, "", redacted.Text{})
			if err != nil {
				r.Fatal(err)
			}
			texts[made.ID], of[made.ID], live[made.ID] = text.Reveal(), group, true
		}
		for _, group := range groups {
			for _, token := range append(ids(texts), job.TokenNone, job.TokenDerived, job.TokenShared, job.TokenAdmitted, job.TokenAdmitted-1, job.TokenCertificate, 1<<50) {
				text := g.Outbound(group, token)
				switch {
				case strings.Contains(text, key):
					r.Fatalf("group %s, token %d: the server's key", group, token)
				case text == shared && token != job.TokenShared:
					r.Fatalf("group %s, token %d: what others share", group, token)
				case live[token] && of[token] == group && text != texts[token]:
					r.Fatalf("group %s, token %d: another than it has", group, token)
				case text != "" && text != "default_token" && text != shared && text != derived(group) && !belongs(text, group, texts, of, live):
					r.Fatalf("group %s, token %d: a token of somebody else", group, token)
				case token > 0 && text != "" && text != texts[token]:
					r.Fatalf("group %s, token %d: a token that it did not show", group, token)
				case text == "default_token" && token != job.TokenAdmitted:
					r.Fatalf("group %s, token %d: what others showed", group, token)
				}
			}
		}
	})
}

func ids(texts map[int64]string) []int64 {
	var all []int64
	for id := range int64(64) {
		if _, ok := texts[id]; ok {
			all = append(all, id)
		}
	}
	return all
}

func belongs(text, group string, texts, of map[int64]string, live map[int64]bool) bool {
	for id, t := range texts {
		if t == text {
			return of[id] == group && live[id]
		}
	}
	return false
}

// A key that was lost or replaced stops nothing: the groups are named, their
// tokens are taken, and lists say that they cannot be shown.
func TestLostKey(t *testing.T) {
	t.Parallel()
	r := newRows("a", "b", "c")
	first := executorauth.NewGroups(executorauth.Config{Store: r, Sealer: newSealer(t)})
	id, text := add(t, first, "b")
	add(t, first, "a")
	logs, logger := newLog()
	g := executorauth.NewGroups(executorauth.Config{Store: r, Sealer: newSealer(t), Logger: logger})
	for range 3 {
		wantGroup(t, g, text, "b")
		wantOutbound(t, g, "b", id, "")
		if err := g.ChangeGroup(t.Context(), "c", job.GroupChange{OwnTokenOnly: new(true)}); err != nil { // the rows are read again
			t.Fatal(err)
		}
	}
	if n := strings.Count(logs.String(), "cannot be shown to executors any more"); n != 1 || !strings.Contains(logs.String(), `groups="a, b"`) ||
		!strings.Contains(logs.String(), "secrets.key") || strings.Contains(logs.String(), text) {
		t.Errorf("%d lines: %s", n, logs)
	}
	if warnings := g.Warnings(); len(warnings) != 1 || !strings.Contains(warnings[0], "any more: a, b.") || !strings.Contains(warnings[0], "orth group token add") {
		t.Errorf("warnings: %q", warnings)
	}
	tokens, _, err := g.GroupTokens(t.Context(), "b")
	if err != nil || len(tokens) != 1 || tokens[0].Outbound || tokens[0].Hash != "" || tokens[0].Sealed != "" {
		t.Errorf("listed %+v, %v", tokens, err)
	}
	newer, newText := add(t, g, "b")
	wantOutbound(t, g, "b", newer, newText)
	wantOutbound(t, g, "b", id, "")
}

// Many lost groups do not fill the log.
func TestManyLostGroups(t *testing.T) {
	t.Parallel()
	var names []string
	for i := range 100 {
		names = append(names, fmt.Sprintf("g%03d", i))
	}
	r := newRows(names...)
	first := executorauth.NewGroups(executorauth.Config{Store: r, Sealer: newSealer(t)})
	for _, name := range names {
		add(t, first, name)
	}
	logs, logger := newLog()
	g := executorauth.NewGroups(executorauth.Config{Store: r, Sealer: newSealer(t), Logger: logger})
	wantOutbound(t, g, "g000", job.TokenNone, "")
	if text := logs.String(); !strings.Contains(text, "g019, and others") || strings.Contains(text, "g020") {
		t.Errorf("log: %s", text)
	}
}

// While the rows are away executors are shown what they were shown before, and one
// that shows its token is told to come again.
func TestOutboundStoreAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRows("a")
		g := executorauth.NewGroups(executorauth.Config{Store: r, Sealer: newSealer(t)})
		id, text := add(t, g, "a")
		r.failing(errors.New("no disk"))
		_ = g.ChangeGroup(t.Context(), "a", job.GroupChange{OwnTokenOnly: new(false)})
		time.Sleep(time.Hour)
		wantOutbound(t, g, "a", id, text)
		if _, err := g.Caller(t.Context(), text); !job.Is(err, job.Unavailable) {
			t.Errorf("caller: %v", err)
		}
		if _, _, err := g.Key(t.Context(), credential.KeyID(text)); !job.Is(err, job.Unavailable) {
			t.Errorf("key: %v", err)
		}
		never := executorauth.NewGroups(executorauth.Config{Store: r})
		wantOutbound(t, never, "a", id, "")
		wantOutbound(t, never, "a", job.TokenNone, "")
	})
}
