package svmtest

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/solana/thread"
)

// Lamports that accounts of tests begin with: enough for their rent and for many executions.
const (
	threadLamports = 50_000_000
	fiberLamports  = 20_000_000
	configLamports = 10_000_000
)

// Threads is a chain with the thread programs on it.
type Threads struct {
	*Chain
	Profile thread.Profile
	Config  thread.Config
	Admin   Key // who gets the team's share
	Probe   Key // a program that fibers may call
	config  Key
}

// Install puts the newest programs, their config with the defaults, and the probe on the chain.
func (c *Chain) Install() *Threads {
	c.t.Helper()
	t := &Threads{
		Chain: c, Profile: thread.Newest(),
		Admin: Wallet("admin").PublicKey(), Probe: Wallet("probe").PublicKey(),
	}
	for program, name := range map[Key]string{t.Profile.Program: "thread", t.Profile.Fibers: "fiber", t.Probe: "probe"} {
		elf, err := os.ReadFile(filepath.Join(folder("program"), name+".so"))
		if err != nil {
			c.fatal("install "+name, err)
		}
		c.AddProgram(program, elf)
	}
	c.Fund(t.Admin, configLamports)
	t.Configured(thread.Config{Version: 1, Admin: t.Admin, Fee: 1000, ExecutorShare: 9000, TeamShare: 1000, Grace: 5, Decay: 295})
	return t
}

// Configured replaces the config of the thread program; its bump is found.
func (t *Threads) Configured(config thread.Config) {
	t.t.Helper()
	key, bump, err := solana.FindProgramAddress([][]byte{[]byte("thread_config")}, t.Profile.Program)
	if err != nil {
		t.fatal("config", err)
	}
	config.Bump = bump
	t.Config, t.config = config, key
	t.SetAccount(key, Account{Lamports: configLamports, Owner: t.Profile.Program, Data: EncodeConfig(&config)})
}

// Put puts a thread with its fibers on the chain, and returns its address. Its version,
// bump and closing instruction are made; the fibers have the indexes of their order unless
// Fibers sets others. Its balance is enough for its rent and some thousand executions.
func (t *Threads) Put(th thread.Thread, fibers ...solana.Instruction) Key {
	t.t.Helper()
	key, bump, err := t.Profile.ThreadAddress(th.Authority, th.ID)
	if err != nil {
		t.fatal("thread", err)
	}
	th.Version, th.Bump = 1, bump
	if th.Fibers == nil {
		for i := range fibers {
			th.Fibers = append(th.Fibers, uint8(i))
		}
		if len(fibers) > 0 {
			th.Cursor = th.Fibers[int(th.Cursor)%len(fibers)]
		}
	}
	if th.Closing == nil {
		th.Closing = EncodeCompiled(Compile(t.CloseInstruction(key, key, th.Authority)))
	}
	t.SetAccount(key, Account{Lamports: threadLamports, Owner: t.Profile.Program, Data: EncodeThread(&th)})
	for i, fiber := range fibers[:min(len(fibers), len(th.Fibers))] {
		t.PutFiber(thread.Fiber{Thread: key, Compiled: Compile(fiber)}, th.Fibers[i])
	}
	return key
}

// PutFiber puts one fiber of a thread on the chain, and returns where it is.
func (t *Threads) PutFiber(f thread.Fiber, index uint8) Key {
	t.t.Helper()
	key, err := t.Profile.FiberAddress(f.Thread, index)
	if err != nil {
		t.fatal("fiber", err)
	}
	t.SetAccount(key, Account{Lamports: fiberLamports, Owner: t.Profile.Fibers, Data: EncodeFiber(&f)})
	return key
}

// Thread reads a thread as it is in the newest block; nil when it is closed.
func (t *Threads) Thread(key Key) *thread.Thread {
	t.t.Helper()
	a, found := t.Account(key)
	if !found {
		return nil
	}
	th, err := t.Profile.DecodeThread(a.Data)
	if err != nil {
		t.fatal("thread "+key.String(), err)
	}
	return th
}

// Compile makes of an instruction what a fiber holds.
func Compile(in solana.Instruction) *thread.Compiled {
	type use struct{ signs, writes bool }
	uses := map[Key]use{in.ProgramID(): {}}
	order := []Key{in.ProgramID()}
	for _, a := range in.Accounts() {
		u, known := uses[a.PublicKey]
		if !known {
			order = append(order, a.PublicKey)
		}
		uses[a.PublicKey] = use{u.signs || a.IsSigner, u.writes || a.IsWritable}
	}
	c := new(thread.Compiled)
	for _, group := range []struct {
		use
		count *uint8
	}{{use{true, true}, &c.WrittenSigners}, {use{true, false}, &c.ReadSigners}, {use{false, true}, &c.Written}, {use{}, new(uint8)}} {
		for _, key := range order {
			if uses[key] == group.use {
				c.Accounts = append(c.Accounts, key)
				*group.count++
			}
		}
	}
	place := func(key Key) uint8 { return uint8(slices.Index(c.Accounts, key)) }
	c.Program = place(in.ProgramID())
	for _, a := range in.Accounts() {
		c.Uses = append(c.Uses, place(a.PublicKey))
	}
	data, err := in.Data()
	if err != nil {
		panic(err) // instructions of tests have their data
	}
	c.Data = data
	return c
}
