// Command compare holds Orth's schedules beside those of other libraries: how
// long an answer takes, and how many of the true firings each finds.
//
// It knows the libraries and the table of true fire times. It is a module of its
// own so that those libraries never reach Orth's own go.mod. Flags come in; two
// tables go out.
//
//	cd compare && go run .
//
// The libraries take turns within one run, so a noisy neighbour troubles all of
// them. Compare ratios, not times.
//
// With -queue it works off jobs with River on a PostgreSQL database instead: bench
// runs it beside Orth's whole path.
//
//	cd compare && go build -o /tmp/compare . && cd .. &&
//		go run ./bench -only databases -db postgres://…/postgres -peer "/tmp/compare -queue 100000"
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func run() error {
	testing.Init()
	sample := flag.String("sample", "../schedule/testdata/cron_sample.json", "the table of true fire times")
	rounds := flag.Int("rounds", 3, "how often each library has its turn; the medians are printed")
	jobs := flag.Int("queue", 0, "work off as many jobs with River on the empty database of ORTH_BENCH_DB, and print what that took as JSON")
	flag.Parse()
	if *jobs > 0 {
		return queue(context.Background(), *jobs, os.Stdout)
	}
	if *rounds < 1 {
		return fmt.Errorf("-rounds is %d: give 1 or more", *rounds)
	}
	if err := flag.Set("test.benchtime", "150ms"); err != nil {
		return err
	}
	table, err := readSample(*sample)
	if err != nil {
		return err
	}
	scores, err := judge(table)
	if err != nil {
		return err
	}
	if _, err := os.Stdout.WriteString(scoresTable(scores) + "\n"); err != nil {
		return err
	}
	figures, err := measure(*rounds)
	if err != nil {
		return err
	}
	_, err = os.Stdout.WriteString(figuresTable(figures))
	return err
}
