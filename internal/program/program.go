// Package program is what the commands of this module have in common as processes: they are asked to end by signals, and they
// know their version.
//
// It knows signals and what a build tells of itself. It must never know flags or what a command does.
package program

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// UntilAsked returns a context that ends when the process is interrupted or asked to end. A second signal ends the process at
// once.
func UntilAsked(ctx context.Context) context.Context {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx
}

// Version is the release's version, which the linker has set, or what the build knows of itself: the version of the module, or
// "devel" with the first 12 digits of the commit.
func Version(linked string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = new(debug.BuildInfo)
	}
	return version(linked, info)
}

func version(linked string, info *debug.BuildInfo) string {
	switch {
	case linked != "":
		return linked
	case info.Main.Version != "" && info.Main.Version != "(devel)":
		return info.Main.Version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "devel+" + s.Value[:12]
		}
	}
	return "devel"
}
