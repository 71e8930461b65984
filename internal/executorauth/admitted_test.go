package executorauth_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/executorauth"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/tries"
	"github.com/orthd/orth/job"
)

// journal is a log that may be read while it is written.
type journal struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.String()
}

func newLog() (*journal, *slog.Logger) {
	j := new(journal)
	return j, slog.New(slog.NewTextHandler(j, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func TestCheckAdmitted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tokens []string
		want   string
	}{
		{nil, ""},
		{[]string{"default_token"}, ""},
		{[]string{"orth-secret-token", "none", "xxl-job", "Default_Token"}, ""},
		{[]string{"default_token", "default_token"}, ""},
		{[]string{"a", "b", "c", "d", "e"}, "names 5 tokens; at most 4"},
		{[]string{""}, "well-known tokens only"},
		{[]string{"None"}, "well-known tokens only"},
		{[]string{"default_token", "our-own-secret"}, "well-known tokens only"},
	} {
		err := executorauth.CheckAdmitted("admit-default-token", c.tokens)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%q: %v", c.tokens, err)
		case c.want != "" && (!job.Is(err, job.Invalid) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%q: %v", c.tokens, err)
		case err != nil && strings.Contains(err.Error(), "our-own"):
			t.Errorf("the error shows the token: %v", err)
		}
	}
}

// A well-known token counts for all groups while it is admitted, but not for those that
// take only their own, and it is what its executors are shown.
func TestAdmitted(t *testing.T) {
	t.Parallel()
	r := newRows("a", "b")
	g := executorauth.NewGroups(executorauth.Config{
		Store: r, Sealer: newSealer(t), Key: redacted.New(key), Admitted: []string{"default_token", "orth-secret-token", "default_token", executorauth.NoToken},
	})
	add(t, g, "b")
	if err := g.ChangeGroup(t.Context(), "b", job.GroupChange{OwnTokenOnly: new(true)}); err != nil {
		t.Fatal(err)
	}
	for i, token := range []string{"default_token", "orth-secret-token", ""} {
		caller, err := g.Caller(t.Context(), token)
		if err != nil || caller.GroupID != 0 || caller.TokenID != job.TokenAdmitted-int64(i) || caller.Speaks("a") != nil || caller.Speaks("b") == nil || caller.Admitted(2) == nil {
			t.Errorf("%q: %+v, %v", token, caller, err)
		}
		wantOutbound(t, g, "a", caller.TokenID, token)
	}
	for _, token := range []string{"xxl-job", "DEFAULT_TOKEN", "none", "default_token ", "test", strings.Repeat("default_token", 5000)} {
		wantGroup(t, g, token, "")
	}
	wantOutbound(t, g, "a", job.TokenAdmitted-3, "") // was admitted before a restart: nothing else

	none := executorauth.NewGroups(executorauth.Config{Store: r})
	for _, token := range []string{"", "none", "default_token"} {
		wantGroup(t, none, token, "")
	}
	wantOutbound(t, none, "a", job.TokenAdmitted, "")
	if warnings := none.Warnings(); warnings != nil {
		t.Errorf("warnings: %q", warnings)
	}
}

// What is admitted is said at the start, and again while somebody uses it.
func TestAdmittedIsSaid(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		logs, logger := newLog()
		g := executorauth.NewGroups(executorauth.Config{
			Store: newRows("a"), Admitted: []string{"default_token", executorauth.NoToken}, Logger: logger, Executors: fleet{
				{Group: "a", Address: "http://1", TokenID: job.TokenAdmitted},
				{Group: "b", Address: "http://1", TokenID: job.TokenAdmitted},
				{Group: "a", Address: "http://2", TokenID: job.TokenAdmitted},
				{Group: "a", Address: "http://4", TokenID: job.TokenDerived},
			},
		})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- g.Run(ctx) }()
		synctest.Wait()
		for _, want := range []string{`admitted="the well-known token default_token" executors=2`, `admitted="showing no token" executors=0`} {
			if text := logs.String(); strings.Count(text, want) != 1 || strings.Count(text, "level=WARN") != 2 {
				t.Errorf("at the start: %s", text)
			}
		}
		time.Sleep(31 * time.Minute)
		synctest.Wait()
		if text := logs.String(); strings.Count(text, "executors=2") != 4 || strings.Count(text, "executors=0") != 1 {
			t.Errorf("after half an hour: %s", text)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		warnings := g.Warnings()
		if len(warnings) != 2 || !strings.Contains(warnings[0], "default_token is admitted: ") || !strings.Contains(warnings[0], "; 2 executors do so now.") ||
			!strings.Contains(warnings[1], "showing no token is admitted: ") || !strings.Contains(warnings[1], "; no executor does so now.") {
			t.Errorf("warnings: %q", warnings)
		}
	})
}

