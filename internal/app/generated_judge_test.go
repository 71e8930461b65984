package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// insides are words that no answer has.
func insides() []string {
	return []string{"goroutine ", ".go:", "panic:", "sqlite", "SQLITE", "SELECT ", "INSERT INTO", "UPDATE ", "constraint failed", "no such column", "/internal/", "runtime error"}
}

// aboutTheMachine are the operations that tell those who may see everything what
// the server is and how it was set up.
func aboutTheMachine() []string { return []string{"list-servers", "list-settings"} }

// judge reports what is wrong with an answer.
func (c *campaign) judge(w wish, a answer) error {
	asked := w.target + w.body + fmt.Sprint(w.headers)
	never := c.markers
	if a.status != http.StatusOK || !slices.Contains(aboutTheMachine(), w.op.ID) {
		never = append(append(insides(), c.markers...), c.f.config.Data)
	}
	for _, word := range never {
		if strings.Contains(string(a.body), word) && !strings.Contains(asked, word) {
			return fmt.Errorf("the answer has %q", word)
		}
	}
	if a.status >= 400 {
		return c.judgeProblem(w, a)
	}
	if w.by.out && !slices.Contains(open(), w.op.ID) {
		return errors.New("nobody knows who this is, and yet it was answered")
	}
	if a.status == http.StatusNotModified && w.headers["If-None-Match"] != "" && len(a.body) == 0 {
		return nil
	}
	declared, is := w.op.Responses[fmt.Sprint(a.status)]
	if !is && (!w.dry || a.status != http.StatusOK) {
		return errors.New("the status is not declared")
	}
	if len(declared.Content) == 0 {
		if is && len(a.body) > 0 {
			return errors.New("a body that is not declared")
		}
		return nil
	}
	kind, _, _ := strings.Cut(a.kind, ";")
	of, is := declared.Content[kind]
	if !is {
		return errors.New("the type is not declared")
	}
	if kind != "application/json" {
		return nil
	}
	return c.dice.contract.valid(a.body, of.Schema)
}

// open are the operations for those who have not signed in yet.
func open() []string {
	return []string{"sign-in", "list-sign-in-ways", "start-oidc", "finish-oidc"}
}

// callOut are the operations that speak with others, who may not answer.
func callOut() []string {
	return []string{"test-alarm-settings", "test-alarm-channel", "cancel-run", "cancel-workflow-run", "cancel-backfill", "bulk-runs", "drain-executor", "get-log", "follow-log", "start-oidc", "finish-oidc"}
}

func (c *campaign) judgeProblem(w wish, a answer) error {
	away := a.status == http.StatusServiceUnavailable
	if slices.Contains(callOut(), w.op.ID) {
		away = away || a.status == http.StatusBadGateway || a.status == http.StatusGatewayTimeout
	}
	if a.status >= 500 && !away {
		return errors.New("the server failed")
	}
	if a.kind != "application/problem+json" {
		return errors.New("a refusal that is no problem")
	}
	if err := c.dice.contract.valid(a.body, c.dice.contract.schemas["Problem"]); err != nil {
		return err
	}
	var problem struct{ Status int }
	if err := json.Unmarshal(a.body, &problem); err != nil || problem.Status != a.status {
		return fmt.Errorf("the problem has the status %d, %w", problem.Status, err)
	}
	return nil
}
