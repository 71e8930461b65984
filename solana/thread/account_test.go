package thread

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// account writes an account as the programs lay it out: borsh, little endian.
type account struct{ bytes.Buffer }

func begin(name string) *account {
	a := new(account)
	d := AccountDiscriminator(name)
	a.Write(d[:])
	return a
}

// put writes numbers and flags in their width, texts and bytes with their length, keys as they are.
func (a *account) put(values ...any) *account {
	for _, v := range values {
		switch v := v.(type) {
		case string:
			a.put(uint32(len(v)))
			a.WriteString(v)
		case []byte:
			a.put(uint32(len(v)))
			a.Write(v)
		case Key:
			a.Write(v[:])
		default:
			if err := binary.Write(a, binary.LittleEndian, v); err != nil {
				panic(fmt.Sprintf("%T cannot be written: %v", v, err))
			}
		}
	}
	return a
}

func key(b byte) Key { return Key(bytes.Repeat([]byte{b}, 32)) }

// newestThread is one of the newest program up to its trigger, and from its schedule on.
func newestThread(trigger, signal []any, nonce Key) []byte {
	a := begin("Thread").put(uint8(1), uint8(254), key(1), "demo", "the demo", int64(1_700_000_000))
	a.put(trigger...)
	a.put(uint8(1), int64(1_700_000_000), int64(1_700_000_060)) // timed
	a.put([]byte{0, 2, 7}, uint8(2), uint8(8))
	a.put(signal...)
	a.put(true, uint64(41), key(3), nonce, "last", []byte{})
	return append(a.Bytes(), make([]byte, 500)...) // accounts are larger than what is in them
}

func TestDecodeThread(t *testing.T) {
	whole := Thread{
		Version: 1, Bump: 254, Authority: key(1), ID: []byte("demo"), Name: "the demo", CreatedAt: 1_700_000_000,
		Schedule: Schedule{Kind: Timed, Prev: 1_700_000_000, Next: 1_700_000_060},
		Fibers:   []uint8{0, 2, 7}, Cursor: 2, Paused: true, ExecCount: 41, LastExecutor: key(3),
	}
	none := []any{uint8(0)}
	for _, c := range []struct {
		name            string
		trigger, signal []any
		nonce           Key
		want            func(*Thread)
	}{
		{"account", []any{uint8(0), key(9), uint64(4), uint64(16)}, none, Key{}, func(t *Thread) {
			t.Trigger = Trigger{Kind: OnAccount, Address: key(9), Offset: 4, Size: 16}
		}},
		{"immediate", []any{uint8(1), uint64(5)}, none, Newest().Program, func(t *Thread) { t.Trigger = Trigger{Kind: Immediate, Jitter: 5} }},
		{"timestamp", []any{uint8(2), int64(-7), uint64(0)}, none, key(6), func(t *Thread) {
			t.Trigger, t.Nonce = Trigger{Kind: OnTimestamp, At: -7}, key(6)
		}},
		{"interval", []any{uint8(3), int64(60), true, uint64(9)}, none, Key{}, func(t *Thread) {
			t.Trigger = Trigger{Kind: OnInterval, Every: 60, Skippable: true, Jitter: 9}
		}},
		{"cron", []any{uint8(4), "0 0 * * * *", false, uint64(0)}, none, Key{}, func(t *Thread) {
			t.Trigger = Trigger{Kind: OnCron, Cron: "0 0 * * * *"}
		}},
		{"slot", []any{uint8(5), uint64(77)}, []any{uint8(1)}, Key{}, func(t *Thread) {
			t.Trigger, t.Signal = Trigger{Kind: OnSlot, Number: 77}, Signal{Kind: Chain}
		}},
		{"epoch", []any{uint8(6), uint64(8)}, []any{uint8(4), uint8(7)}, Key{}, func(t *Thread) {
			t.Trigger, t.Signal = Trigger{Kind: OnEpoch, Number: 8}, Signal{Kind: NextFiber, Index: 7}
		}},
		{"updated", []any{uint8(5), uint64(77)}, []any{uint8(5), true, false, true, uint8(1), uint64(0), true, uint8(2)}, Key{}, func(t *Thread) {
			t.Trigger, t.Signal = Trigger{Kind: OnSlot, Number: 77}, Signal{Kind: Update, Index: 2}
		}},
	} {
		want := whole
		c.want(&want)
		got, err := Newest().DecodeThread(newestThread(c.trigger, c.signal, c.nonce))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if diff := cmp.Diff(&want, got); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
		if name := got.Trigger.Kind.String(); name != c.name && c.name != "updated" {
			t.Errorf("a trigger of kind %s is called %s", c.name, name)
		}
	}
}

