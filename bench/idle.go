package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/orthd/orth/job"
)

// heldLanes is the number of idle jobs whose memory is measured on an executor.
const heldLanes = 100_000

// lanes measures what a job costs an executor that has run it and waits for its
// next task.
func lanes(ctx context.Context, o options) ([]figure, error) {
	x, err := openBench(ctx, o)
	if err != nil {
		return nil, err
	}
	defer x.close()
	before := x.worker.memory()
	load := newLoad(x.o.Executor)
	load.jobs = heldLanes
	if err := load.count(ctx, 64, heldLanes); err != nil {
		return nil, err
	}
	if err := x.sink.await(ctx, heldLanes); err != nil {
		return nil, err
	}
	after := x.worker.memory()
	return []figure{
		plain("resident memory of each lane", float64((after-before)/heldLanes), bytesOf),
		atMost("resident memory of 100,000", float64(after)/(1<<20), mebi, 500),
	}, nil
}

// held is the outcomes that wait for a server.
const heldOutcomes = 900_000

// backlog measures an executor whose server is away: its memory while outcomes
// gather, and how fast they leave when the server is back.
func backlog(ctx context.Context, o options) ([]figure, error) {
	x, err := openBench(ctx, o)
	if err != nil {
		return nil, err
	}
	defer x.close()
	x.sink.away.Store(true)
	load := newLoad(x.o.Executor)
	load.jobs = floodJobs
	memory := make([]float64, 0, 9)
	for n := int64(0); n < heldOutcomes; n += heldOutcomes / 9 {
		if err := load.count(ctx, 64, heldOutcomes/9); err != nil {
			return nil, err
		}
		memory = append(memory, float64(x.worker.memory())/(1<<20))
	}
	x.sink.away.Store(false)
	if err := x.sink.await(ctx, 1); err != nil {
		return nil, err
	}
	from := time.Now()
	if err := x.sink.await(ctx, heldOutcomes); err != nil {
		return nil, err
	}
	return []figure{
		plain("resident memory at 100,000 outcomes", memory[0], mebi), plain("at 900,000", memory[len(memory)-1], mebi),
		atLeast("delivered with the server back", heldOutcomes/time.Since(from).Seconds(), rate, 3000),
	}, nil
}

// bench is our executor in a process of its own, and a server that counts.
type bench struct {
	o      options
	sink   *sink
	worker *worker
}

func openBench(ctx context.Context, o options) (x *bench, err error) {
	x = &bench{o: o}
	if x.sink, err = openSink(); err != nil {
		return nil, err
	}
	if x.o.Dir, err = os.MkdirTemp(o.Dir, "executor-"); err != nil {
		return nil, err
	}
	x.o.Server = x.sink.address
	if x.o.Executor, err = freeAddress(); err != nil {
		return nil, err
	}
	if x.worker, err = child(ctx, x.o, "executor"); err != nil {
		return nil, err
	}
	return x, x.sink.registered(ctx)
}

func (x *bench) close() {
	x.worker.end()
	x.sink.close()
}

// errAway is the answer of a sink that takes nothing.
var errAway = job.Errorf(job.Unavailable, "the benchmark takes no outcomes now")

// await waits until so many outcomes have come.
func (s *sink) await(ctx context.Context, n int64) error {
	patience, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	for s.outcomes.Load() < n {
		if err := wait(patience, 5*time.Millisecond); err != nil {
			return errors.Join(fmt.Errorf("%d of %d outcomes came", s.outcomes.Load(), n), err)
		}
	}
	return nil
}
