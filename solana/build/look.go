package build

import (
	"context"
	"fmt"
	"time"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/solana/failure"
	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/thread"
)

// situation is what the chain holds around a thread, all of one slot but for a fiber that was guessed wrong.
type situation struct {
	key      thread.Key
	state    *thread.Thread
	config   *thread.Config
	clock    thread.Clock
	executor uint64 // lamports
	lamports uint64 // of the thread
	fiber    *thread.Fiber
	watched  []byte // the part of an account's data that the trigger watches; nil: there is no account
}

// execution is the one that is due.
func (s *situation) execution(p thread.Profile, executor thread.Key, forgo bool) *Execution {
	index, _ := s.state.Fiber(p)
	return &Execution{Executor: executor, Thread: s.key, State: s.state, Config: s.config, Index: index, Fiber: s.fiber, Forgo: forgo}
}

// priority is the price that the fiber asks for.
func (s *situation) priority() uint64 {
	if s.fiber == nil {
		return 0
	}
	return s.fiber.Priority
}

// readSituation reads what is there: in one request when the hint holds.
func (b *Builder) readSituation(ctx context.Context, key thread.Key, h Hint) (*situation, error) {
	p := b.config.Profile
	config, err := p.ConfigAddress()
	if err != nil {
		return nil, b.judged(err)
	}
	keys := []solana.PublicKey{key, config, solana.SysVarClockPubkey, b.config.Signer.Public()}
	if h.Known {
		guess, err := p.FiberAddress(key, h.Index)
		if err != nil {
			return nil, b.judged(err)
		}
		keys = append(keys, guess)
	}
	accounts, _, err := b.config.Chain.Accounts(ctx, rpc.Processed, keys...)
	if err != nil {
		return nil, b.judged(err)
	}
	s := &situation{key: key}
	if err := s.decode(p, accounts); err != nil {
		return nil, err
	}
	index, found := s.state.Fiber(p)
	if !found || s.state.Signal.Kind == thread.Close {
		return s, nil
	}
	if h.Known && h.Index == index && accounts[4] != nil && accounts[4].Owner == p.Fibers {
		if s.fiber, err = p.DecodeFiber(accounts[4].Data); err != nil {
			return nil, b.judged(err)
		}
	} else if s.fiber, err = b.fiber(ctx, key, index); err != nil {
		return nil, err
	}
	if s.fiber == nil {
		return nil, newError(failure.Superseded, "fiber %d of the thread does not exist", index)
	}
	if on := s.state.Trigger; on.Kind == thread.OnAccount { // the account is anybody's, and may be large
		watched, _, err := b.config.Chain.Parts(ctx, rpc.Processed, on.Offset, on.Size, on.Address)
		if err != nil {
			return nil, b.judged(err)
		}
		if watched[0] != nil {
			s.watched = watched[0].Data
		}
	}
	return s, nil
}

// decode takes thread, config, clock and executor.
func (s *situation) decode(p thread.Profile, accounts []*rpc.Account) (err error) {
	switch {
	case accounts[0] == nil || accounts[0].Owner != p.Program:
		return newError(failure.Superseded, "the thread is closed")
	case accounts[1] == nil || accounts[1].Owner != p.Program: // It is every thread's: what one node says must not give all up.
		return newError(failure.Transient, "there is no config of the thread program %s: is it the right version, and the right cluster?", p.Program)
	case accounts[2] == nil:
		return newError(failure.Transient, "the node has no clock")
	}
	if s.state, err = p.DecodeThread(accounts[0].Data); err != nil {
		return &Error{Verdict: failure.Of(p, err), Err: err}
	}
	if s.config, err = thread.DecodeConfig(accounts[1].Data); err != nil {
		return &Error{Verdict: failure.Verdict{Class: failure.Transient, Reason: err.Error()}, Err: err}
	}
	if s.clock, err = thread.DecodeClock(accounts[2].Data); err != nil {
		return &Error{Verdict: failure.Verdict{Class: failure.Transient, Reason: err.Error()}, Err: err}
	}
	s.lamports = accounts[0].Lamports
	if accounts[3] != nil {
		s.executor = accounts[3].Lamports
	}
	return nil
}

// fiber reads one, nil where there is none.
func (b *Builder) fiber(ctx context.Context, key thread.Key, index uint8) (*thread.Fiber, error) {
	address, err := b.config.Profile.FiberAddress(key, index)
	if err != nil {
		return nil, b.judged(err)
	}
	accounts, _, err := b.config.Chain.Accounts(ctx, rpc.Processed, address)
	if err != nil {
		return nil, b.judged(err)
	}
	if accounts[0] == nil || accounts[0].Owner != b.config.Profile.Fibers {
		return nil, nil //nolint:nilnil // there is none, and nothing is wrong
	}
	fiber, err := b.config.Profile.DecodeFiber(accounts[0].Data)
	if err != nil {
		return nil, b.judged(err)
	}
	return fiber, nil
}

// addTables reads the lookup tables of a fiber, from what is known where that is young.
func (b *Builder) addTables(ctx context.Context, t *trial, fiber *thread.Fiber) error {
	if fiber == nil {
		return nil
	}
	var missing []solana.PublicKey
	b.mu.Lock()
	for _, key := range fiber.Tables {
		known, ok := b.tables[key]
		if ok && time.Since(known.at) < tableLife {
			t.addTable(key, known.keys)
		} else {
			missing = append(missing, key)
		}
	}
	b.mu.Unlock()
	if len(missing) == 0 {
		return nil
	}
	accounts, _, err := b.config.Chain.Accounts(ctx, rpc.Confirmed, missing...)
	if err != nil {
		return b.judged(err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.tables)+len(missing) > mostTables {
		clear(b.tables)
	}
	for i, key := range missing {
		var keys solana.PublicKeySlice
		if accounts[i] != nil {
			if keys, err = decodeTable(accounts[i].Data); err != nil {
				return b.judged(fmt.Errorf("lookup table %s: %w", key, err))
			}
		}
		b.tables[key] = knownTable{keys: keys, at: time.Now()}
		t.addTable(key, keys)
	}
	return nil
}

// addTable makes a table known to the message; an empty one would only cost its key.
func (t *trial) addTable(key thread.Key, keys solana.PublicKeySlice) {
	if len(keys) > 0 {
		t.tables[key] = keys
	}
}
