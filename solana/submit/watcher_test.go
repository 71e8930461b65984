package submit

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/solana/rpc"
)

// ledger is a chain whose landings and height a test sets.
type ledger struct {
	mu     sync.Mutex
	landed map[solana.Signature]*rpc.Landed
	old    map[solana.Signature]*rpc.Landed // found in history only
	height uint64
	behind uint64 // how many slots the node is behind that is asked for statuses
	valid  uint64 // up to which height a blockhash is, where that is not the reported one
	hashes error  // for questions about blockhashes
	doubts int    // such questions
	away   error
	asked  int   // for statuses
	sizes  []int // of the questions
	heard  int   // of the height
}

func (l *ledger) Statuses(_ context.Context, history bool, signatures ...solana.Signature) ([]*rpc.Landed, uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked++
	l.sizes = append(l.sizes, len(signatures))
	if l.away != nil {
		return nil, 0, l.away
	}
	all := make([]*rpc.Landed, len(signatures))
	for i, s := range signatures {
		all[i] = l.landed[s]
		if all[i] == nil && history {
			all[i] = l.old[s]
		}
	}
	return all, l.height + 1000 - l.behind, nil
}

func (l *ledger) EpochInfo(context.Context, rpc.Commitment) (rpc.Epoch, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heard++
	return rpc.Epoch{BlockHeight: l.height, AbsoluteSlot: l.height + 1000}, l.away
}

func (l *ledger) HashValid(context.Context, solana.Hash) (bool, uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.doubts++
	return l.height <= l.valid, l.height + 1000 - l.behind, l.hashes
}

func (l *ledger) set(change func(*ledger)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change(l)
}

func tx(n byte) rpc.Transaction {
	return rpc.Transaction{Wire: []byte{n}, Signature: solana.Signature{n}, LastValid: 150}
}

// watch runs a watcher for the time of a test, and returns how often bytes were sent again.
func watch(t *testing.T, l *ledger, test func(t *testing.T, w *Watcher, again func(byte) int)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		resent := make(map[byte]int)
		w := NewWatcher(WatcherConfig{Chain: l, Most: 600, Again: func(_ context.Context, wire []byte) (Sent, error) {
			mu.Lock()
			defer mu.Unlock()
			resent[wire[0]]++
			return Sent{}, errors.New("nobody takes it")
		}})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- w.Run(ctx) }()
		test(t, w, func(n byte) int {
			mu.Lock()
			defer mu.Unlock()
			return resent[n]
		})
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if n := w.Watching(); n != 0 {
			t.Errorf("%d transactions are still watched", n)
		}
	})
}

func at(c rpc.Commitment) *rpc.Landed { return &rpc.Landed{Slot: 7, Commitment: c} }

// A transaction has landed when most of the stake has seen it, and not before.
func TestLands(t *testing.T) {
	l := &ledger{landed: map[solana.Signature]*rpc.Landed{}, height: 100}
	watch(t, l, func(t *testing.T, w *Watcher, again func(byte) int) {
		t.Helper()
		time.AfterFunc(3*time.Second, func() { l.set(func(l *ledger) { l.landed[tx(1).Signature] = at(rpc.Processed) }) })
		time.AfterFunc(10*time.Second, func() { l.set(func(l *ledger) { l.landed[tx(1).Signature] = at(rpc.Confirmed) }) })
		begun := time.Now()
		end, err := w.Watch(t.Context(), tx(1))
		if err != nil || end.Landed == nil || end.Landed.Commitment != rpc.Confirmed {
			t.Errorf("%+v, %v", end, err)
		}
		if took := time.Since(begun); took < 10*time.Second || took > 11*time.Second {
			t.Errorf("it took %v", took)
		}
		if got := again(1); got != 1 || end.Resent != 1 {
			t.Errorf("it was sent again %d times, in 3 s in which nobody had seen it", got)
		}
	})
}

