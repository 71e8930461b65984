package bolt_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/queuetest"
)

func fresh(tb testing.TB) queue.Backend {
	tb.Helper()
	return open(tb, filepath.Join(tb.TempDir(), "queue.db"))
}

func BenchmarkAccept(b *testing.B) {
	for _, callers := range []int{1, 16, 256} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) { queuetest.Accept(b, callers, fresh) })
	}
}

func BenchmarkCycle(b *testing.B) {
	for _, callers := range []int{1, 16, 256} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) { queuetest.Cycle(b, callers, fresh) })
	}
}
