package main

import (
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

// relay carries connections between two processes, and does to them what networks do.
// It knows nothing of what it carries.
type relay struct {
	listener net.Listener
	target   string
	mu       sync.Mutex
	does     harm // guarded by mu
	conns    map[net.Conn]bool
	doing    sync.WaitGroup
}

// harm is what a relay does to what it carries. Up is from the caller to the target.
type harm struct {
	holdUp, holdDown bool          // nothing comes through until it is over
	delay            time.Duration // of each piece
	loses            float64       // of so many questions the answer is thrown away, and the connection ends
}

func newRelay(listen, target string) (*relay, error) {
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, err
	}
	r := &relay{listener: l, target: target, conns: make(map[net.Conn]bool)}
	r.doing.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			r.doing.Go(func() { r.carry(c) })
		}
	})
	return r, nil
}

func (r *relay) address() string { return r.listener.Addr().String() }

func (r *relay) set(h harm) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.does = h
}

func (r *relay) harm() harm {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.does
}

func (r *relay) move(target string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.target = target
}

func (r *relay) close() {
	_ = r.listener.Close()
	r.mu.Lock()
	for c := range r.conns {
		_ = c.Close()
	}
	r.mu.Unlock()
	r.doing.Wait()
}

// keep remembers a connection until forget, so that close ends it.
func (r *relay) keep(c net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.conns[c] = true
}

func (r *relay) forget(c net.Conn) {
	_ = c.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.conns, c)
}

func (r *relay) carry(caller net.Conn) {
	r.keep(caller)
	defer r.forget(caller)
	r.mu.Lock()
	target := r.target
	r.mu.Unlock()
	called, err := net.DialTimeout("tcp", target, 5*time.Second)
	if err != nil {
		return
	}
	r.keep(called)
	defer r.forget(called)
	asked := make(chan struct{}, 1) // something went up since something came down
	over := make(chan struct{})
	var both sync.WaitGroup
	both.Go(func() {
		r.pump(called, caller, over, func(h harm) bool { return h.holdUp }, func() bool {
			select {
			case asked <- struct{}{}:
			default:
			}
			return true
		})
		half(called)
	})
	both.Go(func() {
		r.pump(caller, called, over, func(h harm) bool { return h.holdDown }, func() bool {
			select {
			case <-asked:
				return rand.Float64() >= r.harm().loses
			default:
				return true
			}
		})
		close(over)
		half(caller)
		_ = caller.SetReadDeadline(time.Now()) // what the caller still says reaches nobody
	})
	both.Wait()
}

// pump carries pieces until one end is closed, or pass says no.
func (r *relay) pump(to, from net.Conn, over <-chan struct{}, held func(harm) bool, pass func() bool) {
	piece := make([]byte, 32<<10)
	for {
		n, err := from.Read(piece)
		if n > 0 && !pass() {
			return
		}
		if n > 0 {
			if d := r.harm().delay; d > 0 {
				pause(over, d)
			}
			for held(r.harm()) {
				if !pause(over, 20*time.Millisecond) || r.closed(from) {
					return
				}
			}
			if _, err := to.Write(piece[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// closed reports whether close has ended a connection.
func (r *relay) closed(c net.Conn) bool {
	_, err := c.Write(nil)
	return err != nil
}

// half ends one direction of a connection.
func half(c net.Conn) {
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.CloseWrite()
	}
}

// pause waits, and reports whether it waited to the end.
func pause(over <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-over:
		return false
	}
}
