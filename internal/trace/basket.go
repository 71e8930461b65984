package trace

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
)

const (
	// basketSize bounds the spans that wait for the collector, and batchSize those
	// that go at once.
	basketSize = 8192
	batchSize  = 512
	// batchEvery is how long a span waits at most for others.
	batchEvery = time.Second
	// exportTime bounds the delivery of a batch, with the tries again, and lastTime
	// that of all that is left at the end.
	exportTime = 10 * time.Second
	lastTime   = 3 * time.Second
)

// basket holds spans until the collector takes them. It implements
// sdk.SpanProcessor, and never waits.
type basket struct {
	exporter sdk.SpanExporter
	logger   *slog.Logger
	spans    chan sdk.ReadOnlySpan

	sent, dropped, failed atomic.Int64
	away                  bool // used by run only: the last batch was not taken
}

func newBasket(exporter sdk.SpanExporter, logger *slog.Logger) *basket {
	return &basket{exporter: exporter, logger: logger, spans: make(chan sdk.ReadOnlySpan, basketSize)}
}

// OnStart implements sdk.SpanProcessor.
func (b *basket) OnStart(context.Context, sdk.ReadWriteSpan) {}

// OnEnd implements sdk.SpanProcessor.
func (b *basket) OnEnd(s sdk.ReadOnlySpan) {
	select {
	case b.spans <- s:
	default:
		b.dropped.Add(1)
	}
}

// Shutdown implements sdk.SpanProcessor: run ends by its context.
func (b *basket) Shutdown(context.Context) error { return nil }

// ForceFlush implements sdk.SpanProcessor.
func (b *basket) ForceFlush(context.Context) error { return nil }

// sendSpans brings spans to the collector until ctx ends, and what is there then.
func (b *basket) sendSpans(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	batch := make([]sdk.ReadOnlySpan, 0, batchSize)
	for {
		select {
		case s := <-b.spans:
			if len(batch) == 0 {
				timer.Reset(batchEvery)
			}
			if batch = append(batch, s); len(batch) < batchSize {
				continue
			}
		case <-timer.C:
		case <-ctx.Done():
			b.sendLast(context.WithoutCancel(ctx), batch)
			return
		}
		b.export(ctx, batch, exportTime)
		batch = batch[:0]
	}
}

// sendLast brings what is left.
func (b *basket) sendLast(ctx context.Context, batch []sdk.ReadOnlySpan) {
	ctx, cancel := context.WithTimeout(ctx, lastTime)
	defer cancel()
	for {
		select {
		case s := <-b.spans:
			if batch = append(batch, s); len(batch) < batchSize {
				continue
			}
			b.export(ctx, batch, lastTime)
			batch = batch[:0]
		default:
			b.export(ctx, batch, lastTime)
			return
		}
	}
}

// export delivers a batch, or counts it as lost.
func (b *basket) export(ctx context.Context, batch []sdk.ReadOnlySpan, limit time.Duration) {
	if len(batch) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := b.exporter.ExportSpans(ctx, batch)
	count, away := &b.sent, err != nil
	if away {
		count = &b.failed
	}
	count.Add(int64(len(batch)))
	switch {
	case away && !b.away:
		b.logger.Warn("the collector takes no spans; they are dropped until it does", "error", err)
	case !away && b.away:
		b.logger.Info("the collector takes spans again")
	}
	b.away = away
}
