package javascript

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/dop251/goja"

	"github.com/orthd/orth/internal/egress"
)

// maxPending is how many calls of fetch, and how many timers, may wait at once.
const maxPending = 64

// loop owns the engine: its fields are for the goroutine that calls run, and
// for the functions that the engine calls there.
type loop struct {
	ctx    context.Context
	cancel context.CancelFunc
	vm     *goja.Runtime
	script script
	out    *output
	client *egress.Client

	// done takes the ends of calls; it holds all that may be pending, so that
	// their goroutines never wait.
	done    chan func() error
	workers sync.WaitGroup
	fetches int

	timers    []*timer // by their instants
	lastTimer int64

	unhandled []*goja.Promise // rejected and without a handler

	message string // of result or fail, the later one
	failed  bool   // by fail
	given   bool   // one of them was called
}

type timer struct {
	id   int64
	at   time.Time
	call goja.Callable
	args []goja.Value
}

func newLoop(ctx context.Context, s script, out *output, client *egress.Client) *loop {
	l := &loop{vm: goja.New(), script: s, out: out, client: client, done: make(chan func() error, maxPending)}
	l.ctx, l.cancel = context.WithCancel(ctx)
	l.vm.SetMaxCallStackSize(maxDepth)
	l.vm.SetPromiseRejectionTracker(func(p *goja.Promise, operation goja.PromiseRejectionOperation) {
		if operation == goja.PromiseRejectionReject {
			l.unhandled = append(l.unhandled, p)
			return
		}
		l.unhandled = slices.DeleteFunc(l.unhandled, func(known *goja.Promise) bool { return known == p })
	})
	return l
}

// close ends the calls that are left and waits for their goroutines.
func (l *loop) close() {
	l.cancel()
	l.workers.Wait()
}

// run runs the program until its promise has settled and nothing is pending.
func (l *loop) run(program *goja.Program) int {
	value, err := l.vm.RunProgram(program)
	if err != nil {
		return l.gaveUp(err)
	}
	main, _ := value.Export().(*goja.Promise)
	for {
		if main.State() == goja.PromiseStateRejected {
			return l.uncaught(main.Result())
		}
		if len(l.unhandled) > 0 {
			return l.uncaught(l.unhandled[0].Result())
		}
		if l.fetches == 0 && len(l.timers) == 0 {
			break
		}
		if err := l.turn(); err != nil {
			return l.gaveUp(err)
		}
	}
	if main.State() == goja.PromiseStatePending {
		const text = "the script waits for a promise that nothing is left to settle"
		l.out.line(text)
		return l.out.end(exitFailed, text)
	}
	if returned := main.Result(); !l.given && !goja.IsUndefined(returned) && !goja.IsNull(returned) {
		l.message = l.shown(returned)
	}
	if l.failed {
		return l.out.end(exitFailed, l.message)
	}
	return l.out.end(0, l.message)
}

// turn waits for the next thing that happens and lets the script have it.
func (l *loop) turn() error {
	var due <-chan time.Time
	if len(l.timers) > 0 {
		t := time.NewTimer(time.Until(l.timers[0].at))
		defer t.Stop()
		due = t.C
	}
	select {
	case <-l.ctx.Done():
		return context.Cause(l.ctx)
	case settle := <-l.done:
		l.fetches--
		return settle()
	case <-due:
		t := l.timers[0]
		l.timers = l.timers[1:]
		_, err := t.call(goja.Undefined(), t.args...)
		return err
	}
}

func (l *loop) uncaught(value goja.Value) int {
	stack, message := l.describe(value)
	l.out.line("Uncaught " + stack)
	return l.out.end(exitFailed, message)
}

// gaveUp ends a run that the engine or the process has ended.
func (l *loop) gaveUp(err error) int {
	cause := context.Cause(l.ctx)
	if memory, ok := errors.AsType[*memoryError](cause); ok {
		l.out.line(memory.Error())
		return l.out.end(exitMemory, memory.Error())
	}
	if cause != nil {
		l.out.line("cancelled")
		return l.out.end(exitCancelled, "cancelled")
	}
	stack, message := l.explain(err)
	l.out.line("Uncaught " + stack)
	return l.out.end(exitFailed, message)
}

// sleep blocks the script: it needs no await, and does no harm with one.
func (l *loop) sleep(ms float64) {
	t := time.NewTimer(millis(ms))
	defer t.Stop()
	select {
	case <-t.C:
	case <-l.ctx.Done():
		l.vm.Interrupt("cancelled") // the guard may come later than the next line
	}
}

func (l *loop) setTimeout(call goja.FunctionCall) goja.Value {
	f, ok := goja.AssertFunction(call.Argument(0))
	if !ok {
		panic(l.vm.NewTypeError("setTimeout wants a function, and then milliseconds"))
	}
	if len(l.timers) >= maxPending {
		panic(l.vm.NewTypeError("%d timers wait already: let some of them pass first", maxPending))
	}
	l.lastTimer++
	t := &timer{id: l.lastTimer, at: time.Now().Add(millis(call.Argument(1).ToFloat())), call: f}
	if len(call.Arguments) > 2 {
		t.args = slices.Clone(call.Arguments[2:]) // the engine uses its slice again
	}
	l.timers = append(l.timers, t)
	slices.SortStableFunc(l.timers, func(a, b *timer) int { return a.at.Compare(b.at) })
	return l.vm.ToValue(t.id)
}

func (l *loop) clearTimeout(id int64) {
	l.timers = slices.DeleteFunc(l.timers, func(t *timer) bool { return t.id == id })
}

// millis turns a script's number into a duration: none for what is no number,
// at most a day.
func millis(ms float64) time.Duration {
	const most = 24 * 60 * 60 * 1000
	if !(ms > 0) {
		return 0
	}
	return time.Duration(min(ms, most) * float64(time.Millisecond))
}
