package main

import (
	"context"
	"errors"
	"time"
)

// restart measures a server that is killed under load and started anew: how long
// it takes until it serves and until its first run reaches a handler.
func restart(ctx context.Context, o options) ([]figure, error) {
	p := offer(demand{1000, time.Second})
	o.Jobs, o.Every = p.jobs, p.every
	r, err := newRig(o, "restart")
	if err != nil {
		return nil, err
	}
	defer r.end()
	if err := r.start(ctx); err != nil {
		return nil, err
	}
	if err := wait(ctx, warmup); err != nil {
		return nil, err
	}
	if _, err := r.notes(); err != nil {
		return nil, err
	}
	w := window{from: time.Now()}
	if err := wait(ctx, o.Window/3); err != nil {
		return nil, err
	}
	again, err := r.again(ctx)
	if err != nil {
		return nil, err
	}
	if err := wait(ctx, o.Window/3); err != nil {
		return nil, err
	}
	w.to = time.Now()
	if err := wait(ctx, 3*time.Second); err != nil { // what was late comes after all
		return nil, err
	}
	after, err := r.notes()
	if err != nil {
		return nil, err
	}
	lost, err := p.lost(ctx, r, w)
	if err != nil {
		return nil, err
	}
	late := latenessOf(after)
	return []figure{
		plain("ready after", again.ready.Seconds(), seconds), atMost("first run after", again.run.Seconds(), seconds, 1),
		plain("late p50 after it", late.at(0.50), millis), plain("late at most after it", late.at(1), millis),
		atMost("lost", lost, count, 0), atMost("started twice", doubled(append(again.notes, after...)), count, 0),
	}, nil
}

// revival is how a server came back, both from the start of its process.
type revival struct {
	ready, run time.Duration
	notes      []note // of all that was seen until then
}

// again kills the server and starts it on the same folder. Its jobs are there
// already, and the executor is not told.
func (r *rig) again(ctx context.Context) (a revival, err error) {
	r.server.kill()
	if err := wait(ctx, 200*time.Millisecond); err != nil { // what the executor has, it starts
		return a, err
	}
	if a.notes, err = r.notes(); err != nil {
		return a, err
	}
	r.o.Jobs, r.o.Alone = 0, true
	from := time.Now()
	if r.server, err = child(ctx, r.o, "server"); err != nil {
		return a, err
	}
	if err := r.healthy(ctx); err != nil {
		return a, err
	}
	a.ready = time.Since(from)
	for time.Since(from) < time.Minute {
		notes, err := r.notes()
		if err != nil {
			return a, err
		}
		a.notes = append(a.notes, notes...)
		if at, ok := first(notes, from); ok {
			a.run = at.Sub(from)
			return a, nil
		}
		if err := wait(ctx, 10*time.Millisecond); err != nil {
			return a, err
		}
	}
	return a, errors.New("no run came within a minute of the start")
}
