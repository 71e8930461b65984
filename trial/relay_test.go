package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"
)

// TestRelay lets requests through, holds them in each direction, and throws answers away.
func TestRelay(t *testing.T) {
	t.Parallel()
	var served atomic.Int32
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		served.Add(1)
		_, _ = io.WriteString(w, "answer")
	}))
	t.Cleanup(target.Close)
	to := func(target string) *relay {
		r, err := newRelay("127.0.0.1:0", target)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(r.close)
		return r
	}
	ask := func(r *relay, patience time.Duration) error {
		c := http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}
		answer, err := c.Get("http://" + r.address())
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		_, err = io.ReadAll(answer.Body)
		return err
	}
	const enough, short = 10 * time.Second, 200 * time.Millisecond
	for _, c := range []struct {
		name   string
		harm   harm
		served int32
		fails  bool
		wait   time.Duration
	}{
		{"nothing", harm{}, 1, false, enough},
		{"late", harm{delay: 10 * time.Millisecond}, 1, false, enough},
		{"no request", harm{holdUp: true}, 0, true, short},
		{"no answer", harm{holdDown: true}, 1, true, short},
		{"answers lost", harm{loses: 1}, 1, true, enough},
	} {
		r := to(target.Listener.Addr().String())
		r.set(c.harm)
		before := served.Load()
		err := ask(r, c.wait)
		if n := served.Load() - before; n != c.served || (err != nil) != c.fails {
			t.Errorf("%s: %d requests were served, %v", c.name, n, err)
		}
	}
	r := to((&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}).String())
	if err := ask(r, enough); err == nil {
		t.Error("a relay without a target answers")
	}
	r.move(target.Listener.Addr().String())
	if err := ask(r, enough); err != nil {
		t.Errorf("a relay that was moved: %v", err)
	}
}
