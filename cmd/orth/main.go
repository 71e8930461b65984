// Command orth is the whole of Orth in one binary: server, executor and command
// line.
//
// It knows the process: signals, version, exit code. Everything else is in
// package cli.
package main

import (
	"context"
	"os"
	"runtime/debug"
	"slices"
	_ "time/tzdata" // zones work on machines that have no zone files

	"github.com/orthd/orth/internal/cli"
	"github.com/orthd/orth/internal/program"
	"github.com/orthd/orth/internal/timerslack"
)

// version is set at release time with -ldflags "-X main.version=…".
var version string //nolint:gochecknoglobals // The linker sets it.

// gcPercent trades memory for processor time: the heap of a server or an
// executor is small, so a collection at each doubling would be frequent.
const gcPercent = 200

func main() {
	if len(os.Args) > 1 && slices.Contains([]string{"server", "executor", "dev"}, os.Args[1]) { // those that stay
		timerslack.Coarsen()
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	os.Exit(cli.Execute(program.UntilAsked(context.Background()), os.Args[1:], cli.Config{Stdout: os.Stdout, Stderr: os.Stderr, Version: program.Version(version)}))
}
