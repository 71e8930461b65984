package submit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/solana/rpc"
)

// Chain is asked what became of transactions, and how far it is.
type Chain interface {
	Statuses(ctx context.Context, history bool, signatures ...solana.Signature) ([]*rpc.Landed, uint64, error)
	EpochInfo(ctx context.Context, c rpc.Commitment) (rpc.Epoch, error)
	HashValid(ctx context.Context, hash solana.Hash) (valid bool, slot uint64, err error)
}

// longestHash is how many blocks a blockhash lives. If its reported last height was too
// low, it is still dead beyond so many more.
const longestHash = 150

// WatcherConfig sets how transactions are watched.
type WatcherConfig struct {
	Chain Chain
	// Again sends the bytes once more. It is called by several at the same time, 16 at most.
	Again func(ctx context.Context, wire []byte) (Sent, error)
	// Every is how often statuses are asked for. Defaults to 400 ms, a slot.
	Every time.Duration
	// Resend is how long no node has seen a transaction before it is sent again. Defaults
	// to 2 s.
	Resend time.Duration
	// Most is how many are watched at once. Defaults to 10,000.
	Most   int
	Logger *slog.Logger // defaults to none
}

// ErrFull is that as many transactions are watched as may be.
var ErrFull = errors.New("too many transactions are under way")

// End is what became of a transaction.
type End struct {
	// Landed is nil when it has not, and cannot any more: its blockhash has expired, and a node that is beyond that has not
	// seen it.
	Landed *rpc.Landed
	Resent int // how often its bytes were sent again
}

// Watcher is the one that asks for all. Watch works while Run does.
type Watcher struct {
	config WatcherConfig
	wake   chan struct{}

	mu      sync.Mutex
	watched map[solana.Signature]*watched
}

// watched is a transaction under way. Run's goroutine owns it but for ends.
type watched struct {
	tx     rpc.Transaction
	sent   time.Time // last
	resent int
	seen   bool
	ends   []chan End
}

const (
	mostResending = 16
	heightEvery   = 5 // how many looks there are to each question for the height
)

// NewWatcher returns a watcher of nothing.
func NewWatcher(c WatcherConfig) *Watcher {
	if c.Every <= 0 {
		c.Every = 400 * time.Millisecond
	}
	if c.Resend <= 0 {
		c.Resend = 2 * time.Second
	}
	if c.Most <= 0 {
		c.Most = 10_000
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &Watcher{config: c, wake: make(chan struct{}, 1), watched: make(map[solana.Signature]*watched)}
}

// Watch waits until a transaction that was sent has landed for sure, or cannot any more. Who asks for one that is watched
// already shares it. When ctx ends first nothing is known, and the transaction may still land.
func (w *Watcher) Watch(ctx context.Context, tx rpc.Transaction) (End, error) {
	end := make(chan End, 1)
	w.mu.Lock()
	t := w.watched[tx.Signature]
	if t == nil {
		if len(w.watched) >= w.config.Most {
			w.mu.Unlock()
			return End{}, fmt.Errorf("%w: %d", ErrFull, w.config.Most)
		}
		t = &watched{tx: tx, sent: time.Now()}
		w.watched[tx.Signature] = t
	}
	t.ends = append(t.ends, end)
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
	select {
	case e := <-end:
		return e, nil
	case <-ctx.Done():
		w.leave(tx.Signature, end)
		return End{}, ctx.Err()
	}
}

// leave ends one caller's wait; a transaction without a waiting caller is watched no more.
func (w *Watcher) leave(signature solana.Signature, end chan End) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t := w.watched[signature]; t != nil {
		t.ends = slices.DeleteFunc(t.ends, func(c chan End) bool { return c == end })
		if len(t.ends) == 0 {
			delete(w.watched, signature)
		}
	}
}

// Watching is how many transactions are under way.
func (w *Watcher) Watching() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.watched)
}

