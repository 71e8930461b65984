// Command bench measures the whole path: a server and an executor, a process
// each, on this machine, over the real wire, with SQLite in its durable mode
// and a handler that does nothing.
//
// It knows how to start the two, what to ask of them and how to read the
// machine's own limits in the same minute. It must never be imported. Flags come
// in; a table and its numbers go out.
//
//	go run ./internal/bench
//
// Rates of a shared machine move; CPU per run and the ratios to the
// calibration in the same run move much less.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"text/tabwriter"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	var o options
	role := flag.String("role", "", "for the program's own children: server or executor")
	flag.StringVar(&o.Dir, "dir", "", "folder for the databases (default a temporary one)")
	flag.DurationVar(&o.Window, "window", 10*time.Second, "length of each measurement")
	flag.StringVar(&o.Server, "server", "", "for children: host:port of the server")
	flag.StringVar(&o.Executor, "executor", "", "for children: host:port of the executor")
	flag.IntVar(&o.Jobs, "jobs", 0, "for children: number of jobs")
	flag.DurationVar(&o.Every, "every", 0, "for children: period of each job")
	only := flag.String("only", "", "run only the scenarios whose name has this in it")
	flag.BoolVar(&o.Alone, "alone", false, "for children: do not wait for an executor")
	flag.StringVar(&o.Profile, "profile", "", "write CPU profiles of both processes into this folder")
	connections := flag.String("connections", "1,16,64", "connections of the flood, in turn")
	rounds := flag.Int("rounds", 3, "how often both executors of the flood have their turn")
	flag.Parse()
	o.Rounds = *rounds
	if err := json.Unmarshal([]byte("["+*connections+"]"), &o.Connections); err != nil {
		return fmt.Errorf("connections %q are not numbers with commas between them", *connections)
	}
	switch *role {
	case "":
		return profiled(o, "load", func() error { return parent(ctx, o, *only) })
	case "server":
		return profiled(o, "server", func() error { return serverRole(ctx, o) })
	case "executor":
		return profiled(o, "executor", func() error { return executorRole(ctx, o) })
	}
	return fmt.Errorf("unknown role %q", *role)
}

// options are the flags.
type options struct {
	Dir, Server, Executor, Profile string
	Window, Every                  time.Duration
	Jobs, Rounds                   int
	Connections                    []int
	Alone                          bool
}

// parent runs the calibration and the scenarios and prints the table.
func parent(ctx context.Context, o options, only string) error {
	if o.Dir == "" {
		dir, err := os.MkdirTemp("", "orth-bench-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		o.Dir = dir
	}
	before, err := calibrate(o.Dir)
	if err != nil {
		return err
	}
	fmt.Printf("calibration  %s\n", before)
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(table, "scenario\toffered/s\truns/s\tserver µs/run\texecutor µs/run\tlate p50\tp99\tp99.9\tlost\tof round trips\t")
	for _, s := range scenarios() {
		if !strings.Contains(s.name, only) {
			continue
		}
		r, err := measure(ctx, o, s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		_, _ = fmt.Fprintf(table, "%s\t%d\t%.0f\t%.0f\t%.0f\t%s\t%s\t%s\t%d\t%.2f\t\n", s.name, s.offered(), r.rate,
			r.serverCPU, r.executorCPU, ms(r.late(0.50)), ms(r.late(0.99)), ms(r.late(0.999)), r.lost, r.rate/before.trips16)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if idle := "idle jobs"; strings.Contains(idle, only) {
		perJob, total, err := hold(ctx, o)
		if err != nil {
			return fmt.Errorf("idle jobs: %w", err)
		}
		printHold(perJob, total)
	}
	for _, part := range []struct {
		name string
		run  func(context.Context, options) error
	}{{"flood", floods}, {"idle lanes", lanes}, {"outbox", backlog}} {
		if !strings.Contains(part.name, only) {
			continue
		}
		if err := part.run(ctx, o); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	after, err := calibrate(o.Dir)
	if err != nil {
		return err
	}
	fmt.Printf("calibration  %s\n", after)
	return nil
}

func ms(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000) }

// scenario is a load: jobs that each fire at a fixed rate.
type scenario struct {
	name  string
	jobs  int
	every time.Duration
}

func (s scenario) offered() int { return int(float64(s.jobs) / s.every.Seconds()) }

func scenarios() []scenario {
	return []scenario{
		{"100 a second", 100, time.Second},
		{"1,000 a second", 1000, time.Second},
		{"as fast as it goes", 2500, 100 * time.Millisecond},
	}
}
