package mem_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/mem"
	"github.com/orthd/orth/internal/queue/queuetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestSuite(t *testing.T) {
	t.Parallel()
	queuetest.Run(t, func(testing.TB) queue.Backend { return mem.New() }, queuetest.Caps{
		Reopen: func(_ testing.TB, closed queue.Backend) queue.Backend { return closed.(*mem.Backend).Reopen() },
	})
}
