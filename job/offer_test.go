package job_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/job"
)

func TestOfferOf(t *testing.T) {
	t.Parallel()
	named := func(name string, n int) job.OfferedHandler {
		return job.OfferedHandler{Kind: job.HandlerNamed, Name: name, Executors: n}
	}
	script := func(kind job.HandlerKind, n int) job.OfferedHandler {
		return job.OfferedHandler{Kind: kind, Executors: n}
	}
	native := func(features, handlers []string) job.Executor {
		return job.Executor{Dialect: job.DialectNative, Features: features, Handlers: handlers}
	}
	for name, test := range map[string]struct {
		executors []job.Executor
		want      job.Offer
	}{
		"nobody": {nil, job.Offer{Handlers: []job.OfferedHandler{}}},
		"scripts come first, in their order, then names": {
			[]job.Executor{native([]string{"javascript", "python=3.11.2", "shell", "zone=eu"}, []string{"b", "a"})},
			job.Offer{Executors: 1, Handlers: []job.OfferedHandler{
				script(job.HandlerShell, 1), script(job.HandlerPython, 1), script(job.HandlerJS, 1), named("a", 1), named("b", 1),
			}},
		},
		"executors are counted": {
			[]job.Executor{native([]string{"shell"}, []string{"a"}), native([]string{"shell=5.2"}, []string{"a", "c"}), native(nil, nil)},
			job.Offer{Executors: 3, Handlers: []job.OfferedHandler{script(job.HandlerShell, 2), named("a", 2), named("c", 1)}},
		},
		"one that says it twice counts once": {
			[]job.Executor{native([]string{"http", "shell", "shell=5"}, []string{job.HandlerNameHTTP})},
			job.Offer{Executors: 1, Handlers: []job.OfferedHandler{script(job.HandlerShell, 1), named(job.HandlerNameHTTP, 1)}},
		},
		"others announce no names": {
			[]job.Executor{{}, {Dialect: job.DialectXXL2}, {Dialect: job.DialectXXL, Features: []string{"command", "php=8.2"}}, native(nil, []string{"a"})},
			job.Offer{Executors: 4, Silent: 3, Handlers: []job.OfferedHandler{script(job.HandlerPHP, 1), named("a", 1), named(job.HandlerNameCommand, 1)}},
		},
		"a label is no kind": {
			[]job.Executor{native([]string{"named", "weight=3", "http=2", "shellfish"}, nil)},
			job.Offer{Executors: 1, Handlers: []job.OfferedHandler{}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, job.OfferOf(test.executors)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
