package kit

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/terminal"
	"github.com/orthd/orth/job"
)

// MayPass reports whether reading the log may succeed later: the executor may be
// temporarily unreachable or may not have started.
func MayPass(err error) bool {
	switch job.KindOf(err) {
	case job.Unavailable, job.Unreachable, job.Ambiguous, job.Refused, job.NotFound, job.Full:
		return true
	default:
		return false
	}
}

// watched lists the commands with --watch.
var watched = [...]string{ListName, "show", "runs", "executors", "stats", "top", "cluster", "messages", "ls", "status"}

// shortestWatch is the minimum interval.
const shortestWatch = 200 * time.Millisecond

// AddWatch adds --watch to the subcommands of cmd that support it.
func (t *Tool) AddWatch(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		t.AddWatch(sub)
	}
	if !slices.Contains(watched[:], cmd.Name()) || cmd.RunE == nil || cmd.Flags().Lookup("watch") != nil {
		return
	}
	var every time.Duration
	cmd.Flags().DurationVar(&every, "watch", 0, "repeat at this `interval` until Ctrl-C: --watch=5s, or --watch alone for 2s")
	cmd.Flags().Lookup("watch").NoOptDefVal = "2s"
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case !cmd.Flags().Changed("watch"):
			return run(cmd, args)
		case every < shortestWatch:
			return output.Usagef("--watch: must be at least %s, got %s", shortestWatch, every)
		}
		w := Watch{Tool: t, Title: cmd.CommandPath(), Every: every}
		return w.run(cmd.Context(), func() error { return run(cmd, args) })
	}
}

// Watch repeats a command: on a terminal it redraws the screen, otherwise it prints only
// new lines.
type Watch struct {
	*Tool
	Title string
	Every time.Duration

	out, err io.Writer
	drawn    bool
	before   string
	lines    []string // previous lines
	away     bool     // the server did not respond last time, and this was printed
}

// run repeats until ctx ends, which is not an error. An error in the first iteration ends
// it; later the server may be temporarily unavailable.
func (w *Watch) run(ctx context.Context, look func() error) error {
	w.Begin()
	for first := true; ; first = false {
		text, err := w.Look(look)
		switch {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // Ctrl-C is the normal end
		case err != nil && (first || !MayPass(err) || job.Is(err, job.NotFound)):
			_, _ = io.WriteString(w.out, text)
			return err
		case err != nil:
			w.silent(err)
		default:
			w.away = false
			if err := w.Show(text); err != nil {
				return err
			}
		}
		select {
		case <-time.After(w.Every):
		case <-ctx.Done():
			return nil
		}
	}
}

// Begin stores the properties of the screen.
func (w *Watch) Begin() {
	t := w.Tool
	w.out, w.err, w.drawn = t.Stdout, t.Stderr, terminal.Is(t.Stdout)
	t.painting, t.Screen = t.Painter(), t.Printer().Screen() // those of the screen, because output goes through a buffer
}

// Look returns the output of one iteration.
func (w *Watch) Look(look func() error) (string, error) {
	var text bytes.Buffer
	w.Stdout, w.Stderr = &text, &text
	defer func() { w.Stdout, w.Stderr = w.out, w.err }()
	err := look()
	return text.String(), err
}

// silent reports once that the server does not respond.
func (w *Watch) silent(err error) {
	if !w.away {
		w.away = true
		message, _ := ExplainError(err)
		w.PrintNote("%s; retrying", message)
	}
}

// Show redraws the output, or prints its new lines.
func (w *Watch) Show(text string) error {
	if w.drawn {
		return w.draw(text)
	}
	if text == w.before {
		return nil
	}
	w.before = text
	lines := strings.SplitAfter(text, "\n")
	fresh := lines
	if w.Output.Value == output.Table || w.Output.Value == output.Wide || w.Output.Value == output.Name {
		fresh = added(w.lines, lines)
	}
	w.lines = lines
	_, err := io.WriteString(w.out, strings.Join(fresh, ""))
	return err
}

// added returns the lines that are new compared to the previous output.
func added(before, now []string) (fresh []string) {
	known := make(map[string]int, len(before))
	for _, line := range before {
		known[line]++
	}
	for _, line := range now {
		if known[line]--; known[line] < 0 {
			fresh = append(fresh, line)
		}
	}
	return fresh
}

// draw fills the screen; lines beyond its bottom are cut.
func (w *Watch) draw(text string) error {
	var out strings.Builder
	if w.before == "" {
		out.WriteString("\x1b[2J")
	}
	w.before = text
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	lines = append([]string{fmt.Sprintf("every %s: %s  %s", w.Every, w.Title, time.Now().In(w.Location).Format("15:04:05")), ""}, lines...)
	if _, rows := terminal.Size(w.out); rows > 1 && len(lines) > rows-1 {
		lines = append(lines[:rows-2], fmt.Sprintf("… and %s more", plural.Count(len(lines)-(rows-2), "line")))
	}
	out.WriteString("\x1b[H")
	for _, line := range lines {
		out.WriteString(line + "\x1b[K\n")
	}
	out.WriteString("\x1b[J")
	_, err := io.WriteString(w.out, out.String())
	return err
}
