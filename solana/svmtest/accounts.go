package svmtest

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/orthd/orth/solana/thread"
)

// Sizes of accounts, as the programs allocate them.
const (
	threadSize = 1152
	fiberSize  = 1225
)

// borsh writes values, little endian.
type borsh struct{ bytes.Buffer }

// put writes numbers and flags in their width, texts and bytes with their length, and keys as they are.
func (b *borsh) put(values ...any) {
	for _, v := range values {
		switch v := v.(type) {
		case string:
			b.put(uint32(len(v)))
			b.WriteString(v)
		case []byte:
			b.put(uint32(len(v)))
			b.Write(v)
		case Key:
			b.Write(v[:])
		default:
			if err := binary.Write(b, binary.LittleEndian, v); err != nil {
				panic(fmt.Sprintf("a %T cannot be written: %v", v, err))
			}
		}
	}
}

func (b *borsh) begin(account string) {
	d := thread.AccountDiscriminator(account)
	b.Write(d[:])
}

// sized brings the data to an account's size.
func (b *borsh) sized(size int) []byte {
	return append(b.Bytes(), make([]byte, max(0, size-b.Len()))...)
}

// EncodeThread is the data of a thread's account, of the newest program.
func EncodeThread(t *thread.Thread) []byte {
	nonce := t.Nonce
	if nonce == (Key{}) {
		nonce = thread.Newest().Program // as the program writes that there is none
	}
	next := uint8(0)
	for _, f := range t.Fibers {
		next = max(next, f+1)
	}
	b := new(borsh)
	b.begin("Thread")
	b.put(t.Version, t.Bump, t.Authority, t.ID, t.Name, t.CreatedAt)
	b.Write(EncodeTrigger(t.Trigger))
	b.put(uint8(t.Schedule.Kind))
	if t.Schedule.Kind == thread.OnChange {
		b.put(t.Schedule.Hash)
	} else {
		b.put(t.Schedule.Prev, t.Schedule.Next)
	}
	b.put(t.Fibers, t.Cursor, next, uint8(t.Signal.Kind))
	if t.Signal.Kind == thread.NextFiber {
		b.put(t.Signal.Index)
	}
	b.put(t.Paused, t.ExecCount, t.LastExecutor, nonce, "", t.Closing)
	return b.sized(threadSize)
}

// EncodeTrigger is a trigger of the newest program.
func EncodeTrigger(t thread.Trigger) []byte {
	b := new(borsh)
	b.put(uint8(t.Kind))
	switch t.Kind {
	case thread.OnAccount:
		b.put(t.Address, t.Offset, t.Size)
	case thread.Immediate:
		b.put(t.Jitter)
	case thread.OnTimestamp:
		b.put(t.At, t.Jitter)
	case thread.OnInterval:
		b.put(t.Every, t.Skippable, t.Jitter)
	case thread.OnCron:
		b.put(t.Cron, t.Skippable, t.Jitter)
	default:
		b.put(t.Number)
	}
	return b.Bytes()
}

// EncodeConfig is the data of the program's config.
func EncodeConfig(c *thread.Config) []byte {
	b := new(borsh)
	b.begin("ThreadConfig")
	b.put(c.Version, c.Bump, c.Admin, c.Paused, c.Fee, c.ExecutorShare, c.TeamShare, c.Grace, c.Decay)
	return b.Bytes()
}

// EncodeFiber is the data of a fiber's account, of the newest layout.
func EncodeFiber(f *thread.Fiber) []byte {
	b := new(borsh)
	b.begin("FiberVersionedState")
	b.put(uint8(1), f.Thread, EncodeCompiled(f.Compiled), f.LastExecuted, f.ExecCount, f.Priority, uint32(len(f.Tables)))
	for _, table := range f.Tables {
		b.put(table)
	}
	return b.sized(fiberSize)
}

// EncodeCompiled is a compiled instruction, nil for none.
func EncodeCompiled(c *thread.Compiled) []byte {
	if c == nil {
		return nil
	}
	b := new(borsh)
	b.put(c.ReadSigners, c.WrittenSigners, c.Written, uint32(1), c.Program, c.Uses, c.Data, uint32(len(c.Accounts)))
	for _, key := range c.Accounts {
		b.put(key)
	}
	return b.Bytes()
}
