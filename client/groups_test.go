package client_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/job"
)

func (m *memory) AddAddress(_ context.Context, group, address string, d job.Dialect) (job.Executor, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.addresses == nil {
		m.addresses = make(map[string]string)
	}
	m.addresses[address] = group
	return job.Executor{Group: group, Address: address, Manual: true, RegisteredAt: instant, SeenAt: instant, Dialect: d}, nil
}

func (m *memory) Facts(_ context.Context, group, address string) (job.Facts, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.addresses[address] != group {
		return job.Facts{}, job.Errorf(job.NotFound, "no such executor")
	}
	return job.Facts{Kind: "solana", At: instant, Text: `{"slot":1}`}, nil
}

func (m *memory) SetDialect(_ context.Context, group, address string, d job.Dialect) (job.Executor, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.addresses[address] != group {
		return job.Executor{}, job.Errorf(job.NotFound, "no such executor")
	}
	return job.Executor{Group: group, Address: address, Dialect: d, DialectBy: job.DialectSet, RegisteredAt: instant, SeenAt: instant}, nil
}

func (m *memory) RemoveAddress(_ context.Context, group, address string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.addresses[address] != group {
		return job.Errorf(job.NotFound, "nobody entered %s", address)
	}
	delete(m.addresses, address)
	return nil
}

func (m *memory) Rewrites(context.Context, string) ([]job.Rewrite, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rewrites, nil
}

func (m *memory) SaveRewrites(_ context.Context, _ string, rules []job.Rewrite) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rewrites = rules
	return nil
}

// Addresses and rules go to a real API and come back.
func TestGroups(t *testing.T) {
	t.Parallel()
	m := &memory{}
	c := serve(t, m, nil)
	const address = "http://10.0.0.5:9999/a?b"
	e, err := c.AddAddress(t.Context(), "My.Group", address, "orth-java")
	if err != nil || e.Dialect != "orth-java" || e.Group != "My.Group" || e.Address != address || !e.Manual || !e.LeaseUntil.IsZero() {
		t.Errorf("added: %+v, %v", e, err)
	}
	if e, err = c.SetDialect(t.Context(), "My.Group", address, "xxl-job-3.5"); err != nil || e.Dialect != "xxl-job-3.5" || e.DialectBy != "set" {
		t.Errorf("set: %+v, %v", e, err)
	}
	if e, err = c.SetDialect(t.Context(), "My.Group", address, api.DialectAuto); err != nil || e.Dialect != "" {
		t.Errorf("set to auto: %+v, %v", e, err)
	}
	if _, err = c.SetDialect(t.Context(), "Other", address, "xxl-job"); !job.Is(err, job.NotFound) {
		t.Errorf("of another group: %v", err)
	}
	if err := c.RemoveAddress(t.Context(), "My.Group", address); err != nil {
		t.Error(err)
	}
	if err := c.RemoveAddress(t.Context(), "My.Group", address); !job.Is(err, job.NotFound) {
		t.Errorf("removed twice: %v", err)
	}
	for _, rules := range [][]api.Rewrite{{{From: "http://172.17.", To: "http://{host}:80"}}, {}, nil} {
		saved, err := c.SaveRewrites(t.Context(), "g", rules)
		read, readErr := c.Rewrites(t.Context(), "g")
		if rules == nil {
			rules = []api.Rewrite{}
		}
		if err != nil || readErr != nil || !cmp.Equal(saved, rules) || !cmp.Equal(read, rules) {
			t.Errorf("rules %v: saved %v, %v; read %v, %v", rules, saved, err, read, readErr)
		}
	}
}

// A key that no group can have goes nowhere.
func TestGroupsOfNobody(t *testing.T) {
	t.Parallel()
	c := newClient(t, client.Config{Address: "http://127.0.0.1:1", Token: token})
	_, add := c.AddAddress(t.Context(), "a/b", "http://h", "")
	_, set := c.SetDialect(t.Context(), "..", "http://h", "auto")
	_, read := c.Rewrites(t.Context(), "")
	_, save := c.SaveRewrites(t.Context(), "..", nil)
	for i, err := range []error{add, set, read, save, c.RemoveAddress(t.Context(), "?", "http://h")} {
		if !job.Is(err, job.Invalid) {
			t.Errorf("call %d: %v", i, err)
		}
	}
}

func (m *memory) Offer(_ context.Context, group string) (job.Offer, error) {
	return job.Offer{Executors: 2, Silent: 1, Handlers: []job.OfferedHandler{
		{Kind: job.HandlerPython, Executors: 1}, {Kind: job.HandlerNamed, Name: group, Executors: 1},
	}}, nil
}

func TestGroupHandlers(t *testing.T) {
	t.Parallel()
	c := serve(t, &memory{}, nil)
	found, err := c.GroupHandlers(t.Context(), "reports")
	if err != nil {
		t.Fatal(err)
	}
	want := api.GroupHandlers{Executors: 2, Silent: 1, Handlers: []api.OfferedHandler{
		{Kind: job.HandlerPython, Executors: 1}, {Kind: job.HandlerNamed, Name: "reports", Executors: 1},
	}}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, err := c.GroupHandlers(t.Context(), ""); err == nil {
		t.Error("a group without a key is taken")
	}
}

func TestExecutorFacts(t *testing.T) {
	t.Parallel()
	c := serve(t, &memory{addresses: map[string]string{"http://10.0.0.5:9999": "reports"}}, nil)
	facts, err := c.ExecutorFacts(t.Context(), "reports", "http://10.0.0.5:9999")
	if err != nil {
		t.Fatal(err)
	}
	want := api.ExecutorFacts{Namespace: facts.Namespace, Group: "reports", Address: "http://10.0.0.5:9999", Kind: "solana", At: api.At(instant), Facts: []byte(`{"slot":1}`)}
	if diff := cmp.Diff(want, facts); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, err := c.ExecutorFacts(t.Context(), "reports", "http://10.0.0.6:9999"); !job.Is(err, job.NotFound) {
		t.Errorf("of nobody: %v", err)
	}
	if _, err := c.ExecutorFacts(t.Context(), "", "http://10.0.0.5:9999"); err == nil {
		t.Error("a group without a key is taken")
	}
	if found, err := c.ExecutorsOfKind(t.Context(), "", "printer"); err != nil || len(found) != 0 {
		t.Errorf("executors of another kind: %v, %v", found, err)
	}
}
