// Command orth-solana executes on-chain threads of Solana, and lets an operator look into that.
//
// It knows the process: signals, version, exit code. Everything else is in package cli.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/orthd/orth/solana/cli"
)

// version is set at release time with -ldflags "-X main.version=…".
var version string //nolint:gochecknoglobals // The linker sets it.

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		stop() // a second signal ends the process at once
	}()
	os.Exit(cli.Execute(ctx, os.Args[1:], cli.Config{Version: versionText()}))
}

// versionText is the release's version, or what the build knows of itself.
func versionText() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	text := "devel"
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			text += "+" + s.Value[:12]
		}
	}
	if info.Main.Version != "" && info.Main.Version != "(devel)" {
		text = info.Main.Version
	}
	return text
}
