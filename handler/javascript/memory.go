package javascript

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"time"
)

// defaultMemory bounds a script of an executor that bounds its programs' memory by nothing
// else, in bytes.
const defaultMemory = 1 << 30

// memoryLimit reads a number of bytes. Without a positive one the default holds.
func memoryLimit(text string) int64 {
	if limit, err := strconv.ParseInt(text, 10, 64); err == nil && limit > 0 {
		return limit
	}
	return defaultMemory
}

// memoryError is why a run is ended.
type memoryError struct{ limit int64 }

func (o *memoryError) Error() string {
	return "killed: it used more than " + bytesText(o.limit) + " of memory"
}

// watch interrupts the engine when the process is to end or uses more memory
// than limit. When a script out of memory is inside one long operation, which cannot
// be interrupted, kill is called after a second; it does not return. The function that
// watch returns ends the watching.
func (l *loop) watch(ctx context.Context, limit int64, cancel context.CancelCauseFunc, kill func(text string)) (end func()) {
	previous := debug.SetMemoryLimit(limit)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		l.guard(ctx, stop, limit, cancel, kill)
	}()
	return func() {
		close(stop)
		<-stopped
		debug.SetMemoryLimit(previous)
	}
}

// guard is the goroutine of watch.
func (l *loop) guard(ctx context.Context, stop <-chan struct{}, limit int64, cancel context.CancelCauseFunc, kill func(string)) {
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-stop:
			return
		case <-ctx.Done():
			l.vm.interrupt()
			return
		case <-look.C:
		}
		if heapBytes() <= limit {
			continue
		}
		runtime.GC() // what is garbage does not count
		if heapBytes() <= limit {
			continue
		}
		why := &memoryError{limit}
		cancel(why)
		l.vm.interrupt()
		select {
		case <-stop:
		case <-time.After(time.Second):
			kill(why.Error())
		}
		return
	}
}

// heapBytes returns the bytes of objects, also of those not yet collected.
func heapBytes() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
