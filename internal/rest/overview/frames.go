package overview

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/orthd/orth/internal/queries"
)

// maxFrames bounds the summaries whose text is kept.
const maxFrames = 64

// frames are encoded summaries for streams, so that each is encoded once for all readers of
// the same one. Their key is the whole content: a reader gets one only after its own query,
// within its own visibility, returned these figures. The zero value is empty.
type frames struct {
	mu   sync.Mutex
	text map[queries.Summary][]byte // guarded by mu
	made int                        // guarded by mu: how many were written down
}

// of returns a summary as an event. The caller must not change it.
func (f *frames) of(s *queries.Summary) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if text := f.text[*s]; text != nil {
		return text, nil
	}
	data, err := json.Marshal(summary(s))
	if err != nil {
		return nil, fmt.Errorf("write a summary: %w", err)
	}
	if f.text == nil || len(f.text) >= maxFrames { // summaries of the past have no further readers
		f.text = make(map[queries.Summary][]byte)
	}
	text := append(append([]byte("event: summary\ndata: "), data...), "\n\n"...)
	f.text[*s] = text
	f.made++
	return text, nil
}
