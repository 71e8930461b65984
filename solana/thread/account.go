package thread

import (
	"fmt"
	"slices"
)

// Bounds of lists in accounts. The programs hold smaller ones; an account with more is none of theirs.
const (
	longestName     = 1024
	mostFibers      = 256
	longestCompiled = 16 << 10
	mostTables      = 16
)

// Thread is what the chain holds of a thread: what is executed when, and how it stands.
type Thread struct {
	Version   uint8
	Bump      uint8
	Authority Key
	ID        []byte
	Name      string
	CreatedAt int64 // unix seconds
	Trigger   Trigger
	Schedule  Schedule
	Fibers    []uint8 // indexes, in the order of execution
	Cursor    uint8   // index of the fiber that is next; of the seed era the position
	Signal    Signal  // what the last fiber asked for
	Paused    bool
	// ExecCount is how often it was executed. The seed era counts nothing: 0.
	ExecCount    uint64
	LastExecutor Key    // zero: none, or the seed era
	Nonce        Key    // zero: none
	Closing      []byte // what is executed when the thread is closed
}

// DecodeThread reads the data of a thread's account. The value holds nothing of data.
func (p Profile) DecodeThread(data []byte) (*Thread, error) {
	r := &reader{data: data}
	r.begins(threadAccount)
	t := &Thread{Version: r.u8("version"), Bump: r.u8("bump"), Authority: r.readKey("authority")}
	t.ID = r.readList(longestID, "id")
	t.Name = r.readText(longestName, "name")
	t.CreatedAt = r.i64("time of creation")
	if p.seed {
		p.seedRest(r, t)
	} else {
		p.newestRest(r, t)
	}
	if r.err != nil {
		return nil, fmt.Errorf("decode a thread: %w", r.err)
	}
	return t, nil
}

func (p Profile) newestRest(r *reader, t *Thread) {
	t.Trigger = p.trigger(r)
	t.Schedule = readSchedule(r)
	t.Fibers = r.readList(mostFibers, "fibers")
	t.Cursor = r.u8("cursor")
	r.u8("next fiber's index")
	t.Signal = p.signal(r)
	t.Paused = r.readFlag("paused")
	t.ExecCount = r.u64("count of executions")
	t.LastExecutor = r.readKey("last executor")
	t.Nonce = p.nonce(r)
	t.Closing = r.readList(longestCompiled, "close fiber")
}

func (p Profile) seedRest(r *reader, t *Thread) {
	t.Paused = r.readFlag("paused")
	t.Fibers = r.readList(mostFibers, "fibers")
	t.Cursor = r.u8("position")
	t.Nonce = p.nonce(r)
	t.Trigger = p.trigger(r)
	t.Schedule = readSchedule(r)
}

// nonce takes the account of a nonce and its last value. Two programs' ids stand for none.
func (p Profile) nonce(r *reader) Key {
	key := r.readKey("nonce account")
	r.readText(longestName, "last nonce")
	if key == p.Program {
		return Key{} // the system program's id is zeros
	}
	return key
}

// Fiber returns the index of the fiber that is next, and whether there is one. Of a chain it is the one behind that at the
// cursor, which the program moves on only when the next one is executed.
func (t *Thread) Fiber(p Profile) (index uint8, found bool) {
	place := int(t.Cursor)
	if !p.seed {
		if place = slices.Index(t.Fibers, t.Cursor); place < 0 {
			return 0, false
		}
		if t.Signal.Kind == Chain {
			place++
		}
	}
	if place >= len(t.Fibers) {
		return 0, false
	}
	return t.Fibers[place], true
}

// Config is what holds for all threads of a program.
type Config struct {
	Version uint64
	Bump    uint8
	Admin   Key // gets the team's share
	Paused  bool
	// Fee is what an execution in time pays, in lamports, and its parts in basis points.
	Fee           uint64
	ExecutorShare uint64
	TeamShare     uint64
	// Grace is how many seconds late the whole fee is paid, and Decay how many it takes then to nothing.
	Grace int64
	Decay int64
}

// DecodeConfig reads the data of a program's config; it is the same in both versions.
func DecodeConfig(data []byte) (*Config, error) {
	r := &reader{data: data}
	r.begins(configAccount)
	c := &Config{
		Version: r.u64("version"), Bump: r.u8("bump"), Admin: r.readKey("admin"), Paused: r.readFlag("paused"), Fee: r.u64("fee"),
		ExecutorShare: r.u64("executor's share"), TeamShare: r.u64("team's share"), Grace: r.i64("grace"), Decay: r.i64("decay"),
	}
	if r.err != nil {
		return nil, fmt.Errorf("decode the config of the thread program: %w", r.err)
	}
	return c, nil
}

// Fiber is one thing that a thread executes.
type Fiber struct {
	Thread Key
	// Compiled is nil when there is nothing to execute.
	Compiled     *Compiled
	LastExecuted int64 // unix seconds
	ExecCount    uint64
	Priority     uint64 // micro lamports per compute unit
	Tables       []Key  // of addresses, for messages that use them
}

// DecodeFiber reads the data of a fiber's account, of any layout that the version has had.
func (p Profile) DecodeFiber(data []byte) (*Fiber, error) {
	r := &reader{data: data}
	f := new(Fiber)
	versioned := !p.seed && len(data) >= 8 && Discriminator(data[:8]) == AccountDiscriminator(fiberVersions)
	switch {
	case versioned:
		r.begins(fiberVersions)
		if v := r.u8("version"); v != 1 && r.err == nil {
			r.keepError("a fiber of version %d is not known", v)
		}
		f.Thread = r.readKey("thread")
	case p.seed:
		r.begins(fiberAccount)
		f.Thread = r.readKey("thread")
		r.u8("index")
	default:
		r.begins(fiberAccount)
		f.Thread = r.readKey("thread")
	}
	compiled := r.bytes(r.count(1, longestCompiled, "compiled instruction"), "compiled instruction")
	f.LastExecuted, f.ExecCount = r.i64("last execution"), r.u64("count of executions")
	if !p.seed {
		f.Priority = r.u64("priority fee")
	}
	if versioned {
		f.Tables = r.readKeys(mostTables, "lookup tables")
	}
	if r.err != nil {
		return nil, fmt.Errorf("decode a fiber: %w", r.err)
	}
	if len(compiled) > 0 {
		var err error
		if f.Compiled, err = p.DecodeCompiled(compiled); err != nil {
			return nil, fmt.Errorf("decode a fiber: %w", err)
		}
	}
	return f, nil
}

// DecodeClock reads the data of the chain's clock.
func DecodeClock(data []byte) (Clock, error) {
	r := &reader{data: data}
	c := Clock{Slot: r.u64("slot")}
	r.i64("start of the epoch")
	c.Epoch = r.u64("epoch")
	r.u64("epoch of the leaders' schedule")
	c.Unix = r.i64("time")
	if r.err != nil {
		return Clock{}, fmt.Errorf("decode the clock: %w", r.err)
	}
	return c, nil
}
