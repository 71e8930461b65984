//go:build !windows

package queue_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/queuetest"
)

// BenchmarkCycle is the executor's queue, and BenchmarkBareLog the same
// commits by nothing but a group-committing writer of a preallocated file: the
// most that a disk and this scheduler give any queue.
func BenchmarkCycle(b *testing.B) {
	eachCrowd(b, func(b *testing.B, callers int) {
		b.Helper()
		queuetest.Cycle(b, callers, func(tb testing.TB) queue.Disk {
			tb.Helper()
			return queue.Folder(filepath.Join(tb.TempDir(), "queue"))
		})
	})
}

func BenchmarkBareLog(b *testing.B) {
	eachCrowd(b, func(b *testing.B, callers int) {
		b.Helper()
		l := newBareLog(b)
		task, outcome := make([]byte, queuetest.TaskBytes), make([]byte, queuetest.OutcomeBytes)
		queuetest.Cycles(b, callers,
			func(int64) error { return l.append(task) },
			func(int64) error { return l.append(outcome) },
			func(keys []int64) error { return l.append(make([]byte, 8*len(keys))) })
		l.stop()
	})
}

// eachCrowd runs a benchmark with few and with many callers and reports the
// processor time of an operation.
func eachCrowd(b *testing.B, bench func(b *testing.B, callers int)) {
	b.Helper()
	for _, callers := range []int{1, 16, 64, 256} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			before := processorTime(b)
			bench(b, callers)
			b.ReportMetric(float64(processorTime(b)-before)/1e3/float64(b.N), "cpu_us/op")
		})
	}
}

// processorTime is what the process has used, in nanoseconds.
func processorTime(b *testing.B) int64 {
	b.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// bareLog appends what callers bring and syncs once for all who wait.
type bareLog struct {
	file     *os.File
	requests chan bareRequest
	run      sync.WaitGroup
}

type bareRequest struct {
	bytes []byte
	done  chan error
}

const bareBytes = 16 << 20

func newBareLog(b *testing.B) *bareLog {
	b.Helper()
	f, err := os.Create(filepath.Join(b.TempDir(), "bare.log"))
	if err != nil {
		b.Fatal(err)
	}
	if _, err := f.Write(make([]byte, bareBytes)); err != nil {
		b.Fatal(err)
	}
	if err := f.Sync(); err != nil {
		b.Fatal(err)
	}
	l := &bareLog{file: f, requests: make(chan bareRequest, 512)}
	l.run.Go(l.write)
	return l
}

func (l *bareLog) append(bytes []byte) error {
	done := make(chan error, 1)
	l.requests <- bareRequest{bytes, done}
	return <-done
}

func (l *bareLog) stop() {
	close(l.requests)
	l.run.Wait()
	l.file.Close()
}

func (l *bareLog) write() {
	at := int64(0)
	for first := range l.requests {
		group := []bareRequest{first}
		runtime.Gosched()
	gather:
		for len(group) < queue.DefaultGroup {
			select {
			case r, ok := <-l.requests:
				if !ok {
					break gather
				}
				group = append(group, r)
			default:
				break gather
			}
		}
		var record []byte
		for _, r := range group {
			record = append(record, r.bytes...)
		}
		if at+int64(len(record)) > bareBytes {
			at = 0
		}
		_, err := l.file.WriteAt(record, at)
		if err == nil {
			err = syncFile(l.file)
		}
		at += int64(len(record))
		for _, r := range group {
			r.done <- err
		}
	}
}
