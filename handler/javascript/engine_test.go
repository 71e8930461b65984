package javascript

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	_ "time/tzdata" // TestZone does not depend on the machine's zones
)

// TestMemory: the limit ends a script wherever it allocates, and nothing can catch that.
func TestMemory(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		"const all = []; for (;;) { all.push({a: all.length}) }",
		"const all = []; for (;;) { try { all.push({a: all.length}) } catch {} }",
		"const all = []; (function f() { try { all.push([]); for (let i = 0; i < 1e4; i++) all.push({i}) } finally { setTimeout(f) } })()",
		"let s = 'x'; for (;;) { s = [s, s].join() }",
		"const m = new Map(); for (let i = 0;; i++) m.set(i, [i])",
		"const p = []; for (;;) { p.push((async () => { await new Promise(() => {}) })()) }",
		"for (;;) { Promise.reject(new Error('x')) }",
		"new Uint8Array(1e9)",
		"'x'.repeat(1e9)",
		"const all = []; for (let i = 0;; i++) { all.push(new Function('return ' + i)) }",
		"const all = []; for (let i = 0;; i++) { all.push(new Date(i), Symbol(i), new WeakRef({}), new Proxy({}, {}), 2n ** BigInt(i)) }",
		"const all = []; for (;;) { all.push(JSON.parse('{\"a\":[1,2,{\"b\":\"c\"}]}'), /a(b)c/.exec('abc')) }",
		"for (let i = 0;; i++) globalThis['v' + i] = i",
		"function main() { return {toJSON() { const all = []; for (;;) all.push({}) }} }",
	} {
		for _, limit := range []int{300_000, 1_000_003, 8<<20 + 77} {
			// Not by the heap of Go, which is that of all tests: the engine's own limit ends them.
			exit, result, log := runLimited(t, source, int64(limit))
			want := "killed: it used more than " + bytesText(int64(limit)) + " of memory"
			if exit != exitMemory || result != want || !strings.Contains(log, want) {
				t.Errorf("%s with %d bytes: exit %d, result %q, log %q", source, limit, exit, result, log)
			}
		}
	}
	if exit, result, _ := runLimited(t, "result('began')", 1000); exit != exitMemory || !strings.Contains(result, "before the script began") {
		t.Errorf("too little for the engine: exit %d, result %q", exit, result)
	}
}

// TestMemoryOfProcess is the same for a whole process, which Go's own memory may end too.
func TestMemoryOfProcess(t *testing.T) {
	t.Parallel()
	c, out := child(t, "const all = []; for (;;) { all.push({a: all.length}) }", "ORTH_JS_MEMORY=33554432")
	_ = c.Run()
	if c.ProcessState.ExitCode() != exitMemory || !strings.Contains(out.String(), "killed: it used more than 32 MiB of memory") {
		t.Errorf("%v: %s", c.ProcessState, out)
	}
	for _, source := range []string{
		"for (let i = 0; i < 60000; i++) { ({a: 'x'.repeat(1000)}) }; result('done')",
		"for (let i = 0; i < 60000; i++) { const a = {x: 'x'.repeat(i % 1000) + i}; a.a = a }; result('done')",
		"const kept = Array.from({length: 1e5}, (_, i) => ({i})); for (let i = 0; i < 60000; i++) { const a = {x: Array(8).fill(i)}; a.a = a }; result('done')",
	} {
		c, out = child(t, source, "ORTH_JS_MEMORY=33554432")
		if err := c.Run(); err != nil || !strings.Contains(out.String(), "done") {
			t.Errorf("garbage counts: %s: %v: %s", source, err, out)
		}
	}
}

// runLimited runs a script with a limit for its engine alone.
func runLimited(t *testing.T, source string, limit int64) (exit int, result, log string) {
	t.Helper()
	return runScript(t.Context(), t, source, map[string]string{"ORTH_JS_MEMORY": strconv.FormatInt(limit, 10)})
}

