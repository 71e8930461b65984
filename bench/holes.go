package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/internal/wire/xxl"
	"github.com/orthd/orth/job"
)

// A black hole is an executor that was well and now takes connections, reads, and
// never answers.

const (
	holes = 20
	// holeJobs fire once a second in the group of each black hole, wellJobs in
	// that of the executor that is well.
	holeJobs = 10
	wellJobs = 500
)

// holesApart puts each black hole into a group of its own.
func holesApart(ctx context.Context, o options) ([]figure, error) {
	return amidHoles(ctx, o, func(i int) string { return fmt.Sprintf("hole-%d", i) })
}

// holesAmong puts them into the group of the executor that is well.
func holesAmong(ctx context.Context, o options) ([]figure, error) {
	return amidHoles(ctx, o, func(int) string { return group })
}

// amidHoles measures how late the runs of an executor are that is well, while
// black holes are called.
func amidHoles(ctx context.Context, o options, groupOf func(i int) string) ([]figure, error) {
	r, err := newRig(o, "holes")
	if err != nil {
		return nil, err
	}
	defer r.end()
	at := time.Now().Add(8 * time.Second).Truncate(time.Second)
	stocks := []stock{{group: group, jobs: wellJobs, first: at, every: time.Second, step: time.Second / wellJobs, parallel: job.MaxConcurrency}}
	for i := range holes {
		if name := groupOf(i); name != group {
			stocks = append(stocks, stock{group: name, jobs: holeJobs, first: at, every: time.Second, step: time.Second / holeJobs, parallel: job.MaxConcurrency})
		}
	}
	if err := r.fill(ctx, stocks...); err != nil {
		return nil, err
	}
	if err := r.startServer(ctx); err != nil {
		return nil, err
	}
	hole := new(hole)
	defer hole.close()
	for i := range holes {
		if err := hole.dig(ctx, r.o.Server, groupOf(i)); err != nil {
			return nil, err
		}
	}
	if err := r.startExecutor(ctx); err != nil {
		return nil, err
	}
	if err := wait(ctx, time.Until(at)); err != nil {
		return nil, err
	}
	hole.silent.Store(true) // the first calls, before any breaker has opened, count
	w, err := r.window(ctx, 2*o.Window)
	if err != nil {
		return nil, err
	}
	late := latenessOf(w.notes)
	return []figure{
		plain("runs of the healthy executor", float64(len(w.notes))/w.to.Sub(w.from).Seconds(), rate),
		atLeast("calls to black holes", float64(hole.calls.Load()), count, holes),
		plain("late p50", late.at(0.50), millis), atMost("late p99", late.at(0.99), millis, 200), plain("late at most", late.at(1), millis),
		plain("server CPU per run", w.serverCPU(), micros),
	}, nil
}

// hole is what all black holes have in common.
type hole struct {
	silent  atomic.Bool
	calls   atomic.Int64 // since then
	servers []*http.Server
}

// dig opens a black hole and registers it.
func (h *hole) dig(ctx context.Context, server, group string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second}
	h.servers = append(h.servers, s)
	go func() { _ = s.Serve(l) }()
	admin, err := xxl.NewAdminClient(xxl.AdminClientConfig{Addresses: []string{"http://" + server}, Token: token})
	if err != nil {
		return err
	}
	defer admin.Close()
	if err := admin.Register(ctx, group, "http://"+l.Addr().String()+"/"); err != nil {
		return fmt.Errorf("register a black hole: %w", err)
	}
	return nil
}

func (h *hole) close() {
	for _, s := range h.servers {
		_ = s.Close()
	}
}

// ServeHTTP says that all is well, until it says nothing.
func (h *hole) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	if !h.silent.Load() {
		_, _ = io.WriteString(w, `{"code":200,"msg":"Success"}`)
		return
	}
	h.calls.Add(1)
	<-r.Context().Done() // the caller has given up
}
