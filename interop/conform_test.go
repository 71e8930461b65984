package interop

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/orthd/orth/wiretest"
)

// TestJavaConforms plays the cases of executors, which Orth is held to, against
// executors of XXL-JOB's own Java library: what they do not do is wrong in the case, or a
// deviation that is named here and in docs/conformance.md. It runs before the tests that are
// parallel, because the cases wait for answers no longer than executors do.
func TestJavaConforms(t *testing.T) {
	if testing.Short() {
		t.Skip("it holds the cases themselves to the library, which changes with neither the server nor the executor")
	}
	for _, release := range []struct {
		version string
		flavour wiretest.Flavour
		can     []string
	}{
		{"2.4.2", wiretest.XXL2, []string{"escapes", "raw"}},
		{"3.2.0", wiretest.XXL2, []string{"raw"}},
		{"3.3.2", wiretest.XXL3, nil}, // bytes that are no text hide its whole log
	} {
		t.Run(release.version, func(t *testing.T) { // one after the other: each starts two dozen machines at once
			need(t, "java", "javac", "mvn", "bash")
			path, err := javaPath(release.version, "Subject.java")
			if err != nil {
				t.Fatal(err)
			}
			verdicts, err := wiretest.PlayExecutor(t.Context(), wiretest.Target{
				Flavour: release.flavour, Can: append([]string{"scripts", "zero", "idle"}, release.can...),
				Start: func(ctx context.Context, s wiretest.Setup) (*wiretest.Instance, error) {
					return startSubject(ctx, t, path, s)
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			wiretest.Report(t, verdicts)
		})
	}
}

// startSubject starts an executor as the suite wants it.
func startSubject(ctx context.Context, t *testing.T, path string, s wiretest.Setup) (*wiretest.Instance, error) {
	port := freePort(t)
	cmd := exec.CommandContext(ctx, "java", "-Xmx96m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", path, "Subject",
		strings.Join(s.Admins, ","), s.Token, s.App, port, s.Data)
	var out output
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the executor: %w", err)
	}
	instance := &wiretest.Instance{URL: "http://127.0.0.1:" + port, Stop: func() error {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			return fmt.Errorf("stop the executor: %w", err)
		}
		if ended, ok := errors.AsType[*exec.ExitError](cmd.Wait()); ok && ended.ExitCode() != 128+int(syscall.SIGTERM) {
			return fmt.Errorf("the executor ended with %d: %s", ended.ExitCode(), out.tail())
		}
		return nil
	}}
	return instance, await("the executor listens", patience, func() error {
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp", "127.0.0.1:"+port)
		if err != nil {
			return err
		}
		return c.Close()
	})
}