// TestDepth: no depth of calls, values or sources takes the process down.
func TestDepth(t *testing.T) {
	t.Parallel()
	for _, expression := range []string{
		"(function f(n) { return [1].map(() => f(n + 1)) })(0)",
		"({get a() { return this.a }}).a",
		"'' + {toString() { return '' + this }}",
		"JSON.stringify({toJSON() { return JSON.stringify(this) }})",
		"JSON.parse('['.repeat(1e6))",
		"eval('['.repeat(1e6))",
		"eval('('.repeat(1e6))",
		"eval('!'.repeat(1e6) + '1')",
		"eval('{'.repeat(1e5) + '}'.repeat(1e5))",
		"JSON.stringify(nested)",
		"nested.flat(Infinity)",
		"'' + nested",
		"new Proxy({}, {get(t, k, r) { return r[k] }}).a",
		"[3, 1].sort(function c() { return [1, 2].sort(c).length })",
		"'x'.replace(/x/, function f() { return 'x'.replace(/x/, f) })",
		"new (class A { constructor() { new A() } })()",
		"await (async function f() { return await f() })()",
		"[...(function* g() { yield* g() })()]",
		"new Function('f', 'f(f)')(new Function('f', 'f(f)'))",
	} {
		t.Run(expression, func(t *testing.T) {
			t.Parallel()
			source := "let nested = []; for (let i = 0; i < 1e5; i++) nested = [nested]\ntry { " + expression + " } catch (e) { result(e.message) }"
			if exit, result, log := runScript(t.Context(), t, source, nil); exit != 0 || result != "stack overflow" {
				t.Errorf("exit %d, result %q, log %q", exit, result, log)
			}
		})
	}
}

// TestGlobals: what a script reaches beside the language is listed here, and nothing else.
func TestGlobals(t *testing.T) {
	t.Parallel()
	_, result, _ := runScript(t.Context(), t, "result(Object.keys(globalThis).sort().join())", nil)
	if want := "clearTimeout,console,fail,fetch,job,log,param,require,result,setTimeout,sleep"; result != want {
		t.Errorf("%s, want %s", result, want)
	}
	_, result, _ = runScript(t.Context(), t, "result(Object.getOwnPropertyNames(globalThis).filter(n => !Object.keys(globalThis).includes(n)).sort().join())", nil)
	const want = "AggregateError,Array,ArrayBuffer,Atomics,BigInt,BigInt64Array,BigUint64Array,Boolean,DataView,Date,Error,EvalError,FinalizationRegistry,Float16Array," +
		"Float32Array,Float64Array,Function,Infinity,Int16Array,Int32Array,Int8Array,InternalError,Iterator,JSON,Map,Math,NaN,Number,Object,Promise,Proxy,RangeError," +
		"ReferenceError,Reflect,RegExp,Set,SharedArrayBuffer,String,Symbol,SyntaxError,TypeError,URIError,Uint16Array,Uint32Array,Uint8Array,Uint8ClampedArray,WeakMap," +
		"WeakRef,WeakSet,decodeURI,decodeURIComponent,encodeURI,encodeURIComponent,escape,eval,globalThis,isFinite,isNaN,parseFloat,parseInt,undefined,unescape"
	if result != want {
		t.Errorf("%s, want %s", result, want)
	}
	if _, result, _ := runScript(t.Context(), t, "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)", nil); !strings.Contains(result, "cannot block") {
		t.Errorf("a wait that nothing interrupts: %q", result)
	}
}

// endings are scripts that end in every way.
var endings = []struct {
	source string
	limit  string
	exit   int
}{
	{"result('x'.repeat(1e6).length)", "", 0},
	{"const a = {}; a.a = a; globalThis.kept = [a, () => a]; await sleep(1)", "", 0},
	{"setTimeout(() => { throw new Error('x') }, 1); await new Promise(() => {})", "", exitFailed},
	{"for (let i = 0; i < 10; i++) Promise.reject(new Error('x'))", "", exitFailed},
	{"let a = = 1", "", exitFailed},
	{"null.x", "", exitFailed},
	{"await new Promise(() => {})", "", exitFailed},
	{"globalThis.f = async () => { for (;;) await null }; await f()", "", exitCancelled},
	{"const a = []; for (;;) a.push([a])", "2000000", exitMemory},
}

