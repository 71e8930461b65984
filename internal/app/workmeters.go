package app

import (
	"time"

	"github.com/orthd/orth/internal/backfill"
	"github.com/orthd/orth/internal/observe"
	"github.com/orthd/orth/internal/workflow"
)

// The kinds of long works.
const (
	workBackfill  = "backfill"
	workWorkflow  = "workflow"
	workBroadcast = "broadcast"
)

// ofWorks makes what counts how long works are moved on.
func (m *meters) ofWorks(all *observe.Meters) {
	steps := all.Counter("works_steps_total", "Steps of long works that this server has made, by kind of work.", "kind")
	left := all.Counter("works_left_total", "Long works that this server has left to others at a drain or a stop, by kind of work.", "kind")
	m.steps = map[string]observe.Counter{}
	for _, kind := range []string{workBackfill, workWorkflow, workBroadcast} {
		m.steps[kind] = steps.Of(kind)
	}
	m.left = map[string]observe.Counter{workBackfill: left.Of(workBackfill), workWorkflow: left.Of(workWorkflow)}
	m.takeovers = all.Counter("works_takeovers_total", "How often this server has looked for the long works of a server that is gone.").Of()
}

// kept implements dispatcher.Hooks.
func (m *meters) kept(renewed, givenBack, lost int) {
	m.renewed.Add(renewed)
	m.givenBack.Add(givenBack)
	m.lost.Add(lost)
}

// backfills are the hooks of backfills.
func (m *meters) backfills(ready func(at time.Time)) backfill.Hooks {
	return backfill.Hooks{
		Ready: ready, Step: func(int, int, int) { m.steps[workBackfill].Add(1) }, Left: func(n int) { m.left[workBackfill].Add(n) },
	}
}

// workflows returns the configuration with the hooks that count.
func (m *meters) workflows(c workflow.Config) workflow.Config {
	c.Step = func(int, int) { m.steps[workWorkflow].Add(1) }
	c.Left = func(n int) { m.left[workWorkflow].Add(n) }
	return c
}

// barrier is called after each broadcast that this server has ended.
func (m *meters) barrier() { m.steps[workBroadcast].Add(1) }
