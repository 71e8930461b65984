package client_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

func (m *memory) AddToken(_ context.Context, group, label string, brought redacted.Text) (job.GroupToken, redacted.Text, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := job.GroupToken{ID: 1<<60 + int64(len(m.tokens)), Group: group, Label: label, Hash: "5ec3e7", CreatedAt: instant}
	m.tokens = append(m.tokens, t)
	if !brought.IsZero() {
		return t, redacted.Text{}, nil
	}
	return t, redacted.New("orthg_x"), nil
}

func (m *memory) RemoveToken(_ context.Context, group string, id int64, force bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !force {
		return job.Errorf(job.Conflict, "2 executors use it")
	}
	n := len(m.tokens)
	m.tokens = slices.DeleteFunc(m.tokens, func(t job.GroupToken) bool { return t.Group == group && t.ID == id })
	if len(m.tokens) == n {
		return job.Errorf(job.NotFound, "group %s has no token %d", group, id)
	}
	return nil
}

func (m *memory) Warnings() []string { return []string{"mind the gap"} }

func (m *memory) GroupTokens(context.Context, string) ([]job.GroupToken, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tokens, m.ownOnly, nil
}

func (m *memory) ChangeGroup(_ context.Context, key string, change job.GroupChange) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if only := change.OwnTokenOnly; only != nil {
		if *only && len(m.tokens) == 0 {
			return job.Errorf(job.Conflict, "it has none")
		}
		m.ownOnly = *only
	}
	for i := range m.groups {
		if g := &m.groups[i]; g.Key == key {
			if change.Title != nil {
				g.Title = *change.Title
			}
			g.Labels, g.Version = change.Labels, g.Version+1
		}
	}
	return nil
}

// Tokens go to a real API and come back, but their secrets only once.
func TestGroupTokens(t *testing.T) {
	t.Parallel()
	c := serve(t, &memory{groups: []job.Group{{Key: "My.Group", Version: 1}}}, nil)
	yes := true
	if _, err := c.EditGroup(t.Context(), "My.Group", api.GroupPatch{OwnTokenOnly: &yes}); !job.Is(err, job.Conflict) {
		t.Errorf("no tokens: %v", err)
	}
	made, err := c.AddGroupToken(t.Context(), "My.Group", api.NewGroupToken{Label: "a label"})
	if err != nil || made.Token != "orthg_x" || made.ID != 1<<60 || made.Label != "a label" {
		t.Errorf("made %+v, %v", made, err)
	}
	g, err := c.EditGroup(t.Context(), "My.Group", api.GroupPatch{OwnTokenOnly: &yes})
	if want := (api.Group{Group: "My.Group", OwnTokenOnly: true, Version: 2}); err != nil || g != want {
		t.Errorf("changed: %+v, %v", g, err)
	}
	list, err := c.GroupTokens(t.Context(), "My.Group")
	want := api.GroupTokenList{
		Group: api.Group{Group: "My.Group", OwnTokenOnly: true}, Tokens: []api.GroupToken{{ID: 1 << 60, Label: "a label", CreatedAt: api.At(instant)}},
	}
	if err != nil || !cmp.Equal(list, want) {
		t.Errorf("listed %+v, %v", list, err)
	}
	if err := c.RemoveGroupToken(t.Context(), "My.Group", made.ID, false); !job.Is(err, job.Conflict) {
		t.Errorf("removed while it is used: %v", err)
	}
	if err := c.RemoveGroupToken(t.Context(), "My.Group", made.ID, true); err != nil {
		t.Error(err)
	}
	if err := c.RemoveGroupToken(t.Context(), "My.Group", made.ID, true); !job.Is(err, job.NotFound) {
		t.Errorf("removed twice: %v", err)
	}
	if made, err := c.AddGroupToken(t.Context(), "My.Group", api.NewGroupToken{Token: "theirs-already"}); err != nil || made.Token != "" {
		t.Errorf("brought along: %+v, %v", made, err)
	}
	if warnings, err := c.Warnings(t.Context()); err != nil || !cmp.Equal(warnings, []string{"mind the gap"}) {
		t.Errorf("warnings %q, %v", warnings, err)
	}
}

// A key that no group can have goes nowhere.
func TestGroupTokensOfNobody(t *testing.T) {
	t.Parallel()
	c := newClient(t, client.Config{Address: "http://127.0.0.1:1", Token: token})
	_, add := c.AddGroupToken(t.Context(), "a/b", api.NewGroupToken{})
	_, list := c.GroupTokens(t.Context(), "")
	_, only := c.EditGroup(t.Context(), "..", api.GroupPatch{})
	for i, err := range []error{add, list, only, c.RemoveGroupToken(t.Context(), "?", 1, false)} {
		if !job.Is(err, job.Invalid) {
			t.Errorf("call %d: %v", i, err)
		}
	}
}
