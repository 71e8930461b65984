package javascript

import (
	_ "embed"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// maxSlots bounds the depth of calls. The engine counts the frames of its own functions: a call
// of a function takes one of them, one by map or sort five to seven.
const maxSlots = 20_000

//go:embed prelude.js
var prelude string

// preludeName is the file name of prelude.js in stacks.
const preludeName = "<orth>"

var (
	errStopped = errors.New("stopped")
	errMemory  = errors.New("out of memory")
)

// thrown is an exception of a script. Its value must be freed.
type thrown struct{ value lib.TJSValue }

func (*thrown) Error() string { return "an exception of the script" }

// host is a function that scripts call; it returns nil, an int64 or a string.
type host func(args []lib.TJSValue) any

// engine is one runtime of QuickJS with one context. All methods but stop are for one goroutine.
//
// It uses the library below modernc.org/quickjs: that package reports no unhandled
// rejections, loses an interrupt that comes between two calls, names every file <eval>, and
// lets scripts catch the end of their memory.
type engine struct {
	tls       *libc.TLS
	runtime   uintptr
	context   uintptr
	hosts     []host
	unhandled []lib.TJSValue // promises, rejected and without a handler
	stopped   atomic.Bool
}

// engines finds the engine that calls back, by its context, and by the state of its memory.
var engines sync.Map

// defaultAlloc and defaultRealloc are the engine's own functions, which know its limit.
var (
	defaults       sync.Once
	defaultAlloc   func(*libc.TLS, uintptr, lib.Tsize_t) uintptr
	defaultRealloc func(*libc.TLS, uintptr, uintptr, lib.Tsize_t) uintptr
)

// newEngine returns an engine that may use limit bytes.
func newEngine(limit int64, hosts []host) (*engine, error) {
	giveZone()
	e := &engine{tls: libc.NewTLS(), hosts: hosts}
	if e.runtime = lib.XJS_NewRuntime(e.tls); e.runtime == 0 {
		e.tls.Close()
		return nil, errMemory
	}
	e.allocBy()
	lib.XJS_SetMaxStackSize(e.tls, e.runtime, maxSlots)
	if e.context = lib.XJS_NewContext(e.tls, e.runtime); e.context == 0 {
		lib.XJS_FreeRuntime(e.tls, e.runtime)
		e.tls.Close()
		return nil, errMemory
	}
	lib.XJS_SetMemoryLimit(e.tls, e.runtime, lib.Tsize_t(limit))
	engines.Store(e.context, e)
	engines.Store(e.state(), e)
	lib.XJS_SetInterruptHandler(e.tls, e.runtime, pointer(interrupt), e.context)
	lib.XJS_SetHostPromiseRejectionTracker(e.tls, e.runtime, pointer(track), e.context)
	return e, nil
}

// allocBy has the engine note when it gets no more memory.
func (e *engine) allocBy() {
	functions := &pointerAt[lib.TJSRuntime](e.runtime).Fmalloc_ctx.Fmf
	defaults.Do(func() {
		defaultAlloc = *(*func(*libc.TLS, uintptr, lib.Tsize_t) uintptr)(unsafe.Pointer(&struct{ uintptr }{functions.Fjs_malloc}))
		defaultRealloc = *(*func(*libc.TLS, uintptr, uintptr, lib.Tsize_t) uintptr)(unsafe.Pointer(&struct{ uintptr }{functions.Fjs_realloc}))
	})
	functions.Fjs_malloc, functions.Fjs_realloc = pointer(alloc), pointer(realloc)
}

// muchAtOnce is an allocation that takes long enough to look for a stop after it: the engine
// itself looks once in 10,000 calls and turns of loops.
const muchAtOnce = 64 << 10

// requestInterrupt has the engine call interrupt at the next call or turn of a loop.
func requestInterrupt(state uintptr) {
	if e, ok := engines.Load(state); ok {
		pointerAt[lib.TJSContext](e.(*engine).context).Finterrupt_counter = 0
	}
}

func alloc(tls *libc.TLS, state uintptr, size lib.Tsize_t) uintptr {
	if size >= muchAtOnce {
		requestInterrupt(state)
	}
	p := defaultAlloc(tls, state, size)
	if p == 0 && size > 0 {
		exhaust(state)
	}
	return p
}

func realloc(tls *libc.TLS, state, old uintptr, size lib.Tsize_t) uintptr {
	if size >= muchAtOnce {
		requestInterrupt(state)
	}
	p := defaultRealloc(tls, state, old, size)
	if p == 0 && size > 0 {
		exhaust(state)
	}
	return p
}

// exhaust notes that the memory has ended. Nothing else uses the field.
func exhaust(state uintptr) { pointerAt[lib.TJSMallocState](state).Fopaque = 1 }

// state returns the address that the engine's allocations name.
func (e *engine) state() uintptr { return uintptr(unsafe.Pointer(e.memory())) }

func (e *engine) memory() *lib.TJSMallocState {
	return &pointerAt[lib.TJSRuntime](e.runtime).Fmalloc_ctx.Fmalloc_state
}

// ended returns why nothing may run any more.
func (e *engine) ended() error {
	if e.memory().Fopaque != 0 {
		return errMemory
	}
	if e.stopped.Load() {
		return errStopped
	}
	return nil
}

// interrupt ends what runs, and all that would run later. Any goroutine may call it before close.
func (e *engine) interrupt() { e.stopped.Store(true) }

// close frees all memory. No value may be left.
func (e *engine) close() {
	for _, promise := range e.unhandled {
		e.release(promise)
	}
	engines.Delete(e.context)
	engines.Delete(e.state())
	lib.XJS_FreeContext(e.tls, e.context)
	lib.XJS_FreeRuntime(e.tls, e.runtime)
	e.tls.Close()
}

// interrupt is called now and then while a script runs, and ends it when it returns 1.
func interrupt(_ *libc.TLS, _, context uintptr) int32 {
	e := engineOf(context)
	if e.ended() != nil {
		return 1
	}
	// The garbage of cycles must not count: it is collected before the limit is reached.
	limit, runtime := e.memory().Fmalloc_limit, pointerAt[lib.TJSRuntime](e.runtime)
	runtime.Fmalloc_gc_threshold = min(runtime.Fmalloc_gc_threshold, limit-limit/4)
	return 0
}

// track notes promises that are rejected and have no handler.
func track(_ *libc.TLS, context uintptr, promise, _ lib.TJSValue, handled int32, _ uintptr) {
	e := engineOf(context)
	if handled == 0 {
		e.unhandled = append(e.unhandled, e.retain(promise))
		return
	}
	e.unhandled = slices.DeleteFunc(e.unhandled, func(known lib.TJSValue) bool {
		if known != promise {
			return false
		}
		e.release(known)
		return true
	})
}

// callHost calls the function of Go with the number which.
func callHost(tls *libc.TLS, context uintptr, _ lib.TJSValue, argc int32, argv uintptr, which int32, _ uintptr) lib.TJSValue {
	e := engineOf(context)
	var got any
	if e.ended() == nil {
		got = e.hosts[which](values(argc, argv))
	}
	if e.ended() != nil {
		lib.XJS_Throw(tls, context, undefined)
		lib.XJS_SetUncatchableException(tls, context, 1)
		return lib.TJSValue{Ftag: lib.EJS_TAG_EXCEPTION}
	}
	return e.value(got)
}

func values(argc int32, argv uintptr) []lib.TJSValue {
	if argc == 0 {
		return nil
	}
	return slices.Clone(unsafe.Slice(pointerAt[lib.TJSValue](argv), argc))
}

func engineOf(context uintptr) *engine {
	e, _ := engines.Load(context)
	return e.(*engine)
}

// pointer returns a function as the engine's code calls it.
func pointer(f any) uintptr { return (*[2]uintptr)(unsafe.Pointer(&f))[1] }

// pointerAt returns what lies at an address of the engine's memory, which Go's collector does not know.
func pointerAt[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

var undefined = lib.TJSValue{Ftag: lib.EJS_TAG_UNDEFINED}

// value returns a value that must be freed.
func (e *engine) value(of any) (v lib.TJSValue) {
	switch of := of.(type) {
	case string:
		return e.newString(of)
	case int64:
		*(*float64)(unsafe.Pointer(&v)) = float64(of)
		v.Ftag = lib.EJS_TAG_FLOAT64
		return v
	case lib.TJSValue:
		return e.retain(of)
	}
	return undefined
}

func (e *engine) newString(text string) lib.TJSValue {
	p := e.bytes(text)
	defer libc.Xfree(e.tls, p)
	return lib.XJS_NewStringLen(e.tls, e.context, p, lib.Tsize_t(len(text)))
}

// bytes copies a text and a zero behind it to where the engine can read them.
func (e *engine) bytes(text string) uintptr {
	p := libc.Xmalloc(e.tls, lib.Tsize_t(len(text)+1))
	if p == 0 {
		panic(errMemory) // the process has none: nothing can be told to anybody
	}
	to := unsafe.Slice(pointerAt[byte](p), len(text)+1)
	copy(to, text)
	to[len(text)] = 0
	return p
}

func (e *engine) retain(v lib.TJSValue) lib.TJSValue { return lib.XDupValue(e.tls, e.context, v) }

func (e *engine) release(v lib.TJSValue) { lib.XFreeValue(e.tls, e.context, v) }

// string returns a value as a text, which is empty when making it throws.
func (e *engine) string(v lib.TJSValue) string {
	length := e.tls.Alloc(8)
	defer e.tls.Free(8)
	p := lib.XJS_ToCStringLen2(e.tls, e.context, length, v, 0)
	if p == 0 {
		e.release(lib.XJS_GetException(e.tls, e.context))
		return ""
	}
	defer lib.XJS_FreeCString(e.tls, e.context, p)
	size := *pointerAt[lib.Tsize_t](length)
	return strings.ToValidUTF8(string(unsafe.Slice(pointerAt[byte](p), size)), "\uFFFD")
}

// number returns what prelude.js has made a number.
func number(v lib.TJSValue) float64 {
	switch int32(v.Ftag) {
	case lib.EJS_TAG_INT:
		return float64(int32(*(*uint64)(unsafe.Pointer(&v))))
	case lib.EJS_TAG_FLOAT64:
		return *(*float64)(unsafe.Pointer(&v))
	}
	return math.NaN()
}

// truth returns what prelude.js has made true or false.
func truth(v lib.TJSValue) bool { return *(*uint64)(unsafe.Pointer(&v)) != 0 }

// property returns a property, which must be freed.
func (e *engine) property(of lib.TJSValue, name string) lib.TJSValue {
	p := e.bytes(name)
	defer libc.Xfree(e.tls, p)
	v := lib.XJS_GetPropertyStr(e.tls, e.context, of, p)
	if v.Ftag == lib.EJS_TAG_EXCEPTION {
		e.release(lib.XJS_GetException(e.tls, e.context))
		return undefined
	}
	return v
}

// checked returns a result, which must be freed, or why there is none.
func (e *engine) checked(v lib.TJSValue) (lib.TJSValue, error) {
	if err := e.ended(); err != nil {
		if v.Ftag == lib.EJS_TAG_EXCEPTION {
			v = lib.XJS_GetException(e.tls, e.context)
		}
		e.release(v)
		return undefined, err
	}
	if v.Ftag == lib.EJS_TAG_EXCEPTION {
		return undefined, &thrown{lib.XJS_GetException(e.tls, e.context)}
	}
	return v, nil
}

// compile returns the code of a source, for run.
func (e *engine) compile(name, text string) (lib.TJSValue, error) {
	source, file := e.bytes(text), e.bytes(name)
	defer libc.Xfree(e.tls, source)
	defer libc.Xfree(e.tls, file)
	return e.checked(lib.XJS_Eval(e.tls, e.context, source, lib.Tsize_t(len(text)), file, lib.MJS_EVAL_TYPE_GLOBAL|lib.MJS_EVAL_FLAG_COMPILE_ONLY))
}

// runCode runs code, which it frees, and what is then pending.
func (e *engine) runCode(code lib.TJSValue) (lib.TJSValue, error) {
	return e.drain(e.checked(lib.XJS_EvalFunction(e.tls, e.context, code)))
}

// callFunction calls a function, and runs what is then pending.
func (e *engine) callFunction(f lib.TJSValue, args ...any) (lib.TJSValue, error) {
	return e.drain(e.callOnly(f, args...))
}

// callOnly calls a function.
func (e *engine) callOnly(f lib.TJSValue, args ...any) (lib.TJSValue, error) {
	const size = int(unsafe.Sizeof(undefined))
	argv := e.tls.Alloc(max(len(args), 1) * size)
	defer e.tls.Free(max(len(args), 1) * size)
	given := unsafe.Slice(pointerAt[lib.TJSValue](argv), len(args))
	for i, arg := range args {
		given[i] = e.value(arg)
	}
	defer func() {
		for _, arg := range given {
			e.release(arg)
		}
	}()
	return e.checked(lib.XJS_Call(e.tls, e.context, f, undefined, int32(len(args)), argv))
}

// drain runs the pending jobs: what follows promises that have settled.
func (e *engine) drain(result lib.TJSValue, err error) (lib.TJSValue, error) {
	for err == nil {
		switch n := lib.XJS_ExecutePendingJob(e.tls, e.runtime, 0); {
		case e.ended() != nil:
			err = e.ended()
		case n == 0:
			return result, nil
		case n < 0:
			err = &thrown{lib.XJS_GetException(e.tls, e.context)}
		}
	}
	e.release(result)
	return undefined, err
}

// function makes the host with this number callable. The value must be freed.
func (e *engine) function(which int) lib.TJSValue {
	return lib.XJS_NewCFunctionData(e.tls, e.context, pointer(callHost), 0, int32(which), 0, 0)
}
