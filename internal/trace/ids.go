package trace

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"

	otel "go.opentelemetry.io/otel/trace"
)

// maker makes the ids of spans from those of runs and attempts.
type maker struct {
	key []byte
	// below is what the last half of a trace's id, as a number without its last bit,
	// must be below to be traced.
	below uint64
}

func newMaker(key []byte, ratio float64) maker {
	return maker{key: key, below: uint64(min(max(ratio, 0), 1) * (1 << 63))}
}

// runTrace returns the trace of a run, and the span that is the run.
func (m *maker) runTrace(id int64) (otel.TraceID, otel.SpanID) {
	sum := m.hashID("run", id)
	return otel.TraceID(sum[:16]), otel.SpanID(sum[16:24])
}

// attempt returns the span that is an attempt.
func (m *maker) attempt(id int64) otel.SpanID {
	sum := m.hashID("attempt", id)
	return otel.SpanID(sum[:8])
}

// hashID hides the id: who reads traces must not learn the key from them.
func (m *maker) hashID(kind string, id int64) []byte {
	h := hmac.New(sha256.New, m.key)
	text := binary.BigEndian.AppendUint64([]byte(kind), uint64(id))
	_, _ = h.Write(text) // it never returns an error
	return h.Sum(make([]byte, 0, sha256.Size))
}

// traced reports whether the trace is recorded: the rule of OpenTelemetry's own
// sampler by ratio, so that others who follow it decide alike.
func (m *maker) traced(id otel.TraceID) bool {
	return binary.BigEndian.Uint64(id[8:16])>>1 < m.below
}

// given are ids that a span is to have.
type given struct {
	trace otel.TraceID
	span  otel.SpanID
}

type givenKey struct{}

// generator hands out the ids that a context names, and random ones.
type generator struct{}

// NewIDs implements sdk.IDGenerator.
func (g generator) NewIDs(ctx context.Context) (otel.TraceID, otel.SpanID) {
	if ids, ok := ctx.Value(givenKey{}).(given); ok {
		return ids.trace, ids.span
	}
	var id otel.TraceID
	_, _ = rand.Read(id[:]) // it never returns an error
	return id, g.NewSpanID(ctx, id)
}

// NewSpanID implements sdk.IDGenerator.
func (generator) NewSpanID(ctx context.Context, trace otel.TraceID) otel.SpanID {
	if ids, ok := ctx.Value(givenKey{}).(given); ok && ids.trace == trace && ids.span.IsValid() {
		return ids.span
	}
	var id otel.SpanID
	_, _ = rand.Read(id[:]) // it never returns an error
	return id
}
