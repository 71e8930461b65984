package http1

import (
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// idle puts a connection into the pool and returns the other end.
func idle(p *pool, where connKey) net.Conn {
	near, far := net.Pipe()
	s := &socket{Conn: near}
	p.putConn(&conn{place: where, socket: s, stream: s})
	return far
}

// size is what the pool has, and whether its timer is wound.
func size(p *pool) (conns, peers int, timed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count, len(p.conns), p.timer != nil
}

// gone reports whether the other end of a connection was closed.
func gone(far net.Conn) bool {
	_ = far.SetReadDeadline(time.Now().Add(time.Millisecond))
	_, err := far.Read(make([]byte, 1))
	return err == io.EOF //nolint:errorlint // a pipe's own
}

// TestAge: an unused connection is closed, and the pool forgets its peer.
func TestAge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &pool{max: 10, perHost: 10, idleFor: time.Minute, conns: make(map[connKey][]*conn)}
		a, b := connKey{address: "a:1"}, connKey{address: "b:1"}
		first := idle(p, a)
		time.Sleep(30 * time.Second)
		second, third := idle(p, a), idle(p, b)
		time.Sleep(31 * time.Second)
		synctest.Wait()
		if n, _, _ := size(p); !gone(first) || gone(second) || gone(third) || n != 2 {
			t.Errorf("after a minute %d are left: %v %v %v", n, gone(first), gone(second), gone(third))
		}
		time.Sleep(31 * time.Second)
		synctest.Wait()
		if n, peers, timed := size(p); !gone(second) || !gone(third) || n != 0 || peers != 0 || timed {
			t.Errorf("after two %d of %d peers are left, timer %v", n, peers, timed)
		}
		if fourth := idle(p, a); gone(fourth) {
			t.Error("nothing is kept after that")
		}
		p.close()
	})
}

// TestTooOld: an old connection is not used although it is not closed yet.
func TestTooOld(t *testing.T) {
	t.Parallel()
	p := &pool{max: 10, perHost: 10, idleFor: time.Hour, conns: make(map[connKey][]*conn)}
	far := idle(p, connKey{})
	if c := p.takeConn(connKey{}, time.Now().Add(time.Hour), time.Time{}); c != nil || !gone(far) {
		t.Error("it was used")
	}
	p.close()
}

func TestEnough(t *testing.T) {
	t.Parallel()
	p := &pool{max: 3, perHost: 2, idleFor: time.Hour, conns: make(map[connKey][]*conn)}
	a, b := connKey{address: "a:1"}, connKey{address: "b:1"}
	kept := []net.Conn{idle(p, a), idle(p, a)}
	if !gone(idle(p, a)) {
		t.Error("three are kept for one peer; want two")
	}
	kept = append(kept, idle(p, b))
	if !gone(idle(p, b)) {
		t.Error("four are kept; want three")
	}
	for _, far := range kept {
		if gone(far) {
			t.Error("one of the first three is closed")
		}
	}
	p.close()
	p.close()
	for _, far := range append(kept, idle(p, a)) {
		if !gone(far) {
			t.Error("one is kept after the end")
		}
	}
	if p.pop(a) != nil {
		t.Error("the closed pool has a connection")
	}
}
