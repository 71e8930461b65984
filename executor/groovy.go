package executor

import (
	"context"
	"log/slog"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/handler/script"
	"github.com/orthd/orth/job"
)

// lateGroovy is the Groovy runtime, which takes seconds to find and to prepare:
// the executor begins without waiting for it, and tasks of Groovy that come
// before it is ready do wait.
type lateGroovy struct {
	find  func(ctx context.Context) (*script.Scripts, error)
	ready chan struct{} // closed when the fields below are set

	found *script.Scripts
	err   error
}

func newGroovy(find func(ctx context.Context) (*script.Scripts, error)) *lateGroovy {
	return &lateGroovy{find: find, ready: make(chan struct{})}
}

// findRuntime looks for the runtime and returns when ctx ends.
func (g *lateGroovy) findRuntime(logger *slog.Logger) func(context.Context) error {
	return func(ctx context.Context) error {
		g.found, g.err = g.find(ctx)
		if g.err != nil && !job.Is(g.err, job.Refused) && ctx.Err() == nil {
			logger.Error("Groovy cannot be prepared; tasks of Groovy are refused", "error", g.err)
		}
		close(g.ready)
		<-ctx.Done()
		return nil
	}
}

// handler returns the handler of Groovy, or why there is none.
func (g *lateGroovy) handler() (handler.Handler, error) {
	select {
	case <-g.ready:
	default:
		return handler.Func(g.handleWhenReady), nil
	}
	if g.err != nil {
		return nil, job.Errorf(job.Refused, "%w", g.err)
	}
	return g.found.Handler(job.HandlerGroovy)
}

// handleWhenReady handles a task that came before the runtime was ready.
func (g *lateGroovy) handleWhenReady(ctx context.Context, t *handler.Task) error {
	select {
	case <-g.ready:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	h, err := g.handler()
	if err != nil {
		return err
	}
	return h.Handle(ctx, t)
}

// kinds are the kinds that servers see.
func (g *lateGroovy) kinds() []script.Interpreter {
	select {
	case <-g.ready:
	default:
		return nil
	}
	if g.found == nil {
		return nil
	}
	return g.found.Kinds()
}
