package thread

import (
	"encoding/binary"
	"math/bits"
)

// siphash13 is SipHash-1-3 with the key zero, by which the programs make jitter and compare watched bytes. It is the
// hash of Rust's standard library (J.-P. Aumasson, D. J. Bernstein: SipHash, 2012, with one and three rounds).
func siphash13(data []byte) uint64 {
	// "somepseudorandomlygeneratedbytes"
	s := sip{0x736f6d6570736575, 0x646f72616e646f6d, 0x6c7967656e657261, 0x7465646279746573}
	length := len(data)
	for ; len(data) >= 8; data = data[8:] {
		s.takeWord(binary.LittleEndian.Uint64(data))
	}
	var last [8]byte
	copy(last[:], data)
	last[7] = byte(length) // the lowest byte of the length
	s.takeWord(binary.LittleEndian.Uint64(last[:]))
	s[2] ^= 0xff
	s.round()
	s.round()
	s.round()
	return s[0] ^ s[1] ^ s[2] ^ s[3]
}

// sip is the state of the hash.
type sip [4]uint64

func (s *sip) takeWord(word uint64) {
	s[3] ^= word
	s.round()
	s[0] ^= word
}

func (s *sip) round() {
	s[0] += s[1]
	s[1] = bits.RotateLeft64(s[1], 13) ^ s[0]
	s[0] = bits.RotateLeft64(s[0], 32)
	s[2] += s[3]
	s[3] = bits.RotateLeft64(s[3], 16) ^ s[2]
	s[0] += s[3]
	s[3] = bits.RotateLeft64(s[3], 21) ^ s[0]
	s[2] += s[1]
	s[1] = bits.RotateLeft64(s[1], 17) ^ s[2]
	s[2] = bits.RotateLeft64(s[2], 32)
}

// JitterOffset is how many seconds a thread is moved by jitter after an execution at prev, in unix seconds: less than jitter.
func JitterOffset(thread Key, prev int64, jitter uint64) uint64 {
	if jitter == 0 {
		return 0
	}
	return siphash13(append(binary.LittleEndian.AppendUint64(nil, uint64(prev)), thread[:]...)) % jitter
}

// Watched is what an account's data hashes to for a trigger; beyond its end there is nothing to watch.
func (t *Trigger) Watched(data []byte) uint64 {
	from := min(t.Offset, uint64(len(data)))
	window := data[from : from+min(t.Size, uint64(len(data))-from)]
	return siphash13(append(binary.LittleEndian.AppendUint64(make([]byte, 0, 8+len(window)), uint64(len(window))), window...))
}
