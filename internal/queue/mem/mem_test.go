package mem_test

import (
	"bytes"
	"testing"

	"go.uber.org/goleak"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/mem"
	"github.com/orthd/orth/internal/queue/queuetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestSuite(t *testing.T) {
	t.Parallel()
	queuetest.Run(t, func(testing.TB) queue.Disk { return mem.New() }, queuetest.Caps{
		Reopen: func(_ testing.TB, closed queue.Disk) queue.Disk { return closed.(*mem.Disk).Reopen() },
		Restore: func(tb testing.TB, backup []byte) queue.Disk {
			tb.Helper()
			d, err := mem.Untar(bytes.NewReader(backup))
			if err != nil {
				tb.Fatal(err)
			}
			return d
		},
	})
}