// A token that executors brought along counts like one that was made here.
func TestBroughtToken(t *testing.T) {
	t.Parallel()
	g := executorauth.NewGroups(executorauth.Config{Store: newRows("a", "b"), Sealer: newSealer(t), Key: redacted.New(key)})
	made, text, err := g.AddToken(t.Context(), "a", "from the old admin", redacted.New("s3cr3t!!"))
	if err != nil || !text.IsZero() || !made.Outbound || made.Sealed != "" {
		t.Fatalf("made %+v, %v", made, err)
	}
	wantGroup(t, g, "s3cr3t!!", "a")
	wantOutbound(t, g, "a", made.ID, "s3cr3t!!")
	for _, c := range []struct{ token, want string }{
		{key, "as a server's key"},
		{derived("a"), "as a server's key"},
		{"default_token", "well-known"},
		{"short", "8 to 256"},
		{"with\nline", "8 to 256"},
	} {
		if _, _, err := g.AddToken(t.Context(), "a", "", redacted.New(c.token)); !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), c.token) {
			t.Errorf("%q: %v", c.token, err)
		}
	}
}

// A token that executors of all groups share is taken and shown again, and warned of; a
// group that has it too shows it to executors that were entered by hand.
func TestSharedToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		logs, logger := newLog()
		r := newRows("a", "b")
		config := executorauth.Config{
			Store: r, Sealer: newSealer(t), Key: redacted.New(key), Shared: redacted.New(shared), Logger: logger,
			Executors: fleet{{Group: "a", Address: "http://1", TokenID: job.TokenShared}, {Group: "a", Address: "http://2", TokenID: job.TokenDerived}},
		}
		g := executorauth.NewGroups(config)
		caller, err := g.Caller(t.Context(), shared)
		if err != nil || caller.GroupID != 0 || caller.TokenID != job.TokenShared || caller.Speaks("a") != nil || caller.Speaks("b") != nil {
			t.Errorf("%+v, %v", caller, err)
		}
		wantOutbound(t, g, "a", job.TokenShared, shared)
		for _, group := range []string{"a", "b"} {
			wantOutbound(t, g, group, job.TokenNone, derived(group))
			if _, _, err := g.AddToken(t.Context(), group, "", redacted.New(shared)); err != nil {
				t.Fatal(err)
			}
			wantOutbound(t, g, group, job.TokenNone, shared)
		}
		if caller, err = g.Caller(t.Context(), shared); err != nil || caller.Group != "" {
			t.Errorf("of one group: %+v, %v", caller, err)
		}
		if err := g.ChangeGroup(t.Context(), "b", job.GroupChange{OwnTokenOnly: new(true)}); err != nil {
			t.Fatal(err)
		}
		if caller, err = g.Caller(t.Context(), shared); err != nil || caller.Speaks("b") == nil || caller.Admitted(2) == nil {
			t.Errorf("a closed group: %+v, %v", caller, err)
		}
		if warnings := g.Warnings(); len(warnings) != 1 || !strings.Contains(warnings[0], "share one token") || !strings.Contains(warnings[0], "; 1 executor does so now.") {
			t.Errorf("warnings: %q", warnings)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- g.Run(ctx) }()
		time.Sleep(31 * time.Minute)
		cancel()
		if err := <-ended; err != nil || strings.Count(logs.String(), "share one token") != 4 || strings.Contains(logs.String(), shared) {
			t.Errorf("%v: %s", err, logs)
		}
		config.Shared = redacted.Text{}
		wantGroup(t, executorauth.NewGroups(config), shared, "")
	})
}