// What failed on the chain has landed as well.
func TestLandsWithAnError(t *testing.T) {
	l := &ledger{landed: map[solana.Signature]*rpc.Landed{tx(1).Signature: {Commitment: rpc.Finalized, Err: &rpc.TxError{Kind: "AccountInUse"}}}}
	watch(t, l, func(t *testing.T, w *Watcher, _ func(byte) int) {
		t.Helper()
		if end, err := w.Watch(t.Context(), tx(1)); err != nil || end.Landed == nil || end.Landed.Err == nil {
			t.Errorf("%+v, %v", end, err)
		}
	})
}

// A transaction cannot land any more when the chain is beyond its blockhash and a node that is as far has not seen it.
func TestExpires(t *testing.T) {
	l := &ledger{landed: map[solana.Signature]*rpc.Landed{}, height: 150}
	watch(t, l, func(t *testing.T, w *Watcher, again func(byte) int) {
		t.Helper()
		begun := time.Now()
		time.AfterFunc(20*time.Second, func() { l.set(func(l *ledger) { l.height, l.behind = 151, 1 }) })
		time.AfterFunc(40*time.Second, func() { l.set(func(l *ledger) { l.behind = 0 }) })
		end, err := w.Watch(t.Context(), tx(1))
		if err != nil || end.Landed != nil {
			t.Errorf("%+v, %v", end, err)
		}
		if took := time.Since(begun); took < 40*time.Second || took > 43*time.Second {
			t.Errorf("it was given up after %v: at its last height it may land, and a node that is behind knows nothing", took)
		}
		if got := again(1); got < 15 || got > 21 {
			t.Errorf("it was sent again %d times in 40 s", got)
		}
	})
}

// A restarted node remembers only in its history.
func TestInHistory(t *testing.T) {
	l := &ledger{landed: map[solana.Signature]*rpc.Landed{}, old: map[solana.Signature]*rpc.Landed{tx(1).Signature: at(rpc.Finalized)}, height: 200}
	watch(t, l, func(t *testing.T, w *Watcher, _ func(byte) int) {
		t.Helper()
		if end, err := w.Watch(t.Context(), tx(1)); err != nil || end.Landed == nil {
			t.Errorf("%+v, %v", end, err)
		}
	})
}

// The last height is one node's report: if it was too low, the chain is asked again before
// the transaction is given up.
func TestHeightToldTooLow(t *testing.T) {
	for name, test := range map[string]struct {
		valid   uint64
		hashes  error
		height  uint64
		givenUp bool
	}{
		"the hash is over":           {valid: 150, height: 151, givenUp: true},
		"it is not":                  {valid: 250, height: 200},
		"a node that always says so": {valid: 1 << 40, height: 150 + longestHash + 1, givenUp: true},
		"a node without the method":  {valid: 250, height: 200, hashes: &rpc.Error{Code: -32601}, givenUp: true},
		"nodes that cannot say it":   {valid: 150, height: 200, hashes: errors.New("away")},
	} {
		t.Run(name, func(t *testing.T) {
			l := &ledger{landed: map[solana.Signature]*rpc.Landed{}, height: test.height, valid: test.valid, hashes: test.hashes}
			watch(t, l, func(t *testing.T, w *Watcher, _ func(byte) int) {
				t.Helper()
				time.AfterFunc(time.Minute, func() { l.set(func(l *ledger) { l.landed[tx(1).Signature] = at(rpc.Confirmed) }) })
				begun := time.Now()
				end, err := w.Watch(t.Context(), tx(1))
				if givenUp := end.Landed == nil; err != nil || givenUp != test.givenUp {
					t.Errorf("given up: %v, %v", givenUp, err)
				}
				if took := time.Since(begun); test.givenUp && took > 5*time.Second {
					t.Errorf("it was given up after %v", took)
				}
			})
		})
	}
}

