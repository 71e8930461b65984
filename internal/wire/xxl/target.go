package xxl

import (
	"net/url"
	"sync"

	"github.com/orthd/orth/internal/wire/http1"
)

// userAgent is what both clients say they are.
const userAgent = "orth"

// maxTargets bounds how many targets are kept.
const maxTargets = 4096

// target is where requests go.
type target struct {
	url  *url.URL      // never changed
	lean *http1.Target // nil when only net/http can call it
}

// targets keeps what was made of addresses, because each is called many times.
type targets struct {
	fields fields // of every request

	mu    sync.RWMutex
	known map[place]*target // guarded by mu
}

// place is a path below a base URL.
type place struct{ address, path string }

// find returns the target of path below the base URL address. Errors are
// Invalid.
func (t *targets) find(address, path string) (*target, error) {
	t.mu.RLock()
	known := t.known[place{address, path}]
	t.mu.RUnlock()
	if known != nil {
		return known, nil
	}
	u, err := endpoint(address, path)
	if err != nil {
		return nil, err
	}
	made := &target{url: u}
	if lean, ok := http1.NewTarget(u, userAgent, t.fields); ok {
		made.lean = lean
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known == nil || len(t.known) >= maxTargets {
		t.known = make(map[place]*target)
	}
	t.known[place{address, path}] = made
	return made, nil
}
