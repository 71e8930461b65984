// Command orth contains all of Orth in one binary: server, executor and command line.
//
// It handles the process: signals, version and exit code. Package cli implements the commands.
package main

import (
	"context"
	"os"
	"runtime/debug"
	"slices"
	_ "time/tzdata" // embeds the time zone database for machines without one

	"github.com/orthd/orth/internal/cli"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/program"
	"github.com/orthd/orth/internal/timerslack"
)

// version is set at release time with -ldflags "-X main.version=…".
var version string //nolint:gochecknoglobals // The linker sets it.

// gcPercent trades memory for processor time: the heap of a server or an
// executor is small, so the default value would collect too often.
const gcPercent = 200

func main() {
	if len(os.Args) > 1 && slices.Contains([]string{"server", "executor", "dev"}, os.Args[1]) { // long-running commands
		timerslack.Coarsen()
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	os.Exit(cli.Execute(program.UntilAsked(context.Background()), os.Args[1:], kit.Config{Stdout: os.Stdout, Stderr: os.Stderr, Version: program.Version(version)}))
}