// Strangers cause no look at the rows, whatever they show.
func TestStrangers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRows("a")
		g := executorauth.NewGroups(executorauth.Config{Store: r, Key: redacted.New(key), Guesses: tries.NewLimiter(tries.Config{Pace: tries.Pace{AtOnce: 10_000, Every: time.Second}})})
		_, token := add(t, g, "a")
		time.Sleep(3 * time.Second) // the rows are due, for somebody who is known
		before := r.readings()
		for i := range 1000 {
			wantGroup(t, g, fmt.Sprintf("stranger-%d", i), "")
			wantGroup(t, g, strings.Repeat("x", i), "")
			wantGroup(t, g, derived(fmt.Sprint("new-", i))+"x", "")
			if _, _, err := g.Key(t.Context(), credential.KeyID(derived(fmt.Sprint("new-", i)))); err != nil { // the signature tells
				t.Fatal(err)
			}
			if _, _, err := g.Key(t.Context(), credential.KeyID(fmt.Sprint(i))); !job.Is(err, job.Unauthorized) {
				t.Fatal(err)
			}
		}
		wantGroup(t, g, strings.Repeat("x", 64<<10), "")
		if n := r.readings() - before; n != 0 {
			t.Errorf("strangers made the rows be read %d times", n)
		}
		wantGroup(t, g, token, "a")
		if n := r.readings() - before; n != 1 {
			t.Errorf("the rows were read %d times for one who is known", n)
		}
	})
}

// A token that executors use is not removed by accident.
func TestRemoveUsedToken(t *testing.T) {
	t.Parallel()
	r := newRows("a", "b")
	maker := executorauth.NewGroups(executorauth.Config{Store: r})
	id, token := add(t, maker, "a")
	g := executorauth.NewGroups(executorauth.Config{Store: r, Executors: fleet{
		{Group: "a", Address: "http://1", TokenID: id}, {Group: "a", Address: "http://2", TokenID: id}, {Group: "a", Address: "http://3"},
	}})
	tokens, _, err := g.GroupTokens(t.Context(), "a")
	if err != nil || len(tokens) != 1 || tokens[0].Executors != 2 {
		t.Errorf("listed %+v, %v", tokens, err)
	}
	if err := g.RemoveToken(t.Context(), "a", id, false); !job.Is(err, job.Conflict) || !strings.Contains(err.Error(), "2 executors do so") {
		t.Errorf("removed: %v", err)
	}
	wantGroup(t, g, token, "a")
	if err := g.RemoveToken(t.Context(), "b", id, false); err != nil { // whose it is, is for the rows to say
		t.Error(err)
	}
	if err := g.RemoveToken(t.Context(), "a", id, true); err != nil {
		t.Error(err)
	}
	wantGroup(t, g, token, "")
}

// Nothing that is said, whatever users do and whatever is wrong, has a token in
// it.
func TestNothingSaysTokens(t *testing.T) {
	t.Parallel()
	sealers := []*credential.Sealer{newSealer(t), newSealer(t)}
	rapid.Check(t, func(r *rapid.T) {
		logs, logger := newLog()
		store := newRows("a", "b")
		var said, texts []string
		note := func(values ...any) { said = append(said, fmt.Sprintf("%+v %#v", values, values)) }
		for range rapid.IntRange(1, 10).Draw(r, "steps") {
			g := executorauth.NewGroups(executorauth.Config{Store: store, Sealer: rapid.SampledFrom(sealers).Draw(r, "key"), Key: redacted.New(key), Logger: logger})
			group := rapid.SampledFrom([]string{"a", "b", "a/b"}).Draw(r, "group")
			brought := rapid.StringMatching(`[!-~\x00-\x20é]{8,40}`).Draw(r, "token")
			texts = append(texts, brought)
			made, text, err := g.AddToken(r.Context(), group, "", redacted.New(brought))
			note(made, text, err)
			made, text, err = g.AddToken(r.Context(), group, "", redacted.Text{})
			texts = append(texts, text.Reveal())
			note(made, text, err)
			caller, err := g.Caller(r.Context(), brought)
			note(caller, err)
			_, caller, err = g.Key(r.Context(), credential.KeyID(brought))
			note(caller, err)
			tokens, only, err := g.GroupTokens(r.Context(), group)
			note(tokens, only, err, g.Warnings(), g.RemoveToken(r.Context(), group, made.ID, false))
		}
		all := logs.String() + strings.Join(said, "\n")
		if i := slices.IndexFunc(texts, func(text string) bool { return text != "" && strings.Contains(all, text) }); i >= 0 {
			r.Fatalf("%q is said: %s", texts[i], all)
		}
	})
}
