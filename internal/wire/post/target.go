package post

import (
	"net/url"
	"sync"

	"github.com/orthd/orth/internal/wire/http1"
)

// userAgent is the User-Agent of all clients.
const userAgent = "orth"

// maxTargets bounds how many targets are kept.
const maxTargets = 4096

// Target is where requests go, and what all of them carry. It never changes.
type Target struct {
	URL  *url.URL      // must not be changed
	head Fields        // of every request
	lean *http1.Target // nil when only net/http can call it
}

// targets keeps what was made of addresses, because each is called many times.
type targets struct {
	mu    sync.RWMutex
	known map[endpoint]*Target // guarded by mu
}

// endpoint is a path below a base URL, and the header lines that go there.
type endpoint struct{ address, path, head string }

// find is what Find of a poster does.
func (t *targets) find(address, path, head string) (*Target, error) {
	t.mu.RLock()
	known := t.known[endpoint{address, path, head}]
	t.mu.RUnlock()
	if known != nil {
		return known, nil
	}
	u, err := Endpoint(address, path)
	if err != nil {
		return nil, err
	}
	made := &Target{URL: u, head: Fields(head)}
	if lean, ok := http1.NewTarget(u, userAgent, made.head); ok {
		made.lean = lean
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known == nil || len(t.known) >= maxTargets {
		t.known = make(map[endpoint]*Target)
	}
	t.known[endpoint{address, path, head}] = made
	return made, nil
}
