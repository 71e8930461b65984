// Command bench measures the whole path: a server and an executor, a process
// each, on this machine, over the real wire, with SQLite in its durable mode
// and a handler that does nothing.
//
// It knows how to start the two, what to ask of them and how to read the
// machine's own limits in the same minute. It must never be imported. Flags come
// in; a table and its numbers go out.
//
//	go run ./bench                     everything
//	go run ./bench -only herd,restart  the scenarios with these in their names
//	go run ./bench -list               their names
//	go run ./bench -only databases -db postgres://…/postgres (or mysql://…/mysql)
//	                                            SQLite beside databases that it makes there
//	go run ./bench -only table         what a run costs, as a multiple of the floor (floor.go)
//	go run ./bench -only table -gate   fails when a multiple is worse than recorded; -update records
//
// Rates of a shared machine move; CPU per run and the ratios to the
// calibration in the same run move much less.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/internal/timerslack"
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
	role := flag.String("role", "", "for the program's own children: server, executor, planner, floor-server, floor-executor or rows")
	flag.StringVar(&o.Dir, "dir", "", "folder for the databases (default a temporary one)")
	flag.DurationVar(&o.Window, "window", 10*time.Second, "length of each measurement")
	flag.StringVar(&o.Server, "server", "", "for children: host:port of the server")
	flag.StringVar(&o.Executor, "executor", "", "for children: host:port of the executor")
	flag.IntVar(&o.Jobs, "jobs", 0, "for children: number of jobs to make")
	flag.DurationVar(&o.Every, "every", 0, "for children: period of each job")
	flag.StringVar(&o.Dialect, "dialect", "", "for children: how server and executor speak with each other")
	flag.StringVar(&o.Database, "db", "", "address of a PostgreSQL, MySQL or MariaDB server where databases may be made, for the scenarios databases and table (default SQLite alone)")
	flag.StringVar(&o.Peer, "peer", "", "command that measures another system on -db beside Orth, such as the one that compare -queue names")
	setups := flag.String("setups", "", "of the scenarios databases and table, run only the setups or rows whose name matches this regular expression")
	flag.BoolVar(&o.Shared, "shared", false, "for children: use the database of ORTH_BENCH_DB")
	only := flag.String("only", "", "run only the scenario of this name, or those whose name has one of these in it; commas between them")
	list := flag.Bool("list", false, "print the names of the scenarios")
	flag.BoolVar(&o.Alone, "alone", false, "for children: do not wait for an executor")
	flag.StringVar(&o.Profile, "profile", "", "write CPU profiles of the measured windows into this folder")
	connections := flag.String("connections", "1,16,64", "connections of the flood, in turn")
	rounds := flag.Int("rounds", 3, "how often everything that is compared has its turn; at least five for -gate and -update")
	flag.BoolVar(&o.Gate, "gate", false, "of the scenario table, fail when a ratio to the floor is worse than the one in "+ratiosFile)
	flag.BoolVar(&o.Update, "update", false, "of the scenario table, write "+ratiosFile+" anew")
	flag.Parse()
	o.Rounds = max(*rounds, 1)
	if o.Gate || o.Update {
		o.Rounds = max(o.Rounds, gateRounds)
	}
	var err error
	if o.Setups, err = regexp.Compile(*setups); err != nil {
		return fmt.Errorf("setups: %w", err)
	}
	if err := json.Unmarshal([]byte("["+*connections+"]"), &o.Connections); err != nil {
		return fmt.Errorf("connections %q are not numbers with commas between them", *connections)
	}
	if *list {
		for _, s := range scenarios() {
			fmt.Println(s.name)
		}
		return nil
	}
	switch *role {
	case "":
		return parent(ctx, o, *only)
	case "server":
		timerslack.Coarsen() // as the commands do
		return serverRole(ctx, o)
	case "executor":
		timerslack.Coarsen()
		return executorRole(ctx, o)
	case "planner":
		return plannerRole(ctx, o)
	case "floor-server":
		timerslack.Coarsen()
		return floorServer(ctx, o)
	case "floor-executor":
		timerslack.Coarsen()
		return floorExecutor(ctx, o)
	case "rows":
		return rowsRole(ctx, o)
	}
	return fmt.Errorf("unknown role %q", *role)
}

