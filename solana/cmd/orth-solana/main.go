// Command orth-solana executes on-chain threads of Solana, and lets an operator look into that.
//
// It knows the process: signals, version, exit code. Everything else is in package cli.
package main

import (
	"context"
	"os"

	"github.com/orthd/orth/internal/program"
	"github.com/orthd/orth/internal/timerslack"
	"github.com/orthd/orth/solana/cli"
)

// version is set at release time with -ldflags "-X main.version=…".
var version string //nolint:gochecknoglobals // The linker sets it.

func main() {
	if len(os.Args) > 1 && os.Args[1] == "run" { // the one that stays
		timerslack.Coarsen()
	}
	os.Exit(cli.Execute(program.UntilAsked(context.Background()), os.Args[1:], cli.Config{Version: program.Version(version)}))
}
