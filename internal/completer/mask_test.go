package completer

import (
	"strings"
	"testing"

	"github.com/orthd/orth/job"
)

// Secrets are hidden before anything is decided or written: in the end of an attempt, in
// what contradicts it, and in what children get of it.
func TestMessagesAreMasked(t *testing.T) {
	t.Parallel()
	s := open(1, 0)
	child := kid(4)
	child.Param = "{{result}}"
	s.Children = []Child{child}
	store := newRows(s)
	c := New(Config{Store: store, IDs: store, Mask: func(text string) string { return strings.ReplaceAll(text, "hush-hush", "***") }})
	said := []job.Outcome{
		{AttemptID: 999, Message: "plain"},
		{AttemptID: 70, State: job.Succeeded, Message: "token hush-hush"},
		{AttemptID: 70, State: job.Failed, Message: "late hush-hush"},
	}
	complete(t, c, said...)
	if got := store.of(70).Run.Message; got != "token ***" {
		t.Errorf("recorded %q", got)
	}
	if len(store.children) != 1 {
		t.Errorf("children %+v", store.children)
	}
	for _, run := range store.children {
		if run.Param == nil || *run.Param != "token ***" {
			t.Errorf("the child got %+v", run)
		}
	}
	if len(store.evidence) != 1 || store.evidence[0].Message != "late ***" {
		t.Errorf("evidence %+v", store.evidence)
	}
	if said[1].Message != "token hush-hush" {
		t.Errorf("the caller's own outcome was changed: %q", said[1].Message)
	}
}

// Failures go to people: more is hidden in them than in results, which go to other jobs.
func TestFailuresAreMasked(t *testing.T) {
	t.Parallel()
	for state, want := range map[job.State]string{
		job.Succeeded: "key=*** password=hunter2", job.Failed: "key=*** password=***", job.TimedOut: "key=*** password=***",
		"odd": "the executor reported the state \"odd\", which is not an end",
	} {
		store := newRows(open(1, 0))
		named := strings.NewReplacer("hush-hush", "***")
		all := strings.NewReplacer("hush-hush", "***", "hunter2", "***")
		c := New(Config{Store: store, IDs: store, Mask: func(s string) string { return named.Replace(s) }, MaskFailure: func(s string) string { return all.Replace(s) }})
		complete(t, c, job.Outcome{AttemptID: 70, State: state, Message: "key=hush-hush password=hunter2"})
		if got := store.of(70).Run.Message; got != want {
			t.Errorf("%s: %q, want %q", state, got, want)
		}
	}
}
