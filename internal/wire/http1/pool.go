package http1

import (
	"sync"
	"time"
)

// pool keeps unused connections. The last that was used is the next to be used, so that
// surplus ones grow old.
type pool struct {
	max, perHost int
	idleFor      time.Duration

	mu     sync.Mutex
	conns  map[connKey][]*conn // guarded by mu; the oldest first
	count  int                 // guarded by mu: how many are in conns
	timer  *time.Timer         // guarded by mu; nil when conns is empty
	closed bool                // guarded by mu
}

// takeConn returns a connection that can carry a request until the deadline, or nil.
func (p *pool) takeConn(where connKey, now, deadline time.Time) *conn {
	for {
		c := p.pop(where)
		if c == nil || now.Sub(c.since) < p.idleFor && c.ready(deadline) {
			return c
		}
		c.closeNow()
	}
}

func (p *pool) pop(where connKey) *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := p.conns[where]
	if len(kept) == 0 {
		return nil
	}
	last := len(kept) - 1
	c := kept[last]
	kept[last] = nil
	p.conns[where] = kept[:last]
	p.count--
	return c
}

// putConn keeps the connection, or closes it when there are enough.
func (p *pool) putConn(c *conn) {
	c.since = time.Now()
	if !p.push(c) {
		c.close()
	}
}

func (p *pool) push(c *conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := p.conns[c.place]
	if p.closed || p.count >= p.max || len(kept) >= p.perHost {
		return false
	}
	p.conns[c.place] = append(kept, c)
	p.count++
	if p.timer == nil {
		p.timer = time.AfterFunc(p.idleFor, p.sweep)
	}
	return true
}

// sweep closes what has been idle for too long, and forgets peers without a
// connection. It runs as long as there is any.
func (p *pool) sweep() {
	for _, c := range p.takeExpired(time.Now()) {
		c.close()
	}
}

// takeExpired takes out what is too old, and winds the timer again.
func (p *pool) takeExpired(now time.Time) (old []*conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	next := p.idleFor
	for where, kept := range p.conns {
		n := 0
		for n < len(kept) && now.Sub(kept[n].since) >= p.idleFor {
			n++
		}
		old = append(old, kept[:n]...)
		if kept = kept[n:]; len(kept) == 0 {
			delete(p.conns, where)
			continue
		}
		p.conns[where] = kept
		next = min(next, p.idleFor-now.Sub(kept[0].since))
	}
	p.count -= len(old)
	if len(p.conns) == 0 {
		p.timer = nil
		return old
	}
	p.timer.Reset(max(next, p.idleFor/64)) // many that age one by one go together
	return old
}

func (p *pool) close() {
	p.mu.Lock()
	all := p.conns
	p.conns, p.count, p.closed = nil, 0, true
	if p.timer != nil {
		p.timer.Stop()
	}
	p.mu.Unlock()
	for _, kept := range all {
		for _, c := range kept {
			c.close()
		}
	}
}
