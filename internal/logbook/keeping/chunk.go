package keeping

import (
	"encoding/binary"
	"hash/crc32"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/orthd/orth/job"
)

// A chunk is a head and a body: two letters, the version, how the body is
// written, the length of the text and the CRC-32C of the text, both in four
// bytes, the lowest first.
const (
	chunkMagic   = "ol"
	chunkVersion = 1
	bodyPlain    = 0
	bodyZstd     = 1
	headSize     = 12
	// maxRaw bounds the text of a chunk, also that of one which lies about it.
	maxRaw = 1 << 20
	// zstdLeast is the least text that is compressed. A shorter one, such as the log of a
	// silent handler, would save less than 100 bytes, and compressing it costs more
	// processor time than the rest of storing it.
	zstdLeast = 256
)

// castagnoli is the polynomial of CRC-32C, which processors have an instruction
// for.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// codec packs and unpacks the text of chunks. Its methods may be used from many
// goroutines; few of them work at once.
type codec struct {
	encoder *zstd.Encoder
	decoder *zstd.Decoder
	sums    *crc32.Table
}

func newCodec() *codec {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(128<<10), zstd.WithEncoderCRC(false), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // the options are constants
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(maxRaw), zstd.WithDecoderLowmem(true))
	if err != nil {
		panic(err) // the options are constants
	}
	return &codec{encoder: encoder, decoder: decoder, sums: castagnoli()}
}

// append appends a chunk of text to dst.
func (c *codec) append(dst []byte, text string) []byte {
	raw, start := []byte(text), len(dst)
	if len(raw) >= zstdLeast {
		dst = c.encoder.EncodeAll(raw, c.head(dst, bodyZstd, raw))
		if len(dst)-start-headSize < len(raw) {
			return dst
		}
	}
	return append(c.head(dst[:start], bodyPlain, raw), raw...)
}

// head appends the head of a chunk of the text raw.
func (c *codec) head(dst []byte, body byte, raw []byte) []byte {
	dst = append(dst, chunkMagic...)
	dst = append(dst, chunkVersion, body)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(raw)))
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(raw, c.sums))
}

// text returns the text of a chunk. Anything that is not what append made is an
// Unavailable error.
func (c *codec) text(data []byte) (string, error) {
	if len(data) < headSize || string(data[:2]) != chunkMagic {
		return "", job.Errorf(job.Unavailable, "it does not begin as a chunk of a log")
	}
	if data[2] != chunkVersion {
		return "", job.Errorf(job.Unavailable, "it is of version %d, and this server knows version %d", data[2], chunkVersion)
	}
	size := binary.LittleEndian.Uint32(data[4:])
	sum := binary.LittleEndian.Uint32(data[8:])
	if size > maxRaw {
		return "", job.Errorf(job.Unavailable, "its header claims %d bytes of text, and at most %d are possible", size, maxRaw)
	}
	raw := data[headSize:]
	switch data[3] {
	case bodyPlain:
	case bodyZstd:
		var err error
		if raw, err = c.decoder.DecodeAll(raw, make([]byte, 0, size)); err != nil {
			return "", job.Errorf(job.Unavailable, "it cannot be unpacked: %w", err)
		}
	default:
		return "", job.Errorf(job.Unavailable, "it is packed in way %d, which this server does not know", data[3])
	}
	if uint32(len(raw)) != size || crc32.Checksum(raw, c.sums) != sum {
		return "", job.Errorf(job.Unavailable, "its sum is wrong")
	}
	return string(raw), nil
}

// split returns the first whole lines of text that make a chunk: as many as fit
// in limit bytes, and at least one. text is not empty and ends in \n.
func split(text string, limit int) (chunk string, lines int) {
	end := len(text)
	if end > limit {
		end = strings.LastIndexByte(text[:limit], '\n') + 1
		if end == 0 {
			end = strings.IndexByte(text, '\n') + 1
		}
	}
	return text[:end], strings.Count(text[:end], "\n")
}
