package thread

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// The values were made by the hasher of Rust's standard library.
func TestSiphash(t *testing.T) {
	second := binary.LittleEndian.AppendUint64(nil, 1700000000)
	sevens := bytes.Repeat([]byte{7}, 32)
	run := make([]byte, 16)
	for i := range run {
		run[i] = byte(i + 4)
	}
	for _, c := range []struct {
		name string
		data []byte
		want uint64
	}{
		{"a number", second, 7616827737233661547},
		{"a number and a key", append(bytes.Clone(second), sevens...), 10239857887502482357},
		{"a slice", append(binary.LittleEndian.AppendUint64(nil, 16), run...), 11114172904661427811},
		{"an empty slice", make([]byte, 8), 13646096770106105413},
	} {
		if got := siphash13(c.data); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestJitterOffset(t *testing.T) {
	key := Key(bytes.Repeat([]byte{7}, 32))
	if got := JitterOffset(key, 1700000000, 60); got != 10239857887502482357%60 {
		t.Errorf("offset %d, want %d", got, uint64(10239857887502482357%60))
	}
	if got := JitterOffset(key, 1700000000, 0); got != 0 {
		t.Errorf("offset %d without jitter", got)
	}
}

func TestWatched(t *testing.T) {
	data := make([]byte, 20)
	for i := range data {
		data[i] = byte(i)
	}
	for _, c := range []struct {
		name         string
		offset, size uint64
		want         uint64
	}{
		{"inside", 4, 16, 11114172904661427811},
		{"beyond the end", 4, 1000, 11114172904661427811},
		{"nothing", 4, 0, 13646096770106105413},
		{"behind the end", 1 << 63, 1 << 63, 13646096770106105413},
	} {
		trigger := Trigger{Kind: OnAccount, Offset: c.offset, Size: c.size}
		if got := trigger.Watched(data); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
