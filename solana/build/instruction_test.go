package build

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/gagliardetto/solana-go"
	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/solana/thread"
)

// The accounts of a call, in their order, are what the program's own client gives it.
func TestInstruction(t *testing.T) {
	newest, seed := thread.Newest(), thread.Seed()
	compiled := &thread.Compiled{WrittenSigners: 1, Written: 1, Program: 2, Uses: []uint8{0, 1}, Accounts: []thread.Key{thread.Payer(), key(8), key(9)}}
	base := func(change func(*Execution)) *Execution {
		x := &Execution{
			Executor: key(4), Thread: demo, Config: &thread.Config{Admin: key(2)}, Index: 1, Fiber: &thread.Fiber{Thread: demo, Compiled: compiled},
			State: &thread.Thread{Authority: key(1), Fibers: []uint8{1, 3}, Cursor: 1, Trigger: thread.Trigger{Kind: thread.OnInterval}},
		}
		change(x)
		return x
	}
	names := func(p thread.Profile) map[thread.Key]string {
		return map[thread.Key]string{
			key(1): "authority", key(2): "admin", key(4): "executor", demo: "thread", key(6): "nonce", key(7): "watched", key(8): "account", key(9): "called",
			p.Fibers: "fibers", p.Program: "program", solana.SystemProgramID: "system", solana.SysVarRecentBlockHashesPubkey: "hashes",
			address(t)(p.ConfigAddress()): "config", address(t)(p.FiberAddress(demo, 1)): "fiber1", address(t)(p.FiberAddress(demo, 3)): "fiber3",
		}
	}
	for _, c := range []struct {
		name    string
		profile thread.Profile
		x       *Execution
		metas   string
		data    string
	}{
		{"newest", newest, base(func(*Execution) {}), "executor:ws/thread:w/fiber1/config/admin:w/program/program/system/executor:w/account:w/called", "00 01"},
		{"forgone", newest, base(func(x *Execution) { x.Forgo = true }), "executor:ws/thread:w/fiber1/config/admin:w/program/program/system/executor:w/account:w/called", "01 01"},
		{"nonce", newest, base(func(x *Execution) { x.State.Nonce = key(6) }), "executor:ws/thread:w/fiber1/config/admin:w/nonce:w/hashes/system/executor:w/account:w/called", "00 01"},
		{
			"account", newest, base(func(x *Execution) { x.State.Trigger = thread.Trigger{Kind: thread.OnAccount, Address: key(7)} }),
			"executor:ws/thread:w/fiber1/config/admin:w/program/program/system/watched/executor:w/account:w/called", "00 01",
		},
		{
			"closing", newest, base(func(x *Execution) { x.State.Signal.Kind = thread.Close; x.Fiber = nil }),
			"executor:ws/thread:w/fiber1/config/admin:w/program/program/system/fiber1:w/fiber3:w/thread:w/authority:w/program/fibers", "00 00",
		},
		{
			"seed", seed, base(func(x *Execution) { x.State.Nonce = key(6) }),
			"executor:ws/executor:ws/thread:w/fiber1:w/config/authority:w/admin:w/nonce:w/hashes/system/executor:w/account:w/called", "00",
		},
	} {
		call, err := c.x.Instruction(c.profile)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		known := names(c.profile)
		var metas []string
		for _, m := range call.Accounts() {
			text := known[m.PublicKey]
			if m.IsWritable || m.IsSigner {
				text += ":"
			}
			if m.IsWritable {
				text += "w"
			}
			if m.IsSigner {
				text += "s"
			}
			metas = append(metas, text)
		}
		if diff := cmp.Diff(c.metas, strings.Join(metas, "/")); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
		data, err := call.Data()
		if got := fmt.Sprintf("% x", data[8:]); err != nil || got != c.data || hex.EncodeToString(data[:8]) != "073e60de6f2a657c" {
			t.Errorf("%s: data %x, %v", c.name, data, err)
		}
		if call.ProgramID() != c.profile.Program {
			t.Errorf("%s calls %v", c.name, call.ProgramID())
		}
	}
	for name, x := range map[string]*Execution{
		"no fiber":               base(func(x *Execution) { x.Fiber = nil }),
		"nothing to execute":     base(func(x *Execution) { x.Fiber = &thread.Fiber{Thread: demo} }),
		"another thread's fiber": base(func(x *Execution) { x.Fiber = &thread.Fiber{Thread: key(1), Compiled: compiled} }),
	} {
		for _, p := range []thread.Profile{newest, seed} {
			if _, err := x.Instruction(p); err == nil {
				t.Errorf("%s: the %s program is called", name, p.Name)
			}
		}
	}
}