// Those that were signed with one blockhash are one question.
func TestHashIsAskedOnce(t *testing.T) {
	l := &ledger{landed: map[solana.Signature]*rpc.Landed{}, height: 100}
	watch(t, l, func(t *testing.T, w *Watcher, _ func(byte) int) {
		t.Helper()
		var waiting sync.WaitGroup
		for i := range 5 {
			waiting.Go(func() {
				if end, err := w.Watch(t.Context(), tx(byte(i))); err != nil || end.Landed != nil {
					t.Errorf("%+v, %v", end, err)
				}
			})
		}
		synctest.Wait()
		l.set(func(l *ledger) { l.height = 151 })
		waiting.Wait()
		l.set(func(l *ledger) {
			if l.doubts != 1 {
				t.Errorf("%d questions", l.doubts)
			}
		})
	})
}

// Nodes that are away end nothing.
func TestNodesAway(t *testing.T) {
	l := &ledger{landed: map[solana.Signature]*rpc.Landed{}, height: 500, away: errors.New("away")}
	watch(t, l, func(t *testing.T, w *Watcher, _ func(byte) int) {
		t.Helper()
		time.AfterFunc(time.Minute, func() { l.set(func(l *ledger) { l.away = nil; l.landed[tx(1).Signature] = at(rpc.Confirmed) }) })
		if end, err := w.Watch(t.Context(), tx(1)); err != nil || end.Landed == nil {
			t.Errorf("%+v, %v", end, err)
		}
	})
}

func TestManyShareQuestions(t *testing.T) {
	l := &ledger{landed: map[solana.Signature]*rpc.Landed{}, height: 100}
	watch(t, l, func(t *testing.T, w *Watcher, _ func(byte) int) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		var waiting sync.WaitGroup
		for i := range 600 {
			waiting.Go(func() {
				one := tx(1)
				one.Signature = solana.Signature{byte(i), byte(i >> 8)}
				if _, err := w.Watch(ctx, one); !errors.Is(err, context.Canceled) {
					t.Errorf("%v", err)
				}
			})
		}
		synctest.Wait()
		one := tx(1)
		one.Signature = solana.Signature{9, 9, 9}
		if _, err := w.Watch(t.Context(), one); !errors.Is(err, ErrFull) {
			t.Errorf("one too many: %v", err)
		}
		time.Sleep(4*time.Second + time.Millisecond)
		l.mu.Lock()
		if l.asked > 3*11 || l.heard > 3 {
			t.Errorf("for 600 transactions in 4 s statuses were asked for %d times, the height %d times", l.asked, l.heard)
		}
		for _, n := range l.sizes {
			if n > rpc.MostSignatures {
				t.Errorf("one question was about %d", n)
			}
		}
		l.mu.Unlock()
		cancel()
		waiting.Wait()
	})
}

// Two that wait for the same transaction share it, and one that leaves does not take it from the other.
func TestShared(t *testing.T) {
	l := &ledger{landed: map[solana.Signature]*rpc.Landed{}, height: 100}
	watch(t, l, func(t *testing.T, w *Watcher, _ func(byte) int) {
		t.Helper()
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var waiting sync.WaitGroup
		waiting.Go(func() {
			if _, err := w.Watch(short, tx(1)); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v", err)
			}
		})
		for range 2 {
			waiting.Go(func() {
				if end, err := w.Watch(t.Context(), tx(1)); err != nil || end.Landed == nil {
					t.Errorf("%+v, %v", end, err)
				}
			})
		}
		time.Sleep(2 * time.Second)
		l.set(func(l *ledger) { l.landed[tx(1).Signature] = at(rpc.Confirmed) })
		waiting.Wait()
	})
}

// While nothing is under way no node is called.
func TestIdle(t *testing.T) {
	l := &ledger{}
	watch(t, l, func(t *testing.T, _ *Watcher, _ func(byte) int) {
		t.Helper()
		time.Sleep(time.Hour)
		l.set(func(l *ledger) {
			if l.asked != 0 || l.heard != 0 {
				t.Errorf("asked %d and %d times", l.asked, l.heard)
			}
		})
	})
}
