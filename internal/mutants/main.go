// Command mutants proves that the tests of the hot path notice faults. It reads a list
// of one-line faults, builds the module with one fault at a time, and runs the test
// that the list names for it: that test must fail.
//
// It knows source lines and the names of tests. It must never know what either means.
// The list testdata/mutants.txt comes in; the faults that no test noticed go out, with
// exit status 1. A fault is laid over the source by the go command, so the tree stays as
// it is, and what a fault does not reach comes from the build cache.
//
//	go run ./internal/mutants                  every fault
//	go run ./internal/mutants -only outbox     faults whose promise, file or test matches
//	go run ./internal/mutants -find -only wal  the tests of the package that notice each fault
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// run tries the faults that the arguments choose. The error says how many were not noticed.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	root := flags.String("root", ".", "the `folder` of the module")
	list := flags.String("list", "internal/mutants/testdata/mutants.txt", "the `file` with the faults, below root")
	only := flags.String("only", "", "a regular `expression`: faults whose promise, file or test it matches")
	find := flags.Bool("find", false, "run all tests of each package, and print those that notice the fault")
	workers := flags.Int("workers", 2, "how many faults are tried at the same `time`")
	limit := flags.Duration("limit", 3*time.Minute, "how long one `test` may run")
	if err := flags.Parse(args); err != nil {
		return err
	}
	chosen, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	if *workers < 1 {
		return fmt.Errorf("-workers must be at least 1 (got %d)", *workers)
	}
	all, err := readList(*root, *list)
	if err != nil {
		return err
	}
	faults := slices.DeleteFunc(all, func(m *mutant) bool { return !chosen.MatchString(m.String()) })
	if len(faults) == 0 {
		return fmt.Errorf("no fault of %s matches %q", *list, *only)
	}
	folder, err := os.MkdirTemp("", "orth-mutants-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	t := &trial{root: *root, folder: folder, limit: *limit, find: *find}
	return t.all(ctx, faults, *workers, out)
}

// all tries each fault and prints what came of it.
func (t *trial) all(ctx context.Context, faults []*mutant, workers int, out io.Writer) error {
	began := time.Now()
	results := make([]result, len(faults)) // each written by one goroutine
	next := make(chan int)
	var printing sync.Mutex
	var working sync.WaitGroup
	for range workers {
		working.Go(func() {
			for i := range next {
				r := t.try(ctx, i, faults[i])
				results[i] = r
				printing.Lock()
				_, _ = fmt.Fprintf(out, "%-10s %5.1fs  %s\n", r.verdict, r.took.Seconds(), faults[i])
				if r.detail != "" {
					_, _ = fmt.Fprintln(out, "    "+strings.ReplaceAll(strings.TrimSpace(r.detail), "\n", "\n    "))
				}
				printing.Unlock()
			}
		})
	}
	for i := range faults {
		next <- i
	}
	close(next)
	working.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	bad := 0
	for _, r := range results {
		if r.verdict != killed {
			bad++
		}
	}
	_, _ = fmt.Fprintf(out, "%d of %d faults were noticed, in %s\n", len(faults)-bad, len(faults), time.Since(began).Round(time.Second))
	if bad > 0 {
		return fmt.Errorf("%d of %d faults were not noticed", bad, len(faults))
	}
	return nil
}
