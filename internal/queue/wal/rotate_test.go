package wal

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/mem"
)

// TestRotateWipesWhatIsOver: what was deleted is in no log file after a rotation, what lives is there
// after a restart, and rows that live for long never reach the back end inside.
func TestRotateWipesWhatIsOver(t *testing.T) {
	t.Parallel()
	d := newFaultyDisk(1)
	inner := &watched{Backend: mem.New()}
	l, err := open(d, "queue.log", inner, Config{})
	noError(t, err)
	has := func(text string) (found bool) {
		for _, f := range d.files {
			found = found || bytes.Contains(f.now, []byte(text))
		}
		return found
	}
	rotate := func() {
		t.Helper()
		noError(t, l.Rotate())
	}
	noError(t, set(l, "long", "lives for long"))
	for i := range 5 {
		noError(t, set(l, "short", fmt.Sprintf("secret %d", i)))
		if !has(fmt.Sprintf("secret %d", i)) {
			t.Error("the search finds nothing")
		}
		if i%2 == 0 {
			noError(t, l.Update(func(tx queue.Txn) error { return tx.Delete("a", []byte("short")) }))
		} else {
			noError(t, set(l, "short", "another value"))
		}
		rotate()
		if has("secret") {
			t.Errorf("round %d: what is over is there", i)
		}
		if !has("lives for long") {
			t.Errorf("round %d: what lives is not there", i)
		}
	}
	if n := inner.puts.Load(); n != 0 {
		t.Errorf("%d rows reached the back end inside", n)
	}
	steps := d.steps
	rotate()
	if d.steps != steps {
		t.Error("a rotation without a commit writes")
	}
	again, err := open(d.reboot(1), "queue.log", inner.Reopen(), Config{})
	noError(t, err)
	if got := all(t, again); len(got) != 1 || got["along"] != "lives for long" || len(again.SetAside()) > 0 || lossOf(t, again) != queue.LossNone {
		t.Errorf("after a restart there is %v, set aside %v", got, again.SetAside())
	}
	noError(t, l.Update(func(tx queue.Txn) error { return tx.Delete("a", []byte("long")) }))
	rotate()
	if has("lives for long") {
		t.Error("what has lived for long is there")
	}
}
