package svmtest

import (
	"encoding/binary"
	"slices"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/solana/thread"
)

// Exec is the content of an exec_thread call.
type Exec struct {
	Executor Key
	Thread   Key
	Forgo    bool
	Cursor   uint8
}

// Exec makes the call that executes a thread as it is in the newest block, with the accounts that the program wants; of a
// thread that is to be closed, the call that closes it.
func (t *Threads) Exec(e Exec) solana.Instruction {
	t.t.Helper()
	th := t.Thread(e.Thread)
	if th == nil {
		t.t.Fatalf("there is no thread %s", e.Thread)
	}
	fiber := e.Cursor
	closing := th.Signal.Kind == thread.Close
	if closing {
		fiber = th.Fibers[0]
	}
	fiberKey, err := t.Profile.FiberAddress(e.Thread, fiber)
	if err != nil {
		t.fatal("exec", err)
	}
	program := t.Profile.Program
	metas := solana.AccountMetaSlice{
		solana.Meta(e.Executor).WRITE().SIGNER(), solana.Meta(e.Thread).WRITE(), solana.Meta(fiberKey), solana.Meta(t.config),
		solana.Meta(t.Config.Admin).WRITE(), solana.Meta(program), solana.Meta(program), solana.Meta(solana.SystemProgramID),
	}
	if th.Nonce != (Key{}) {
		metas[5], metas[6] = solana.Meta(th.Nonce).WRITE(), solana.Meta(solana.SysVarRecentBlockHashesPubkey)
	}
	if th.Trigger.Kind == thread.OnAccount && !closing {
		metas = append(metas, solana.Meta(th.Trigger.Address))
	}
	if closing {
		metas = append(metas, t.closing(th, e.Thread)...)
	} else {
		metas = append(metas, t.table(fiberKey, e.Executor)...)
	}
	data := thread.InstructionDiscriminator("exec_thread")
	forgo := byte(0)
	if e.Forgo {
		forgo = 1
	}
	return solana.NewInstruction(program, metas, append(data[:], forgo, e.Cursor))
}

// closing are the accounts behind the named ones that the end of a thread wants.
func (t *Threads) closing(th *thread.Thread, key Key) (metas []*solana.AccountMeta) {
	for _, index := range th.Fibers {
		fiber, err := t.Profile.FiberAddress(key, index)
		if err != nil {
			t.fatal("exec", err)
		}
		metas = append(metas, solana.Meta(fiber).WRITE())
	}
	return append(metas, solana.Meta(key).WRITE(), solana.Meta(th.Authority).WRITE(), solana.Meta(t.Profile.Program), solana.Meta(t.Profile.Fibers))
}

// table are the accounts that a fiber's instruction wants: only the program signs for them.
func (t *Threads) table(fiber, executor Key) (metas []*solana.AccountMeta) {
	a, found := t.Account(fiber)
	if !found {
		return nil
	}
	f, err := t.Profile.DecodeFiber(a.Data)
	if err != nil || f.Compiled == nil {
		return nil // the program reports it
	}
	for i, key := range f.Compiled.Accounts {
		if key == thread.Payer() {
			key = executor
		}
		meta := solana.Meta(key)
		meta.IsWritable = f.Compiled.IsWritten(i)
		metas = append(metas, meta)
	}
	return metas
}

// CloseInstruction makes the call that closes a thread; its authority is that of the thread, or the thread itself. The fibers
// come behind the accounts.
func (t *Threads) CloseInstruction(authority, threadKey, to Key, fibers ...Key) solana.Instruction {
	metas := solana.AccountMetaSlice{
		solana.Meta(authority).SIGNER(), solana.Meta(to).WRITE(), solana.Meta(threadKey).WRITE(), solana.Meta(t.Profile.Fibers),
	}
	for _, fiber := range fibers {
		metas = append(metas, solana.Meta(fiber).WRITE())
	}
	data := thread.InstructionDiscriminator("close_thread")
	return solana.NewInstruction(t.Profile.Program, metas, data[:])
}

