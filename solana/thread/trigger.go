package thread

import "fmt"

// TriggerKind is what a thread waits for.
type TriggerKind uint8

// The kinds of triggers, by their tags on the chain.
const (
	OnAccount   TriggerKind = iota // bytes of an account have changed
	Immediate                      // nothing: executed once, as soon as it is seen
	OnTimestamp                    // a time
	OnInterval                     // seconds after the last execution
	OnCron                         // the next time of an expression
	OnSlot                         // a slot of the chain
	OnEpoch                        // an epoch of the chain
)

// String is the kind in a word.
func (k TriggerKind) String() string {
	names := [...]string{"account", "immediate", "timestamp", "interval", "cron", "slot", "epoch"}
	if int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("trigger %d", uint8(k))
}

// Trigger defines when a thread is executed. Which fields count depends on Kind.
type Trigger struct {
	Kind TriggerKind
	// OnAccount: which bytes are watched.
	Address Key
	Offset  uint64
	Size    uint64
	// OnTimestamp: unix seconds.
	At int64
	// OnInterval: seconds.
	Every int64
	// OnCron: the expression; see [ParseCron].
	Cron string
	// OnInterval and OnCron: firings that were missed need not be made up for.
	Skippable bool
	// All of time: up to how many seconds are added, by the thread's own hash.
	Jitter uint64
	// OnSlot and OnEpoch: which.
	Number uint64
}

// longestCron bounds expressions; see [ParseCron].
const longestCron = 1024

// trigger reads one. The seed era has no jitter.
func (p Profile) trigger(r *reader) Trigger {
	t := Trigger{Kind: TriggerKind(r.u8("kind of trigger"))}
	switch t.Kind {
	case OnAccount:
		t.Address, t.Offset, t.Size = r.readKey("watched account"), r.u64("offset"), r.u64("size")
		return t
	case Immediate:
	case OnTimestamp:
		t.At = r.i64("time")
	case OnInterval:
		t.Every, t.Skippable = r.i64("seconds"), r.readFlag("skippable")
	case OnCron:
		t.Cron, t.Skippable = r.readText(longestCron, "expression"), r.readFlag("skippable")
	case OnSlot, OnEpoch:
		t.Number = r.u64(t.Kind.String())
		return t
	default:
		r.keepError("a trigger of kind %d is not known", t.Kind)
		return t
	}
	if !p.seed {
		t.Jitter = r.u64("jitter")
	}
	return t
}

// ScheduleKind is what a schedule counts in.
type ScheduleKind uint8

// The kinds of schedules, by their tags on the chain.
const (
	OnChange ScheduleKind = iota // Hash of the watched bytes
	Timed                        // unix seconds
	Block                        // slots or epochs
)

// Schedule is when a thread was executed last, and when it is next.
type Schedule struct {
	Kind ScheduleKind
	Hash uint64 // OnChange: what the bytes hashed to at the last execution
	// Timed and Block.
	Prev int64
	Next int64
}

func readSchedule(r *reader) Schedule {
	s := Schedule{Kind: ScheduleKind(r.u8("kind of schedule"))}
	switch s.Kind {
	case OnChange:
		s.Hash = r.u64("hash")
	case Timed, Block:
		s.Prev, s.Next = r.i64("last execution"), r.i64("next execution")
	default:
		r.keepError("a schedule of kind %d is not known", s.Kind)
	}
	return s
}

// SignalKind is what a fiber asks for by its return data.
type SignalKind uint8

// The signals, by their tags on the chain.
const (
	NoSignal  SignalKind = iota
	Chain                // the next fiber is executed at once
	Close                // the thread is closed
	Repeat               // the same fiber is next
	NextFiber            // the named fiber is next
	Update               // the thread is changed
)

// String is the signal in a word.
func (k SignalKind) String() string {
	names := [...]string{"none", "chain", "close", "repeat", "next", "update"}
	if int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("signal %d", uint8(k))
}

// Signal is what the last fiber has asked for. The program has applied all but [Chain] and [Close] already.
type Signal struct {
	Kind  SignalKind
	Index uint8 // NextFiber
}

func (p Profile) signal(r *reader) Signal {
	s := Signal{Kind: SignalKind(r.u8("signal"))}
	switch s.Kind {
	case NoSignal, Chain, Close, Repeat:
	case NextFiber:
		s.Index = r.u8("next fiber")
	case Update:
		if r.readFlag("paused given") {
			r.readFlag("paused")
		}
		if r.readFlag("trigger given") {
			p.trigger(r)
		}
		if r.readFlag("index given") {
			s.Index = r.u8("index")
		}
	default:
		r.keepError("signal %d is not known", s.Kind)
	}
	return s
}
