package dialect

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/internal/wire/jsontext"
	"github.com/orthd/orth/internal/wire/post"
	"github.com/orthd/orth/job"
)

// The headers of a registration that describe an executor's process. The names are in Go's
// canonical form.
const (
	HeaderIncarnation = "Orth-Incarnation"
	headerStartedAt   = "Orth-Started-At" // milliseconds since 1970
	headerBeat        = "Orth-Beat"       // milliseconds between registrations
	HeaderLoad        = "Orth-Load"       // tasks that run, and those that wait: "3,7"
	// HeaderHolding has the ids of the attempts that it holds, ascending: the first as it
	// is, and of each other the difference to the one before. "none" stands for none;
	// without the header they are unknown.
	HeaderHolding = "Orth-Holding"
)

// HoldsNone is the text of HeaderHolding for no attempts.
const HoldsNone = "none"

// maxBeat bounds headerBeat: an hour.
const maxBeat = int64(time.Hour / time.Millisecond)

// MaxHoldingText bounds HeaderHolding, in bytes: some servers read 8 KiB of
// headers.
const MaxHoldingText = 3000

// AppendLife appends the description of the executor's process.
func AppendLife(f post.Fields, l job.Life) post.Fields {
	if l.Incarnation == "" || len(l.Incarnation) > job.MaxIncarnation || strings.ContainsFunc(l.Incarnation, unfit) {
		return f
	}
	f = f.Add(HeaderIncarnation, l.Incarnation)
	if !l.StartedAt.IsZero() {
		f = f.AddInt(headerStartedAt, l.StartedAt.UnixMilli())
	}
	if l.Every > 0 {
		f = f.AddInt(headerBeat, l.Every.Milliseconds())
	}
	if l.Load != nil {
		f = f.Add(HeaderLoad, strconv.Itoa(l.Load.Running)+","+strconv.Itoa(l.Load.Waiting))
	}
	if !l.Whole || len(l.Holds) > job.MaxHolds {
		return f
	}
	if text := AppendHolding(nil, l.Holds); len(text) <= MaxHoldingText {
		f = f.Add(HeaderHolding, string(text))
	}
	return f
}

// ReadLife returns the headers' description; it skips what it cannot parse.
func ReadLife(h http.Header) job.Life {
	values := h[HeaderIncarnation]
	if len(values) == 0 || values[0] == "" || len(values[0]) > job.MaxIncarnation || strings.ContainsFunc(values[0], unfit) {
		return job.Life{}
	}
	l := job.Life{Incarnation: values[0]}
	if n, ok := HeaderInteger(h, headerStartedAt, jsontext.MaxMillis); ok {
		l.StartedAt = job.FromMillis(n)
	}
	if n, ok := HeaderInteger(h, headerBeat, maxBeat); ok {
		l.Every = time.Duration(n) * time.Millisecond
	}
	if values := h[HeaderLoad]; len(values) > 0 {
		l.Load = parseLoad(values[0])
	}
	if values := h[HeaderHolding]; len(values) > 0 {
		l.Holds, l.Whole = ParseHolding(values[0])
	}
	return l
}

func parseLoad(text string) *job.Load {
	running, waiting, ok := strings.Cut(text, ",")
	r, err := strconv.ParseInt(running, 10, 32)
	w, other := strconv.ParseInt(waiting, 10, 32)
	if !ok || err != nil || other != nil || r < 0 || w < 0 {
		return nil
	}
	return &job.Load{Running: int(r), Waiting: int(w)}
}

// AppendHolding appends the text of HeaderHolding.
func AppendHolding(dst []byte, holds []int64) []byte {
	if len(holds) == 0 {
		return append(dst, HoldsNone...)
	}
	sorted := slices.Compact(slices.Sorted(slices.Values(holds)))
	last := int64(0)
	for i, id := range sorted {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(dst, id-last, 10)
		last = id
	}
	return dst
}

// ParseHolding returns false for a text that AppendHolding would not write: half
// of the attempts would be a verdict over the others.
func ParseHolding(text string) ([]int64, bool) {
	if text == HoldsNone {
		return nil, true
	}
	if text == "" || len(text) > MaxHoldingText {
		return nil, false
	}
	var holds []int64
	last := int64(0)
	for word := range strings.SplitSeq(text, ",") {
		more, err := strconv.ParseInt(word, 10, 64)
		if err != nil || more <= 0 || last+more < last || len(holds) == job.MaxHolds {
			return nil, false
		}
		last += more
		holds = append(holds, last)
	}
	return holds, true
}
