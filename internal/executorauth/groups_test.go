package executorauth_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/executorauth"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rows is a store in memory: groups have the ids of their order.
type rows struct {
	mu      sync.Mutex
	groups  []string
	tokens  []job.GroupToken
	closed  map[string]bool
	version int64
	reads   int
	touches []string
	fail    error
}

func newRows(groups ...string) *rows {
	return &rows{groups: groups, closed: map[string]bool{}, version: 1}
}

func (r *rows) AddGroupToken(_ context.Context, t job.GroupToken) (job.GroupToken, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fail != nil {
		return job.GroupToken{}, r.fail
	}
	r.version++
	t.ID = r.version
	r.tokens = append(r.tokens, t)
	return t, nil
}

func (r *rows) RemoveGroupToken(_ context.Context, group string, id int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.version++
	r.tokens = slices.DeleteFunc(r.tokens, func(t job.GroupToken) bool { return t.ID == id && t.Group == group })
	return r.fail
}

func (r *rows) GroupTokens(_ context.Context, group string) ([]job.GroupToken, bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	tokens := slices.DeleteFunc(slices.Clone(r.tokens), func(t job.GroupToken) bool { return t.Group != group })
	return tokens, r.closed[group], r.fail
}

func (r *rows) ChangeGroup(_ context.Context, group string, change job.GroupChange) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.version++
	r.closed[group] = *change.OwnTokenOnly
	return r.fail
}

func (r *rows) Callers(_ context.Context, known int64) (*executorauth.Callers, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reads++
	if r.fail != nil || known == r.version {
		return nil, r.fail
	}
	callers := &executorauth.Callers{Version: r.version}
	for i, group := range r.groups {
		if r.closed[group] {
			callers.Closed = append(callers.Closed, job.Group{ID: int64(i + 1), Key: group})
		}
	}
	for _, t := range r.tokens {
		callers.Tokens = append(callers.Tokens, executorauth.Known{
			ID: t.ID, GroupID: int64(slices.Index(r.groups, t.Group) + 1), Group: t.Group, Hash: t.Hash, Sealed: t.Sealed,
		})
	}
	return callers, nil
}

func (r *rows) GroupID(_ context.Context, group string) (int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.Index(r.groups, group); i >= 0 || r.fail != nil {
		return int64(i + 1), r.fail
	}
	return 0, job.Errorf(job.NotFound, "there is no group %s", group)
}

func (r *rows) TouchGroupToken(_ context.Context, id int64, at time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.touches = append(r.touches, fmt.Sprintf("%d at %s", id, at.UTC().Format("15:04")))
	return r.fail
}

func (r *rows) failing(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fail = err
}

func (r *rows) readings() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reads
}

func add(t *testing.T, g *executorauth.Groups, group string) (int64, string) {
	t.Helper()
	made, text, err := g.AddToken(t.Context(), group, "a label", redacted.Text{})
	if err != nil {
		t.Fatal(err)
	}
	return made.ID, text.Reveal()
}

// wantGroup checks whose a token is; "" for nobody's.
func wantGroup(t *testing.T, g *executorauth.Groups, token, group string) {
	t.Helper()
	caller, err := g.Caller(t.Context(), token)
	switch {
	case group == "" && !job.Is(err, job.Unauthorized):
		t.Errorf("a token of nobody: %+v, %v", caller, err)
	case group != "" && (err != nil || caller.Group != group || caller.GroupID == 0 || caller.TokenID <= 0):
		t.Errorf("a token of %s: %+v, %v", group, caller, err)
	}
}

// Several tokens of a group count at once, and each ends by itself.
func TestRotation(t *testing.T) {
	t.Parallel()
	g := executorauth.NewGroups(executorauth.Config{Store: newRows("a", "b")})
	id, older := add(t, g, "a")
	_, newer := add(t, g, "a")
	_, other := add(t, g, "b")
	wantGroup(t, g, older, "a")
	wantGroup(t, g, newer, "a")
	wantGroup(t, g, other, "b")
	if err := g.RemoveToken(t.Context(), "a", id, false); err != nil {
		t.Fatal(err)
	}
	wantGroup(t, g, older, "") // at once on this server
	wantGroup(t, g, newer, "a")
	for _, wrong := range []string{"", "orthg_", newer[:len(newer)-1], newer + "x", strings.TrimPrefix(newer, "orthg_"), credential.Hash(redacted.New(newer)), "orthg_" + strings.Repeat("A", 43)} {
		wantGroup(t, g, wrong, "")
	}
}

func TestClosedGroups(t *testing.T) {
	t.Parallel()
	g := executorauth.NewGroups(executorauth.Config{Store: newRows("a", "b"), Key: redacted.New(key), Shared: redacted.New(shared)})
	_, token := add(t, g, "a")
	for _, only := range []bool{true, false} {
		if err := g.ChangeGroup(t.Context(), "a", job.GroupChange{OwnTokenOnly: new(only)}); err != nil {
			t.Fatal(err)
		}
		everyone, err := g.Caller(t.Context(), shared)
		if err != nil || (everyone.Speaks("a") != nil) != only || everyone.Speaks("b") != nil || (everyone.Admitted(1) != nil) != only {
			t.Errorf("only %t: %+v, %v", only, everyone, err)
		}
		made, err := g.Caller(t.Context(), derived("a"))
		if err != nil || (made.Speaks("a") != nil) != only || made.Speaks("b") == nil || (made.Admitted(1) != nil) != only {
			t.Errorf("only %t: %+v, %v", only, made, err)
		}
		wantGroup(t, g, token, "a")
	}
}

