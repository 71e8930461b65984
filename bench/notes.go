package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// note is one start of a handler.
type note struct {
	Job     int64 `json:"j"`
	Planned int64 `json:"p"` // the run's instant, ms
	At      int64 `json:"a"` // of the start, µs
}

func (n note) late() time.Duration {
	return time.Duration(n.At)*time.Microsecond - time.Duration(n.Planned)*time.Millisecond
}

// notebook keeps the notes of an executor until somebody asks for them.
type notebook struct {
	mu    sync.Mutex
	notes []note // guarded by mu
}

func (b *notebook) add(n note) {
	b.mu.Lock()
	b.notes = append(b.notes, n)
	b.mu.Unlock()
}

// serve answers questions for the notes on a port that it prints.
func (b *notebook) serve() (*http.Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	side := &http.Server{ReadHeaderTimeout: time.Second, Handler: b}
	go func() { _ = side.Serve(l) }()
	fmt.Println(l.Addr())
	return side, nil
}

// ServeHTTP answers with the notes since the last question.
func (b *notebook) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	b.mu.Lock()
	answer := b.notes
	b.notes = nil
	b.mu.Unlock()
	_ = json.NewEncoder(w).Encode(answer) //nolint:errchkjson // Our own parent reads it.
}

// notes fetches, and forgets, what the executor's handler noted. An executor of another make notes
// nothing.
func (r *rig) notes() ([]note, error) {
	if r.side == "" {
		return nil, nil
	}
	resp, err := http.Get("http://" + r.side)
	if err != nil {
		return nil, fmt.Errorf("ask the executor for its notes: %w", err)
	}
	defer resp.Body.Close()
	var notes []note
	err = json.NewDecoder(resp.Body).Decode(&notes)
	return notes, err
}

// lateness is how late handlers were started, sorted.
type lateness []time.Duration

func latenessOf(notes []note) lateness {
	late := make(lateness, len(notes))
	for i, n := range notes {
		late[i] = n.late()
	}
	slices.Sort(late)
	return late
}

// at returns a percentile in ms, 0 when there is none.
func (l lateness) at(p float64) float64 {
	if len(l) == 0 {
		return 0
	}
	return inMillis(l[min(int(p*float64(len(l))), len(l)-1)])
}

// doubled counts the starts that were not the first of their firing.
func doubled(notes []note) float64 {
	type firing struct{ job, planned int64 }
	seen := make(map[firing]struct{}, len(notes))
	for _, n := range notes {
		seen[firing{n.Job, n.Planned}] = struct{}{}
	}
	return float64(len(notes) - len(seen))
}

// first returns the earliest start at or after an instant, and false when there is
// none.
func first(notes []note, since time.Time) (time.Time, bool) {
	var at int64
	for _, n := range notes {
		if n.At >= since.UnixMicro() && (at == 0 || n.At < at) {
			at = n.At
		}
	}
	return time.UnixMicro(at), at != 0
}
