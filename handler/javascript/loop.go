package javascript

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	lib "modernc.org/libquickjs"

	"github.com/orthd/orth/internal/egress"
)

// maxPending is how many calls of fetch, and how many timers, may wait at once.
const maxPending = 64

// loop owns the engine: its fields are for the goroutine that calls run, and
// for the functions that the engine calls there.
type loop struct {
	ctx    context.Context
	cancel context.CancelFunc
	vm     *engine
	script script
	out    *output
	client *egress.Client

	show   lib.TJSValue // writes a value for people
	settle lib.TJSValue // calls back: the number, and what the callback wants

	// done takes the ends of calls; it holds all that may be pending, so that
	// their goroutines never wait.
	done    chan ended
	workers sync.WaitGroup
	fetches int

	timers []timer // by their instants
	lastID int64   // of timers and calls

	message string // of result or fail, the later one
	failed  bool   // by fail
	given   bool   // one of them was called
}

type timer struct {
	id int64
	at time.Time
}

// ended is what became of a call: why there is no answer, or the answer and its body.
type ended struct {
	id                    int64
	problem, answer, body string
}

// newLoop makes the engine, which may use limit bytes, and gives it the script's globals.
func newLoop(ctx context.Context, s script, limit int64, out *output, client *egress.Client, param, task string) (*loop, error) {
	l := &loop{script: s, out: out, client: client, done: make(chan ended, maxPending)}
	vm, err := newEngine(limit, []host{l.write, l.endProgram, l.sleep, l.setTimer, l.clearTimer, l.fetch})
	if err != nil {
		return nil, err
	}
	l.vm = vm
	l.ctx, l.cancel = context.WithCancel(ctx)
	if err := l.globals(param, task); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

// globals runs prelude.js.
func (l *loop) globals(param, task string) error {
	code, err := l.vm.compile(preludeName, prelude)
	if err != nil {
		return l.startError(err)
	}
	made, err := l.vm.runCode(code)
	if err != nil {
		return l.startError(err)
	}
	defer l.vm.release(made)
	var args []any
	defer func() {
		for _, f := range args {
			l.vm.release(f.(lib.TJSValue))
		}
	}()
	for i := range l.vm.hosts {
		args = append(args, l.vm.function(i))
	}
	words, err := l.vm.callFunction(made, append(slices.Clone(args), l.script.name, int64(len(before)), param, task)...)
	if err != nil {
		return l.startError(err)
	}
	defer l.vm.release(words)
	l.show, l.settle = l.vm.property(words, "show"), l.vm.property(words, "settle")
	return nil
}

// startError returns why not even prelude.js has run: the memory is too little for it.
func (l *loop) startError(err error) error {
	if e, ok := errors.AsType[*thrown](err); ok {
		defer l.vm.release(e.value)
		text := l.vm.string(e.value)
		return errors.New("start the engine: " + text)
	}
	return err
}

// close ends the calls that are left, waits for their goroutines and frees the engine.
func (l *loop) close() {
	l.cancel()
	l.workers.Wait()
	l.vm.release(l.show)
	l.vm.release(l.settle)
	l.vm.close()
}

// runProgram runs the program until its promise has settled and nothing is pending.
func (l *loop) runProgram(program lib.TJSValue) int {
	main, err := l.vm.runCode(program)
	if err != nil {
		return l.gaveUp(err)
	}
	defer l.vm.release(main)
	for {
		if l.state(main) == lib.EJS_PROMISE_REJECTED {
			return l.uncaught(l.outcome(main))
		}
		if len(l.vm.unhandled) > 0 {
			return l.uncaught(l.outcome(l.vm.unhandled[0]))
		}
		if l.fetches == 0 && len(l.timers) == 0 {
			break
		}
		if err := l.runNext(); err != nil {
			return l.gaveUp(err)
		}
	}
	if l.state(main) == lib.EJS_PROMISE_PENDING {
		const text = "the script waits for a promise that nothing is left to settle"
		l.out.writeLine(text)
		return l.out.writeResult(exitFailed, text)
	}
	returned := l.outcome(main)
	defer l.vm.release(returned)
	if !l.given && returned.Ftag != lib.EJS_TAG_UNDEFINED && returned.Ftag != lib.EJS_TAG_NULL {
		text, err := l.shown(returned)
		if err != nil {
			return l.gaveUp(err)
		}
		l.message = text
	}
	if l.failed {
		return l.out.writeResult(exitFailed, l.message)
	}
	return l.out.writeResult(0, l.message)
}

func (l *loop) state(promise lib.TJSValue) lib.TJSPromiseStateEnum {
	return lib.XJS_PromiseState(l.vm.tls, l.vm.context, promise)
}

// outcome returns what a promise has settled with. It must be freed.
func (l *loop) outcome(promise lib.TJSValue) lib.TJSValue {
	return lib.XJS_PromiseResult(l.vm.tls, l.vm.context, promise)
}

// runNext waits for the next thing that happens and lets the script have it.
func (l *loop) runNext() error {
	var due <-chan time.Time
	if len(l.timers) > 0 {
		t := time.NewTimer(time.Until(l.timers[0].at))
		defer t.Stop()
		due = t.C
	}
	select {
	case <-l.ctx.Done():
		return context.Cause(l.ctx)
	case e := <-l.done:
		l.fetches--
		return l.callBack(e.id, e.problem, e.answer, e.body)
	case <-due:
		t := l.timers[0]
		l.timers = l.timers[1:]
		return l.callBack(t.id)
	}
}

func (l *loop) callBack(id int64, args ...any) error {
	returned, err := l.vm.callFunction(l.settle, append([]any{id}, args...)...)
	l.vm.release(returned)
	return err
}

// uncaught ends a run by a value that the script has thrown, and frees the value.
func (l *loop) uncaught(value lib.TJSValue) int {
	defer l.vm.release(value)
	stack, message, err := l.describe(value)
	if err != nil {
		return l.gaveUp(err)
	}
	l.out.writeLine("Uncaught " + stack)
	return l.out.writeResult(exitFailed, message)
}

// gaveUp ends a run that the engine or the process has ended.
func (l *loop) gaveUp(err error) int {
	if e, ok := errors.AsType[*thrown](err); ok {
		return l.uncaught(e.value)
	}
	cause := context.Cause(l.ctx)
	memory, ok := errors.AsType[*memoryError](cause)
	if errors.Is(err, errMemory) {
		memory, ok = &memoryError{int64(l.vm.memory().Fmalloc_limit)}, true
	}
	if ok {
		l.out.writeLine(memory.Error())
		return l.out.writeResult(exitMemory, memory.Error())
	}
	l.out.writeLine("cancelled")
	return l.out.writeResult(exitCancelled, "cancelled")
}

// The functions below are the hosts of prelude.js, which knows their arguments.

func (l *loop) write(args []lib.TJSValue) any {
	text := l.vm.string(args[0])
	l.out.writeLine(text)
	return nil
}

func (l *loop) endProgram(args []lib.TJSValue) any {
	l.failed, l.given = truth(args[0]), true
	l.message = l.vm.string(args[1])
	return nil
}

// sleep blocks the script: it needs no await, and does no harm with one.
func (l *loop) sleep(args []lib.TJSValue) any {
	t := time.NewTimer(millis(number(args[0])))
	defer t.Stop()
	select {
	case <-t.C:
	case <-l.ctx.Done():
		l.vm.interrupt() // the guard may come later than the next line
	}
	return nil
}

// setTimer returns the number of a timer, or why there is none.
func (l *loop) setTimer(args []lib.TJSValue) any {
	if len(l.timers) >= maxPending {
		return fmt.Sprintf("%d timers wait already: let some of them pass first", maxPending)
	}
	l.lastID++
	l.timers = append(l.timers, timer{id: l.lastID, at: time.Now().Add(millis(number(args[0])))})
	slices.SortStableFunc(l.timers, func(a, b timer) int { return a.at.Compare(b.at) })
	return l.lastID
}

func (l *loop) clearTimer(args []lib.TJSValue) any {
	l.timers = slices.DeleteFunc(l.timers, func(t timer) bool { return float64(t.id) == number(args[0]) })
	return nil
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