// Run polls, resends and reports, until ctx ends, and returns nil then. Without a
// transaction under way it calls no node.
func (w *Watcher) Run(ctx context.Context) error {
	tick := time.NewTicker(w.config.Every)
	defer tick.Stop()
	for looks := 0; ; looks++ {
		all := w.signaturesUnderWay()
		if len(all) > 0 {
			var chain rpc.Epoch
			if looks%heightEvery == 0 {
				chain = w.height(ctx)
			}
			for part := range slices.Chunk(all, rpc.MostSignatures) {
				w.readStatuses(ctx, part, chain)
			}
			w.again(ctx)
		}
		if len(all) == 0 {
			select {
			case <-ctx.Done():
				return nil
			case <-w.wake:
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// signaturesUnderWay are the signatures under way, in an order that is the same each time.
func (w *Watcher) signaturesUnderWay() []solana.Signature {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := make([]solana.Signature, 0, len(w.watched))
	for s := range w.watched {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b solana.Signature) int { return slices.Compare(a[:], b[:]) })
	return all
}

// height is how far most of the stake is; zero: not known now.
func (w *Watcher) height(ctx context.Context) rpc.Epoch {
	chain, err := w.config.Chain.EpochInfo(ctx, rpc.Confirmed)
	if err != nil && ctx.Err() == nil {
		w.config.Logger.Warn("how far the chain is cannot be asked for", "error", err)
	}
	return chain
}

// readStatuses reads the status of some transactions, and reports to the callers that wait. The
// height was read before, and counts only with an answer of a node that is at least as far.
// A transaction that such a node has not seen, and that is not valid any more, will never
// be seen.
func (w *Watcher) readStatuses(ctx context.Context, signatures []solana.Signature, chain rpc.Epoch) {
	landed, slot, err := w.config.Chain.Statuses(ctx, false, signatures...)
	if err != nil {
		if ctx.Err() == nil {
			w.config.Logger.Warn("the fate of transactions cannot be asked for", "count", len(signatures), "error", err)
		}
		return
	}
	var lost []solana.Signature
	w.mu.Lock()
	for i, signature := range signatures {
		t := w.watched[signature]
		if t == nil {
			continue
		}
		t.seen = landed[i] != nil
		switch {
		case t.seen && landed[i].IsSure():
			w.reportEnd(t, End{Landed: landed[i], Resent: t.resent})
		case !t.seen && chain.BlockHeight > t.tx.LastValid && slot >= chain.AbsoluteSlot:
			lost = append(lost, signature)
		}
	}
	w.mu.Unlock()
	if len(lost) > 0 {
		w.reportLost(ctx, lost, chain)
	}
}

// reportLost reports lost transactions to the callers that wait. First it asks the chain itself
// whether the blockhash is over, since the last height is a single node's earlier answer.
// Then it searches history, since a restarted node remembers nothing else.
func (w *Watcher) reportLost(ctx context.Context, signatures []solana.Signature, chain rpc.Epoch) {
	signatures = w.expired(ctx, signatures, chain)
	if len(signatures) == 0 {
		return
	}
	landed, slot, err := w.config.Chain.Statuses(ctx, true, signatures...)
	if err != nil || slot < chain.AbsoluteSlot {
		return // the next look does it
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, signature := range signatures {
		t := w.watched[signature]
		switch {
		case t == nil:
		case landed[i] == nil:
			w.reportEnd(t, End{Resent: t.resent})
		case landed[i].IsSure():
			w.reportEnd(t, End{Landed: landed[i], Resent: t.resent})
		}
	}
}

// expired returns those whose blockhash is over: no node that is as far as chain takes it any more, or it would have lived longer than
// any. A node that cannot be asked for that is taken at the word of the first one.
func (w *Watcher) expired(ctx context.Context, signatures []solana.Signature, chain rpc.Epoch) []solana.Signature {
	alive := make(map[solana.Hash]bool)
	return slices.DeleteFunc(signatures, func(signature solana.Signature) bool {
		w.mu.Lock()
		t := w.watched[signature]
		w.mu.Unlock()
		if t == nil || chain.BlockHeight > t.tx.LastValid+longestHash {
			return t == nil
		}
		hash := t.tx.Blockhash
		is, known := alive[hash]
		if !known {
			valid, slot, err := w.config.Chain.HashValid(ctx, hash)
			is = valid || slot < chain.AbsoluteSlot
			if err != nil {
				is = !rpc.IsUnknownMethod(err)
			}
			alive[hash] = is
		}
		return is
	})
}

// reportEnd is called with mu held.
func (w *Watcher) reportEnd(t *watched, e End) {
	for _, c := range t.ends {
		c <- e
	}
	delete(w.watched, t.tx.Signature)
}

// again resends transactions that no node has seen for a while.
func (w *Watcher) again(ctx context.Context) {
	now := time.Now()
	var due []*watched
	w.mu.Lock()
	for _, t := range w.watched {
		if !t.seen && now.Sub(t.sent) >= w.config.Resend {
			t.sent = now
			t.resent++
			due = append(due, t)
		}
	}
	w.mu.Unlock()
	room := make(chan struct{}, mostResending)
	var sending sync.WaitGroup
	for _, t := range due {
		room <- struct{}{}
		sending.Go(func() {
			defer func() { <-room }()
			if _, err := w.config.Again(ctx, t.tx.Wire); err != nil && ctx.Err() == nil {
				w.config.Logger.Debug("a transaction could not be sent again", "signature", t.tx.Signature.String(), "error", err)
			}
		})
	}
	sending.Wait()
}