// options are the flags.
type options struct {
	Dir, Server, Executor, Profile string
	Dialect                        string
	Database, Peer                 string
	Setups                         *regexp.Regexp
	// Shared says that the server uses the database that ORTH_BENCH_DB names.
	Shared        bool
	Window, Every time.Duration
	Jobs, Rounds  int
	Connections   []int
	Alone         bool
	Gate, Update  bool
	// Last is where a scenario writes what is printed after everything else.
	Last io.Writer
}

// scenario is a part of the benchmark.
type scenario struct {
	name string
	run  func(context.Context, options) ([]figure, error)
}

func scenarios() []scenario {
	return []scenario{
		{"100 a second", offer(demand{100, time.Second}).run},
		{"100 a second, natively", offer(demand{100, time.Second}).natively().run},
		{"200 a second, natively", offer(demand{200, time.Second}).natively().within(120).run},
		{"1,000 a second", target(demand{1000, time.Second}, 1, 10).run},
		{"late-10k", target(demand{10_000, time.Second}, 0, 50).run},
		{"as fast as it goes", offer(demand{2500, 100 * time.Millisecond}).run},
		{"1,000 a second, natively", target(demand{1000, time.Second}, 1, 10).natively().run},
		{"as fast as it goes, natively", offer(demand{2500, 100 * time.Millisecond}).natively().run},
		{"overload", overload},
		{"databases", databases},
		{"herd", herd},
		{"restart", restart},
		{"black-holes, groups of their own", holesApart},
		{"black-holes, in the same group", holesAmong},
		{"callbacks", callbacks},
		{"doors", doors},
		{"million", million},
		{"consoles, 10 runs a second", consoles(demand{10, time.Second})},
		{"consoles, 100 runs a second", consoles(demand{100, time.Second})},
		{"idle jobs", hold},
		{"flood", floods},
		{"idle lanes", lanes},
		{"outbox", backlog},
		{"table", costs},
	}
}

// chosen returns the scenario of a name, or else those whose name has one of the parts in it that
// commas divide.
func chosen(only string) []scenario {
	all := scenarios()
	if i := slices.IndexFunc(all, func(s scenario) bool { return s.name == only }); i >= 0 {
		return all[i : i+1]
	}
	parts := strings.Split(only, ",")
	return slices.DeleteFunc(all, func(s scenario) bool {
		return !slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(s.name, part) })
	})
}

// parent runs the scenarios, tells of each as it ends and prints one table of
// all. A scenario that fails does not keep the others from running.
func parent(ctx context.Context, o options, only string) error {
	if o.Dir == "" {
		dir, err := os.MkdirTemp("", "orth-bench-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		o.Dir = dir
	}
	if o.Profile != "" {
		if err := os.MkdirAll(o.Profile, 0o755); err != nil {
			return err
		}
	}
	var chapters []chapter
	var failed error
	var last bytes.Buffer
	o.Last = &last
	for _, s := range chosen(only) {
		machine, err := calibrate(o.Dir)
		if err != nil {
			return err
		}
		fmt.Printf("%s: %s\n", s.name, machine)
		figures, err := s.run(ctx, o)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			fmt.Printf("  failed: %v\n", err)
			failed = errors.Join(failed, fmt.Errorf("%s: %w", s.name, err))
		}
		for _, f := range figures {
			fmt.Printf("  %s %s\n", f, f.met())
		}
		chapters = append(chapters, chapter{s.name, machine, figures})
	}
	fmt.Println()
	if slices.ContainsFunc(chapters, func(c chapter) bool { return len(c.figures) > 0 }) {
		failed = errors.Join(table(os.Stdout, chapters), failed)
	}
	_, err := last.WriteTo(os.Stdout)
	return errors.Join(err, failed)
}