func TestDecodeSeedThread(t *testing.T) {
	data := begin("Thread").put(uint8(1), uint8(253), key(1), []byte{4}, "old", int64(5), false, []byte{3, 4}, uint8(1), key(6), "last").
		put(uint8(3), int64(60), true, uint8(1), int64(10), int64(70)).Bytes()
	got, err := Seed().DecodeThread(data)
	if err != nil {
		t.Fatal(err)
	}
	want := &Thread{
		Version: 1, Bump: 253, Authority: key(1), ID: []byte{4}, Name: "old", CreatedAt: 5, Fibers: []uint8{3, 4}, Cursor: 1, Nonce: key(6),
		Trigger: Trigger{Kind: OnInterval, Every: 60, Skippable: true}, Schedule: Schedule{Kind: Timed, Prev: 10, Next: 70},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if fiber, found := got.Fiber(Seed()); !found || fiber != 4 {
		t.Errorf("next is fiber %d, %v, want the second, 4", fiber, found)
	}
	got.Cursor = 2
	if fiber, found := got.Fiber(Seed()); found {
		t.Errorf("behind the last fiber is fiber %d", fiber)
	}
}

// Cut anywhere, an account is an error with the position.
func TestDecodeCut(t *testing.T) {
	thread := newestThread([]any{uint8(4), "0 0 * * * *", false, uint64(0)}, []any{uint8(0)}, Key{})
	thread = thread[:len(thread)-500]
	for n := range thread {
		if _, err := Newest().DecodeThread(thread[:n]); !errors.Is(err, ErrFormat) {
			t.Fatalf("a thread of %d of its %d bytes: %v", n, len(thread), err)
		}
	}
	fiber := versionedFiber(memo())
	for n := range fiber {
		if _, err := Newest().DecodeFiber(fiber[:n]); !errors.Is(err, ErrFormat) {
			t.Fatalf("a fiber of %d of its %d bytes: %v", n, len(fiber), err)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	for name, data := range map[string][]byte{
		"another account":             begin("ThreadConfig").put(make([]byte, 200)).Bytes(),
		"a trigger that is not known": newestThread([]any{uint8(7)}, nil, Key{}),
		"a signal that is not known":  newestThread([]any{uint8(5), uint64(1)}, []any{uint8(6)}, Key{}),
		"a flag of 2":                 newestThread([]any{uint8(3), int64(60), uint8(2), uint64(0)}, []any{uint8(0)}, Key{}),
		"a list without end":          begin("Thread").put(uint8(1), uint8(1), key(1), uint32(1<<31)).Bytes(),
		"an id that is too long":      begin("Thread").put(uint8(1), uint8(1), key(1), make([]byte, 33), make([]byte, 900)).Bytes(),
	} {
		if _, err := Newest().DecodeThread(data); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDecodeConfig(t *testing.T) {
	data := begin("ThreadConfig").put(uint64(1), uint8(254), key(2), true, uint64(1000), uint64(9000), uint64(1000), int64(5), int64(295)).Bytes()
	if len(data) != 90 {
		t.Fatalf("a config has %d bytes, the program's has 90", len(data))
	}
	got, err := DecodeConfig(data)
	if err != nil {
		t.Fatal(err)
	}
	want := &Config{Version: 1, Bump: 254, Admin: key(2), Paused: true, Fee: 1000, ExecutorShare: 9000, TeamShare: 1000, Grace: 5, Decay: 295}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := DecodeConfig(data[:89]); !errors.Is(err, ErrFormat) {
		t.Errorf("a config without its last byte: %v", err)
	}
}

// memo is an instruction with two signers, one of them written, and one more account that is written.
func memo() []byte {
	return new(account).put(uint8(1), uint8(1), uint8(1), uint32(1), uint8(3), []byte{0, 2, 1}, "hello", uint32(4), key(10), key(11), key(12), key(13)).Bytes()
}

func versionedFiber(compiled []byte) []byte {
	return begin("FiberVersionedState").put(uint8(1), key(5), compiled, int64(99), uint64(7), uint64(1000), uint32(2), key(20), key(21)).Bytes()
}

func TestDecodeFiber(t *testing.T) {
	compiled := &Compiled{
		ReadSigners: 1, WrittenSigners: 1, Written: 1, Program: 3, Uses: []uint8{0, 2, 1}, Data: []byte("hello"),
		Accounts: []Key{key(10), key(11), key(12), key(13)},
	}
	legacy := func(compiled []byte) []byte {
		return begin("FiberState").put(key(5), compiled, int64(99), uint64(7), uint64(1000)).Bytes()
	}
	seedInstruction := new(account).put(uint8(1), uint8(1), uint8(1), uint32(1), uint8(3), []byte{0, 2, 1}, "hello",
		uint32(1), uint32(2), []byte("a"), []byte("b"), uint32(4), key(10), key(11), key(12), key(13)).Bytes()
	for _, c := range []struct {
		name    string
		profile Profile
		data    []byte
		want    Fiber
	}{
		{"versioned", Newest(), versionedFiber(memo()), Fiber{Thread: key(5), Compiled: compiled, LastExecuted: 99, ExecCount: 7, Priority: 1000, Tables: []Key{key(20), key(21)}}},
		{"legacy", Newest(), legacy(memo()), Fiber{Thread: key(5), Compiled: compiled, LastExecuted: 99, ExecCount: 7, Priority: 1000}},
		{"idle", Newest(), legacy(nil), Fiber{Thread: key(5), LastExecuted: 99, ExecCount: 7, Priority: 1000}},
		{"seed", Seed(), begin("FiberState").put(key(5), uint8(3), seedInstruction, int64(99), uint64(7)).Bytes(), Fiber{Thread: key(5), Compiled: compiled, LastExecuted: 99, ExecCount: 7}},
	} {
		got, err := c.profile.DecodeFiber(c.data)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if diff := cmp.Diff(&c.want, got); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
	second := versionedFiber(memo())
	second[8] = 2
	if _, err := Newest().DecodeFiber(second); !errors.Is(err, ErrFormat) {
		t.Errorf("a version that nobody knows: %v", err)
	}
}

func TestCompiled(t *testing.T) {
	c, err := Newest().DecodeCompiled(memo())
	if err != nil {
		t.Fatal(err)
	}
	for place, want := range []struct{ signer, written bool }{{true, true}, {true, false}, {false, true}, {false, false}} {
		if c.IsSigner(place) != want.signer || c.IsWritten(place) != want.written {
			t.Errorf("account %d: signer %v, written %v, want %v", place, c.IsSigner(place), c.IsWritten(place), want)
		}
	}
	for name, data := range map[string][]byte{
		"more named than there are":    new(account).put(uint8(2), uint8(2), uint8(1), uint32(1), uint8(3), []byte{0}, "", uint32(4), key(1), key(2), key(3), key(4)).Bytes(),
		"a program that is not there":  new(account).put(uint8(0), uint8(0), uint8(0), uint32(1), uint8(1), []byte{0}, "", uint32(1), key(1)).Bytes(),
		"an account that is not there": new(account).put(uint8(0), uint8(0), uint8(0), uint32(1), uint8(0), []byte{1}, "", uint32(1), key(1)).Bytes(),
		"no instruction":               new(account).put(uint8(0), uint8(0), uint8(0), uint32(0), uint32(1), key(1)).Bytes(),
	} {
		if _, err := Newest().DecodeCompiled(data); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(newestThread([]any{uint8(4), "0 0 * * * *", false, uint64(0)}, []any{uint8(0)}, Key{}))
	f.Add(versionedFiber(memo()))
	f.Add(memo())
	f.Fuzz(func(t *testing.T, data []byte) {
		before := hex.EncodeToString(data)
		for _, p := range []Profile{Newest(), Seed()} {
			if thread, err := p.DecodeThread(data); err == nil {
				thread.Due(p, key(1))
				if _, err := thread.Next(key(1), Clock{Unix: 1 << 62}, data); err != nil && !errors.Is(err, ErrCron) {
					t.Fatal(err)
				}
			} else if !errors.Is(err, ErrFormat) {
				t.Fatal(err)
			}
			if _, err := p.DecodeFiber(data); err != nil && !errors.Is(err, ErrFormat) {
				t.Fatal(err)
			}
			if c, err := p.DecodeCompiled(data); err == nil {
				for _, u := range c.Uses {
					_ = c.Accounts[u]
				}
			} else if !errors.Is(err, ErrFormat) {
				t.Fatal(err)
			}
		}
		if hex.EncodeToString(data) != before {
			t.Fatal("decoding has changed the bytes")
		}
	})
}
