package keeping

import (
	"strings"
	"testing"
)

// BenchmarkChunk packs the log of a silent handler, which has the executor's lines only,
// that of one which writes a little more, and a whole chunk.
func BenchmarkChunk(b *testing.B) {
	const (
		silent = "2026-11-23 04:30:00.123 <br>----------- orth job execute start -----------<br>----------- Param:\n" +
			"2026-11-23 04:30:00.124 <br>----------- orth job execute end(finish) -----------<br>----------- Result: succeeded, message: \n"
		line = "2026-11-23 04:30:00.123 order 4711 of customer 0815 was sent to the warehouse in Rotterdam\n"
	)
	for _, c := range []struct{ name, text string }{
		{"silent", silent}, {"3 lines more", silent + strings.Repeat(line, 3)}, {"full", strings.Repeat(line, chunkText/len(line))},
	} {
		b.Run(c.name, func(b *testing.B) {
			codec, dst := newCodec(), []byte(nil)
			b.ReportAllocs()
			for b.Loop() {
				dst = codec.append(dst[:0], c.text)
			}
			b.ReportMetric(float64(len(c.text)), "raw")
			b.ReportMetric(float64(len(dst)), "packed")
		})
	}
}
