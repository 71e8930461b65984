package trace

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	wire "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

const (
	// firstPause and maxPause are how long a batch that may be sent again waits.
	firstPause = 500 * time.Millisecond
	maxPause   = 2 * time.Second
	// maxReply bounds what is read of an answer, in bytes, and maxQuote what an error
	// repeats of it.
	maxReply = 64 << 10
	maxQuote = 200

	mediaProtobuf = "application/x-protobuf"
)

// sender sends spans by OTLP over HTTP. It is an otlptrace.Client: the library's own,
// otlptracehttp, links gRPC and its gateway.
type sender struct {
	to     *target
	client *http.Client
	pause  time.Duration // before a batch is sent again
}

func newSender(to *target) *sender {
	return &sender{to: to, pause: firstPause, client: &http.Client{
		Timeout: to.timeout,
		Transport: &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			DialContext:         (&net.Dialer{Timeout: exportTime}).DialContext,
			TLSClientConfig:     to.tls,
			TLSHandshakeTimeout: exportTime,
			ForceAttemptHTTP2:   true,
			IdleConnTimeout:     90 * time.Second,
		},
	}}
}

// Start implements otlptrace.Client.
func (s *sender) Start(context.Context) error { return nil }

// Stop implements otlptrace.Client.
func (s *sender) Stop(context.Context) error {
	s.client.CloseIdleConnections()
	return nil
}

// UploadTraces sends a batch, and again while the collector asks for it and ctx has
// time left.
func (s *sender) UploadTraces(ctx context.Context, spans []*wire.ResourceSpans) error {
	// TracesData has the one field of the request, ExportTraceServiceRequest, whose
	// package links gRPC.
	body, err := proto.Marshal(&wire.TracesData{ResourceSpans: spans})
	if err != nil {
		return fmt.Errorf("encode spans: %w", err)
	}
	if s.to.compressed {
		body = zipped(body)
	}
	for pause := s.pause; ; pause = min(2*pause, maxPause) {
		err := s.postOnce(ctx, body)
		later, again := errors.AsType[*laterError](err)
		if !again {
			return err
		}
		wait := max(later.after, pause/2+rand.N(pause))
		if until, bound := ctx.Deadline(); bound && time.Until(until) < wait {
			return err
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return err
		}
	}
}

// laterError is one after which the same batch may be sent again, after a time.
type laterError struct {
	after time.Duration
	err   error
}

// Error implements error.
func (e *laterError) Error() string { return e.err.Error() }

// Unwrap returns what went wrong.
func (e *laterError) Unwrap() error { return e.err }

// postOnce sends a body once.
func (s *sender) postOnce(ctx context.Context, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.to.url, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("send spans: %w", err)
	}
	for name, value := range s.to.headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", mediaProtobuf)
	if s.to.compressed {
		req.Header.Set("Content-Encoding", "gzip")
	}
	res, err := s.client.Do(req)
	if err != nil {
		err = fmt.Errorf("send spans: %w", err)
		if failed, is := errors.AsType[*url.Error](err); is && failed.Timeout() {
			return &laterError{err: err}
		}
		return err
	}
	defer res.Body.Close()
	reply, err := io.ReadAll(io.LimitReader(res.Body, maxReply))
	switch {
	case res.StatusCode >= 200 && res.StatusCode <= 299:
		if err == nil && res.Header.Get("Content-Type") == mediaProtobuf {
			err = refusedSpans(reply)
		}
		return err
	case res.StatusCode == http.StatusTooManyRequests, res.StatusCode == http.StatusBadGateway,
		res.StatusCode == http.StatusServiceUnavailable, res.StatusCode == http.StatusGatewayTimeout:
		return &laterError{retryAfter(res.Header), refusedBatch(res.Status, reply)}
	default:
		return refusedBatch(res.Status, reply)
	}
}

// refusedBatch is the error of an answer that is not a success.
func refusedBatch(status string, reply []byte) error {
	text := strings.ToValidUTF8(strings.TrimSpace(string(reply[:min(len(reply), maxQuote)])), "")
	return fmt.Errorf("send spans: the collector answers %s: %q", status, text)
}

// refusedSpans returns what a successful answer, an ExportTraceServiceResponse, says
// against spans: its field 1 has a number of them in field 1 and a text in field 2.
func refusedSpans(reply []byte) error {
	var count uint64
	var text string
	fields(reply, func(number protowire.Number, _ uint64, partial []byte) {
		if number == 1 {
			fields(partial, func(number protowire.Number, n uint64, b []byte) {
				switch number { //nolint:exhaustive // The message has no other fields.
				case 1:
					count = n
				case 2:
					text = string(b)
				}
			})
		}
	})
	if count == 0 && text == "" {
		return nil
	}
	return fmt.Errorf("the collector has refused %d spans: %s", count, text)
}

// fields calls f with each field of a message: with its number or its bytes. It ends
// where the message is broken.
func fields(b []byte, f func(number protowire.Number, n uint64, b []byte)) {
	for len(b) > 0 {
		number, kind, size := protowire.ConsumeTag(b)
		if size < 0 {
			return
		}
		b = b[size:]
		size = protowire.ConsumeFieldValue(number, kind, b)
		if size < 0 {
			return
		}
		switch kind {
		case protowire.VarintType:
			n, _ := protowire.ConsumeVarint(b)
			f(number, n, nil)
		case protowire.BytesType:
			inner, _ := protowire.ConsumeBytes(b)
			f(number, 0, inner)
		default:
		}
		b = b[size:]
	}
}

// retryAfter returns how long a collector wants to be left alone.
func retryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return time.Until(at)
	}
	return 0
}

func zipped(body []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(body) // a buffer takes everything
	_ = w.Close()
	return out.Bytes()
}