// UpdateInstruction makes the call by which the authority pauses a thread, lets it go on, or gives it another trigger; nil
// leaves it as it is.
func (t *Threads) UpdateInstruction(authority, threadKey Key, paused *bool, trigger *thread.Trigger) solana.Instruction {
	d := thread.InstructionDiscriminator("update_thread")
	b := new(borsh)
	b.Write(d[:])
	b.option(paused != nil, func() { b.put(*paused) })
	b.option(trigger != nil, func() { b.Write(EncodeTrigger(*trigger)) })
	metas := solana.AccountMetaSlice{solana.Meta(authority).WRITE().SIGNER(), solana.Meta(threadKey).WRITE()}
	return solana.NewInstruction(t.Profile.Program, metas, b.Bytes())
}

// option writes whether there is a value, and then the value.
func (b *borsh) option(given bool, write func()) {
	b.put(given)
	if given {
		write()
	}
}

// What the probe does, by the first byte of its data.
const (
	probeReturn = iota
	probeFail
	probeBurn
	probePay
	probeWrite
	probeGive
	probeCall
	probeCrash
)

func (t *Threads) probe(what byte, argument []byte, metas ...*solana.AccountMeta) solana.Instruction {
	return solana.NewInstruction(t.Probe, metas, slices.Concat([]byte{what}, argument))
}

// Return is an instruction that returns a signal to the thread.
func (t *Threads) Return(signal []byte) solana.Instruction { return t.probe(probeReturn, signal) }

// Succeed is an instruction that does nothing.
func (t *Threads) Succeed() solana.Instruction { return t.Burn(0) }

// FailWith is an instruction that fails with a code of its program's own.
func (t *Threads) FailWith(code uint32) solana.Instruction {
	return t.probe(probeFail, binary.LittleEndian.AppendUint32(nil, code))
}

// Burn is an instruction that takes some eight units of computation for each round.
func (t *Threads) Burn(rounds uint64) solana.Instruction {
	return t.probe(probeBurn, binary.LittleEndian.AppendUint64(nil, rounds))
}

// Spend is an instruction by which the executor pays lamports to an account.
func (t *Threads) Spend(to Key, lamports uint64) solana.Instruction {
	return t.probe(probePay, binary.LittleEndian.AppendUint64(nil, lamports),
		solana.Meta(thread.Payer()).WRITE().SIGNER(), solana.Meta(to).WRITE(), solana.Meta(solana.SystemProgramID))
}

// Write is an instruction that writes bytes at the beginning of an account of the probe's.
func (t *Threads) Write(account Key, data []byte) solana.Instruction {
	return t.probe(probeWrite, data, solana.Meta(account).WRITE())
}

// Give is an instruction that pays lamports from an account of the probe's to the executor.
func (t *Threads) Give(from Key, lamports uint64) solana.Instruction {
	return t.probe(probeGive, binary.LittleEndian.AppendUint64(nil, lamports), solana.Meta(from).WRITE(), solana.Meta(thread.Payer()).WRITE())
}

// CallOn is an instruction that calls another program with data.
func (t *Threads) CallOn(program Key, data []byte) solana.Instruction {
	return t.probe(probeCall, data, solana.Meta(program))
}

// Crash is an instruction that ends in the middle.
func (t *Threads) Crash() solana.Instruction { return t.probe(probeCrash, nil) }

// SignalOf is a signal as a fiber returns it. Of an update it changes what is given.
func SignalOf(kind thread.SignalKind, index uint8) []byte {
	if kind == thread.NextFiber {
		return []byte{byte(kind), index}
	}
	return []byte{byte(kind)}
}

// UpdateSignal is the signal by which a fiber changes its thread; nil leaves a part as it is.
func UpdateSignal(paused *bool, trigger *thread.Trigger, index *uint8) []byte {
	b := new(borsh)
	b.put(uint8(thread.Update))
	b.option(paused != nil, func() { b.put(*paused) })
	b.option(trigger != nil, func() { b.Write(EncodeTrigger(*trigger)) })
	b.option(index != nil, func() { b.put(*index) })
	return b.Bytes()
}
