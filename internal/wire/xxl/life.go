package xxl

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
	headerIncarnation = "Orth-Incarnation"
	headerStartedAt   = "Orth-Started-At" // milliseconds since 1970
	headerBeat        = "Orth-Beat"       // milliseconds between registrations
	headerLoad        = "Orth-Load"       // tasks that run, and those that wait: "3,7"
	// headerHolding has the ids of the attempts that it holds, ascending: the first as it
	// is, and of each other the difference to the one before. "none" stands for none;
	// without the header they are unknown.
	headerHolding = "Orth-Holding"
)

// holdsNone is the text of headerHolding for no attempts.
const holdsNone = "none"

// maxBeat bounds headerBeat: an hour.
const maxBeat = int64(time.Hour / time.Millisecond)

// maxHoldingText bounds headerHolding, in bytes: some servers read 8 KiB of
// headers.
const maxHoldingText = 3000

// appendLife appends the description of the executor's process.
func appendLife(f post.Fields, l job.Life) post.Fields {
	if l.Incarnation == "" || len(l.Incarnation) > job.MaxIncarnation || strings.ContainsFunc(l.Incarnation, unfit) {
		return f
	}
	f = f.Add(headerIncarnation, l.Incarnation)
	if !l.StartedAt.IsZero() {
		f = f.AddInt(headerStartedAt, l.StartedAt.UnixMilli())
	}
	if l.Every > 0 {
		f = f.AddInt(headerBeat, l.Every.Milliseconds())
	}
	if l.Load != nil {
		f = f.Add(headerLoad, strconv.Itoa(l.Load.Running)+","+strconv.Itoa(l.Load.Waiting))
	}
	if !l.Whole || len(l.Holds) > job.MaxHolds {
		return f
	}
	if text := appendHolding(nil, l.Holds); len(text) <= maxHoldingText {
		f = f.Add(headerHolding, string(text))
	}
	return f
}

// readLife returns the headers' description; it skips what it cannot parse.
func readLife(h http.Header) job.Life {
	values := h[headerIncarnation]
	if len(values) == 0 || values[0] == "" || len(values[0]) > job.MaxIncarnation || strings.ContainsFunc(values[0], unfit) {
		return job.Life{}
	}
	l := job.Life{Incarnation: values[0]}
	if n, ok := headerInteger(h, headerStartedAt, jsontext.MaxMillis); ok {
		l.StartedAt = job.FromMillis(n)
	}
	if n, ok := headerInteger(h, headerBeat, maxBeat); ok {
		l.Every = time.Duration(n) * time.Millisecond
	}
	if values := h[headerLoad]; len(values) > 0 {
		l.Load = parseLoad(values[0])
	}
	if values := h[headerHolding]; len(values) > 0 {
		l.Holds, l.Whole = parseHolding(values[0])
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

// appendHolding appends the text of headerHolding.
func appendHolding(dst []byte, holds []int64) []byte {
	if len(holds) == 0 {
		return append(dst, holdsNone...)
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

// parseHolding returns false for a text that appendHolding would not write: half
// of the attempts would be a verdict over the others.
func parseHolding(text string) ([]int64, bool) {
	if text == holdsNone {
		return nil, true
	}
	if text == "" || len(text) > maxHoldingText {
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
