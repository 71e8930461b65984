// Command demo starts a Solana chain of its own, puts threads of every kind of trigger on it, runs orth-solana, and shows threads
// executing.
//
// It knows the tests' chain and the command line of orth-solana. It must never know how a node works: what it shows it has read
// from the chain, and from the node's own commands.
//
//	go run ./solana/demo                 until ctrl-c
//	go run ./solana/demo -executions 20
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	executions := flag.Int("executions", 0, "end after so many executions; 0: go on until ctrl-c")
	block := flag.Duration("block", 400*time.Millisecond, "how long a block takes; the chain's own clock counts 400ms for each")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := hosted(ctx, func(h *host) error {
		return show(ctx, h, options{out: os.Stdout, executions: *executions, block: *block})
	}); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		stop()
		os.Exit(1) //nolint:gocritic // stop was called.
	}
}
