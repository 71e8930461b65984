package tpu

import (
	"net/netip"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/solana/rpc"
)

func TestSlots(t *testing.T) {
	start := time.Unix(1000, 0)
	for _, c := range []struct {
		name  string
		told  []uint64 // one each 400 ms
		after time.Duration
		want  uint64
	}{
		{"one", []uint64{100}, 0, 100},
		{"time goes on", []uint64{100}, 4 * time.Second, 110},
		{"one after the other", []uint64{100, 101, 102}, 400 * time.Millisecond, 103},
		{"a source that is behind", []uint64{100, 60, 102}, 0, 102},
		{"a source that lies", []uint64{100, 101, 5000, 103, 104}, 0, 104},
		{"a little ahead", []uint64{100, 101, 110}, 0, 110},
		{"the chain was quicker", []uint64{100, 120, 140, 160, 180}, 0, 180},
	} {
		var s slots
		at := start
		for i, slot := range c.told {
			at = start.Add(time.Duration(i) * slotTime)
			s.noteSlot(slot, at)
		}
		if got, known := s.slotAt(at.Add(c.after)); got != c.want || !known {
			t.Errorf("%s: %d, %v, want %d", c.name, got, known, c.want)
		}
	}
	var s slots
	if _, known := s.slotAt(start); known || s.fresh(start) {
		t.Error("a slot is known that nobody told")
	}
	for i := range uint64(100) {
		s.noteSlot(i, start)
	}
	if len(s.told) != mostTold || !s.fresh(start) || s.fresh(start.Add(slotsEvery)) {
		t.Errorf("%d slots are kept", len(s.told))
	}
}

func TestLeadersNext(t *testing.T) {
	a, b, c := solana.PublicKey{1}, solana.PublicKey{2}, solana.PublicKey{3}
	l := leaders{first: 100, who: []solana.PublicKey{a, a, a, a, b, b, b, b, c, c, c, c, a, a, a, a}, where: map[solana.PublicKey]netip.AddrPort{
		a: netip.MustParseAddrPort("10.0.0.1:8009"), c: netip.MustParseAddrPort("10.0.0.3:8009"),
	}}
	for _, x := range []struct {
		slot  uint64
		count int
		want  []solana.PublicKey
	}{{100, 4, []solana.PublicKey{a, c}}, {103, 1, []solana.PublicKey{a}}, {104, 4, []solana.PublicKey{c, a}}, {112, 4, []solana.PublicKey{a}}, {116, 4, nil}, {99, 4, nil}} {
		got := l.nextLeaders(x.slot, x.count)
		if len(got) != len(x.want) {
			t.Errorf("from %d on: %v, want %v", x.slot, got, x.want)
			continue
		}
		for i := range got {
			if got[i].key != x.want[i] {
				t.Errorf("from %d on: %v, want %v", x.slot, got, x.want)
			}
		}
	}
}

func TestAddress(t *testing.T) {
	for _, c := range []struct {
		node rpc.Node
		want string
	}{
		{rpc.Node{TPU: "10.0.0.1:8003", TPUQUIC: "10.0.0.1:8109"}, "10.0.0.1:8109"},
		{rpc.Node{TPU: "10.0.0.1:8003"}, "10.0.0.1:8009"},
		{rpc.Node{TPU: "[::1]:8003"}, "[::1]:8009"},
		{rpc.Node{TPUQUIC: "10.0.0.1:0"}, ""},
		{rpc.Node{TPU: "10.0.0.1:65530"}, ""},
		{rpc.Node{TPU: "host:8003"}, ""},
		{rpc.Node{TPU: "10.0.0.1"}, ""},
		{rpc.Node{}, ""},
	} {
		got, ok := address(c.node)
		if ok != (c.want != "") || ok && got.String() != c.want {
			t.Errorf("%+v listens at %v, %v, want %s", c.node, got, ok, c.want)
		}
	}
}
