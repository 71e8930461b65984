//go:build unix

package groovy

import (
	"bufio"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/orthd/orth/job"
)

func TestInterruptedClassEndsItself(t *testing.T) {
	t.Parallel()
	cmd, result := prepare(t, "waits.groovy", "")
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for scanner := bufio.NewScanner(pipe); scanner.Scan(); {
		lines = append(lines, scanner.Text())
		if strings.HasSuffix(scanner.Text(), " waiting") {
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait() // the JVM reports the signal by its exit value
	text := strings.Join(lines, "\n")
	if !strings.Contains(text, " interrupted\n") || !strings.HasSuffix(text, " cleaned up") {
		t.Errorf("output:\n%s", text)
	}
	message, err := os.ReadFile(result)
	if err != nil || string(message) != "ended early" {
		t.Errorf("message %q, %v", message, err)
	}
}

// pretend writes a program groovy that runs the lines.
func pretend(t *testing.T, lines string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "groovy")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+lines+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFindRefusesAGroovyThatDoesNotRun(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, lines, want string }{
		{"it says why", "echo; echo JAVA_HOME is wrong; exit 1", "does not run (JAVA_HOME is wrong): install Groovy 2.4"},
		{"it says nothing", "exit 1", "does not run (it printed nothing)"},
		{"it tells no facts", "echo hello", "does not run (hello)"},
		{
			"its Java is missing", "echo orth:version=9; echo orth:java=/no/java; echo orth:jar=/x.jar",
			"/no/java/bin/java does not run",
		},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			_, _, err := Find(t.Context(), dir, pretend(t, tc.lines))
			if !job.Is(err, job.Refused) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
			if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) != 0 {
				t.Errorf("left over: %v, %v", left, err)
			}
		})
	}
}

func TestFindEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("the executor stops")
	cancel(stop)
	_, _, err := Find(ctx, t.TempDir(), pretend(t, "exec sleep 60"))
	if !errors.Is(err, stop) {
		t.Errorf("error %v, want %v", err, stop)
	}
}
