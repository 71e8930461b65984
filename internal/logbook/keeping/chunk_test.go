package keeping

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
)

func TestChunkHoldsAnyText(t *testing.T) {
	t.Parallel()
	c := newCodec()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text") + strings.Repeat(rapid.String().Draw(t, "part"), rapid.IntRange(0, 50).Draw(t, "times"))
		before := []byte("before")
		data := c.append(before, text)
		if !bytes.HasPrefix(data, []byte("before")) {
			t.Fatal("what was there is gone")
		}
		got, err := c.text(data[len(before):])
		if err != nil || got != text {
			t.Fatalf("got %q and error %v, want %q", got, err, text)
		}
	})
}

func TestChunkIsSmall(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, "2026-11-21 19:%02d:00.000 INFO copied file %d of 2000\n", i%60, i)
	}
	if data := newCodec().append(nil, b.String()); len(data)*5 > b.Len() {
		t.Errorf("%d bytes of a plain log became %d", b.Len(), len(data))
	}
	if data := newCodec().append(nil, "x\n"); len(data) > headSize+2 {
		t.Errorf("a line of one letter became %d bytes", len(data))
	}
}

// TestChunkOfShortTextIsPlain: the processor is not asked to save a few bytes.
func TestChunkOfShortTextIsPlain(t *testing.T) {
	t.Parallel()
	c := newCodec()
	for size, body := range map[int]byte{2: bodyPlain, zstdLeast - 1: bodyPlain, zstdLeast: bodyZstd, 4 * zstdLeast: bodyZstd} {
		text := strings.Repeat("x", size-1) + "\n"
		data := c.append(nil, text)
		if data[3] != body {
			t.Errorf("%d bytes are written in way %d, want %d", size, data[3], body)
		}
		if got, err := c.text(data); err != nil || got != text {
			t.Errorf("%d bytes became %q, %v", size, got, err)
		}
	}
}

// TestChunkTellsDamage: a bit that was flipped anywhere is found.
func TestChunkTellsDamage(t *testing.T) {
	t.Parallel()
	c := newCodec()
	for _, text := range []string{"x\n", strings.Repeat("a plain line\n", 200)} {
		whole := c.append(nil, text)
		for bit := range len(whole) * 8 {
			data := bytes.Clone(whole)
			data[bit/8] ^= 1 << (bit % 8)
			got, err := c.text(data)
			if err == nil && got != text {
				t.Fatalf("bit %d was flipped and nothing said so: %q", bit, got)
			}
			if err != nil && !job.Is(err, job.Unavailable) {
				t.Fatalf("bit %d: %v", bit, err)
			}
		}
		for n := range whole {
			if got, err := c.text(whole[:n]); err == nil && got != text {
				t.Fatalf("%d of %d bytes: %q", n, len(whole), got)
			}
		}
	}
}

func TestChunkLiesAboutItsLength(t *testing.T) {
	t.Parallel()
	c := newCodec()
	data := c.append(nil, strings.Repeat("0", 4*maxRaw)) // no writer makes such a chunk
	if _, err := c.text(data); err == nil {
		t.Error("a text that is too long was unpacked")
	}
	binary.LittleEndian.PutUint32(data[4:], 10)
	if _, err := c.text(data); err == nil {
		t.Error("a text that is longer than it says was unpacked")
	}
}

func FuzzChunk(f *testing.F) {
	c := newCodec()
	f.Add([]byte("ol"))
	f.Add(c.append(nil, "a line\n"))
	f.Add(c.append(nil, strings.Repeat("a line\n", 100)))
	f.Fuzz(func(t *testing.T, data []byte) {
		text, err := c.text(data)
		if len(text) > maxRaw || err != nil && !job.Is(err, job.Unavailable) {
			t.Errorf("%d bytes and error %v", len(text), err)
		}
	})
}

func TestSplitKeepsEveryByte(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.StringMatching(`[a-z]{0,12}`), 1, 40).Draw(t, "lines")
		text := strings.Join(lines, "\n") + "\n"
		limit := rapid.IntRange(1, 40).Draw(t, "limit")
		var all strings.Builder
		count := 0
		for rest := text; rest != ""; {
			part, n := split(rest, limit)
			if n < 1 || !strings.HasSuffix(part, "\n") || len(part) > limit && n > 1 {
				t.Fatalf("part %q of %d lines with limit %d", part, n, limit)
			}
			all.WriteString(part)
			count += n
			rest = rest[len(part):]
		}
		if all.String() != text || count != len(lines) {
			t.Fatalf("got %q in %d lines, want %q in %d", all.String(), count, text, len(lines))
		}
	})
}