// The token that is made of the server's key is good for its group alone, which need not
// exist; the key itself is good for nothing.
func TestDerivedTokens(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRows("a", "b")
		g := executorauth.NewGroups(executorauth.Config{Store: r, Key: redacted.New(key)})
		for group, id := range map[string]int64{"a": 1, "b": 2, "new": job.NoGroup} {
			caller, err := g.Caller(t.Context(), derived(group))
			if err != nil || caller.Group != group || caller.GroupID != id || caller.TokenID != job.TokenDerived || caller.Speaks(group) != nil || caller.Speaks("x") == nil {
				t.Errorf("%s: %+v, %v", group, caller, err)
			}
		}
		other := credential.OfGroup(credential.GenerateServer(), "a").Reveal()
		for _, wrong := range []string{
			key, strings.TrimPrefix(key, "orths_"), derived("a") + "x", derived("a")[:len(derived("a"))-1], strings.Replace(derived("a"), "_a:", "_b:", 1),
			other, credential.KeyID(derived("a")), "orthd_a:", "orthd_:" + strings.Repeat("A", 43),
		} {
			wantGroup(t, g, wrong, "")
			wantGroup(t, executorauth.NewGroups(executorauth.Config{Store: r}), wrong, "")
		}
		r.mu.Lock()
		r.groups = append(r.groups, "new") // by its first registration
		r.mu.Unlock()
		if caller, err := g.Caller(t.Context(), derived("new")); err != nil || caller.GroupID != 3 {
			t.Errorf("%+v, %v", caller, err)
		}
	})
}

// What another server changes counts within five seconds, and the rows are not
// read for each call.
func TestOtherServers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRows("a")
		here, there := executorauth.NewGroups(executorauth.Config{Store: r}), executorauth.NewGroups(executorauth.Config{Store: r})
		id, token := add(t, there, "a")
		before := r.readings()
		for range 1000 {
			wantGroup(t, here, token, "a")
		}
		if n := r.readings() - before; n != 1 {
			t.Errorf("a thousand calls read the rows %d times", n)
		}
		if err := there.RemoveToken(t.Context(), "a", id, false); err != nil {
			t.Fatal(err)
		}
		wantGroup(t, there, token, "")
		time.Sleep(5 * time.Second)
		wantGroup(t, here, token, "")
	})
}

// A database that is away for a moment turns nobody away; for longer it turns
// everybody away, as something that passes.
func TestStoreAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		r := newRows("a")
		g := executorauth.NewGroups(executorauth.Config{Store: r, Key: redacted.New(key), Logger: slog.New(slog.NewTextHandler(&log, nil))})
		_, token := add(t, g, "a")
		r.failing(errors.New("disk /secret/path"))
		time.Sleep(4 * time.Second)
		wantGroup(t, g, token, "a")
		time.Sleep(time.Second)
		before := r.readings()
		for range 100 {
			_, err := g.Caller(t.Context(), token)
			_, open := g.Caller(t.Context(), derived("a"))
			if !job.Is(err, job.Unavailable) || !job.Is(open, job.Unavailable) || strings.Contains(err.Error(), "/secret") {
				t.Fatalf("away: %v, %v", err, open)
			}
		}
		if n := r.readings() - before; n > 1 {
			t.Errorf("the rows were read %d times while they were away", n)
		}
		time.Sleep(time.Second)
		r.failing(nil)
		wantGroup(t, g, token, "a")
		if text := log.String(); strings.Contains(text, token) || strings.Contains(text, credential.Hash(redacted.New(token))) || !strings.Contains(text, "/secret/path") {
			t.Errorf("log: %s", text)
		}
	})
}

// The last use is written once an hour.
func TestLastUse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRows("a")
		g := executorauth.NewGroups(executorauth.Config{Store: r})
		_, token := add(t, g, "a")
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- g.Run(ctx) }()
		for range 150 {
			wantGroup(t, g, token, "a")
			time.Sleep(time.Minute)
			synctest.Wait()
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if got := strings.Join(r.touches, ", "); got != "2 at 00:00, 2 at 01:00, 2 at 02:00" {
			t.Errorf("written: %s", got)
		}
	})
}

// Nobody waits for the writes of last uses, and what does not fit comes later.
func TestManyUses(t *testing.T) {
	t.Parallel()
	g := executorauth.NewGroups(executorauth.Config{Store: newRows("a")})
	for range 100 {
		_, token := add(t, g, "a")
		wantGroup(t, g, token, "a")
		wantGroup(t, g, token, "a")
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	r := newRows("a")
	g := executorauth.NewGroups(executorauth.Config{Store: r})
	if made, text, err := g.AddToken(t.Context(), "a", "x", redacted.Text{}); err != nil || strings.Contains(fmt.Sprintf("%+v", made), text.Reveal()) || made.Hash != credential.Hash(text) {
		t.Errorf("made %+v, %v", made, err)
	}
	for name, call := range map[string]func(group string) error{
		"add":    func(group string) error { _, _, err := g.AddToken(t.Context(), group, "", redacted.Text{}); return err },
		"remove": func(group string) error { return g.RemoveToken(t.Context(), group, 1, false) },
		"list":   func(group string) error { _, _, err := g.GroupTokens(t.Context(), group); return err },
		"only": func(group string) error {
			return g.ChangeGroup(t.Context(), group, job.GroupChange{OwnTokenOnly: new(true)})
		},
	} {
		if err := call("a/b"); !job.Is(err, job.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
		r.failing(job.Errorf(job.Full, "no room"))
		if err := call("a"); !job.Is(err, job.Full) {
			t.Errorf("%s: %v", name, err)
		}
		r.failing(nil)
	}
	if _, _, err := g.AddToken(t.Context(), "a", strings.Repeat("é", job.MaxTokenLabel+1), redacted.Text{}); !job.Is(err, job.Invalid) {
		t.Errorf("a long label: %v", err)
	}
}
