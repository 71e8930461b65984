package guard

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

const (
	// StreamBeat is the time between two comments in a stream: they keep what stands
	// between awake, and find out who has gone.
	StreamBeat = 15 * time.Second
	// StreamWrite is how long a reader may take for one event.
	StreamWrite = 30 * time.Second
)

// ErrStopping ends streams when the server stops.
var ErrStopping = errors.New("the server is stopping")

// EventWriter writes server-sent events.
type EventWriter struct {
	control *http.ResponseController

	mu     sync.Mutex // for one event at a time
	to     http.ResponseWriter
	broken bool // a write has failed
}

// NewEventWriter begins a stream of events.
func NewEventWriter(w http.ResponseWriter) *EventWriter {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	return &EventWriter{to: w, control: http.NewResponseController(w)}
}

// Lost reports whether the reader has gone.
func (e *EventWriter) Lost() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.broken
}

// Send writes an event. JSON has no line ends, which would end it.
func (e *EventWriter) Send(name, id string, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("write the event %s: %w", name, err)
	}
	head := "event: " + name + "\n"
	if id != "" {
		head += "id: " + id + "\n"
	}
	return e.Write(head+"data: ", text, "\n\n")
}

// Comment writes what readers ignore.
func (e *EventWriter) Comment(text string) error { return e.Write(": "+text, nil, "\n\n") }

// Write writes to a reader that has a while to take it.
func (e *EventWriter) Write(head string, body []byte, tail string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	_ = e.control.SetWriteDeadline(time.Now().Add(StreamWrite)) // a writer without one has no limit either
	for _, part := range [...][]byte{[]byte(head), body, []byte(tail)} {
		if len(part) == 0 {
			continue
		}
		if _, err := e.to.Write(part); err != nil {
			e.broken = true
			return fmt.Errorf("write to the reader of a log: %w", err)
		}
	}
	if err := e.control.Flush(); err != nil {
		e.broken = true
		return fmt.Errorf("write to the reader of a log: %w", err)
	}
	return nil
}
