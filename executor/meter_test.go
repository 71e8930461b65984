package executor

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/job"
)

// TestHealthy goes through the states of an executor.
func TestHealthy(t *testing.T) {
	t.Parallel()
	c := good()
	c.Listen, c.Data = "127.0.0.1:0", t.TempDir()
	e, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	want := func(state, text string) {
		t.Helper()
		err := e.Healthy()
		if text == "" && err != nil || text != "" && (!job.Is(err, job.Unavailable) || !strings.Contains(err.Error(), text)) {
			t.Errorf("%s: Healthy = %v; want %q", state, err, text)
		}
	}
	want("before Run", "has not begun")
	if samples := e.Samples(t.Context()); len(samples) > 0 {
		t.Errorf("before Run there are samples: %v", samples)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	deadline := time.Now().Add(10 * time.Second)
	for e.Healthy() != nil && time.Now().Before(deadline) {
		<-time.After(time.Millisecond)
	}
	want("while it runs", "")
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("Run = %v", err)
	}
	want("after the stop", "is stopping")
}

// TestMeterHealthy goes through what the rooms report.
func TestMeterHealthy(t *testing.T) {
	t.Parallel()
	m := newMeter()
	want := func(state, text string) {
		t.Helper()
		err := m.healthy()
		if text == "" && err != nil || text != "" && (!job.Is(err, job.Unavailable) || !strings.Contains(err.Error(), text)) {
			t.Errorf("%s: healthy = %v; want %q", state, err, text)
		}
	}
	want("at first", "")
	queue, outbox := m.queue(), m.outbox()
	queue.Failed(errors.New("no space left"))
	want("with a full disk", "the data folder cannot be written: no space left")
	queue.Committed(3, 0)
	want("with space again", "")

	away := errors.New("connection refused")
	outbox.Failed(away, time.Second)
	want("after a failed delivery", "")
	since := m.sendSince.Add(-2 * time.Minute)
	m.sendSince = since
	outbox.Failed(away, time.Second)
	want("after two minutes of them", "no server has taken outcomes since "+since.Format(time.RFC3339)+": connection refused")
	outbox.Sent(1)
	want("after a delivery", "")
	outbox.Failed(away, time.Second)
	want("after a failed delivery again", "")

	m.countBeat(away)
	want("after a failed beat", "")
	m.beatSince = m.beatSince.Add(-2 * time.Minute)
	m.countBeat(away)
	want("after two minutes of them", "no server has taken the registration since "+m.beatSince.Format(time.RFC3339)+": connection refused")
	m.countBeat(nil)
	want("after a beat", "")
}