// TestConcurrent runs scripts beside each other in one process.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	for n := range 6 {
		all.Go(func() {
			for i := range 10 {
				want := fmt.Sprint(n, " ", i)
				_, result, log := runScript(t.Context(), t, "await sleep(1); let n = 0; for (let i = 0; i < 20000; i++) n += i % 2; log(n); result(param)", nil, want)
				if result != want || log != "10000\n" {
					t.Errorf("%q: result %q, log %q", want, result, log)
				}
			}
		})
	}
	all.Wait()
}

// TestFreed: however a script ends, its engine is freed. It runs while no other test does.
func TestFreed(t *testing.T) {
	runAll := func() {
		for _, ending := range endings {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			if ending.exit == exitCancelled {
				cancel()
			}
			exit, result, log := runScript(ctx, t, ending.source, map[string]string{"ORTH_JS_MEMORY": ending.limit})
			cancel()
			if exit != ending.exit {
				t.Errorf("%s: exit %d, result %q, log %q", ending.source, exit, result, log)
			}
		}
	}
	runAll()
	engines.Range(func(_, left any) bool {
		t.Errorf("an engine is left: %v", left)
		return true
	})
	if runtime.GOOS != "linux" {
		return
	}
	const rounds, most = 20, 20 << 20 // an engine takes a quarter of a megabyte
	runAll()                          // so that what is kept for later is there
	before := resident(t)
	for range rounds {
		runAll()
	}
	if more := resident(t) - before; more > most {
		t.Errorf("after %d scripts the process has %d bytes more", rounds*len(endings), more)
	}
}

// resident returns the bytes of the process that are in memory, without those that Go has freed.
func resident(t *testing.T) int64 {
	t.Helper()
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// TestZone: without zone files scripts have the hours of the zone nevertheless.
func TestZone(t *testing.T) {
	t.Parallel()
	const source = `const all = []; const n = Date.now()
		for (let i = 0; i < 8760; i += 7) all.push(-new Date(n + i * 3600000).getTimezoneOffset())
		log(n); log(all.join())`
	for _, name := range []string{"Asia/Shanghai", "Asia/Kolkata", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "America/Santiago", "America/St_Johns", "UTC"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		c, out := child(t, source, "TZ="+name, "ORTH_TEST_NO_ZONES=1")
		if err := c.Run(); err != nil {
			t.Fatalf("%s: %v: %s", name, err, out)
		}
		lines := strings.Split(out.String(), "\n")
		_, instant, _ := strings.Cut(lines[0][11:], " ")
		start, err := strconv.ParseInt(instant, 10, 64)
		if err != nil {
			t.Fatalf("%s: %v: %s", name, err, out)
		}
		_, offsets, _ := strings.Cut(lines[1][11:], " ")
		for i, got := range strings.Split(offsets, ",") {
			at := time.UnixMilli(start).Add(time.Duration(i*7) * time.Hour).In(zone)
			if _, east := at.Zone(); got != strconv.Itoa(east/60) {
				t.Errorf("%s: at %s the script has %s minutes, not %d", name, at, got, east/60)
				break
			}
		}
	}
}

func TestZoneRule(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)
	for name, want := range map[string]string{
		"Asia/Shanghai":    "<CST>-8:00:00",
		"Europe/Berlin":    "<CET>-1:00:00<CEST>-2:00:00,M3.5.0/2:00,M10.5.0/3:00",
		"America/New_York": "<EST>5:00:00<EDT>4:00:00,M3.2.0/2:00,M11.1.0/2:00",
		"Asia/Kolkata":     "<IST>-5:30:00",
	} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := zoneRule(zone, now); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"": 1 << 30, "0": 1 << 30, "-5": 1 << 30, "much": 1 << 30, "1048576": 1 << 20} {
		if got := memoryLimit(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
