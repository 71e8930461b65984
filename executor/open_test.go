package executor_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orthd/orth/executor"
	"github.com/orthd/orth/internal/certs/certstest"
	"github.com/orthd/orth/job"
)

// refused runs an executor that cannot begin, and returns why.
func refused(t *testing.T, c executor.Config) error {
	t.Helper()
	c.Logger = slog.New(slog.DiscardHandler)
	e, err := executor.New(c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	err = e.Run(ctx)
	if err == nil || ctx.Err() != nil {
		t.Fatalf("Run ended with %v; want that it does not begin", err)
	}
	return err
}

// TestRunConflict: a second executor does not begin in a data folder that is in
// use, nor at an address.
func TestRunConflict(t *testing.T) {
	t.Parallel()
	a := newAdmin(t)
	c := plain(t, a)
	l := launch(t, a, c)
	if err := refused(t, c); !job.Is(err, job.Conflict) {
		t.Errorf("the same folder: %v", err)
	}
	c = plain(t, a)
	c.Listen = strings.TrimPrefix(l.url, "http://")
	if err := refused(t, c); !job.Is(err, job.Conflict) || !strings.Contains(err.Error(), c.Listen) {
		t.Errorf("the same address: %v", err)
	}
}

// TestRunRefuses: a config's faults that only the machine can detect are reported before
// anything runs, with the field's name. What was opened by then is closed, so that the next
// start has the data folder for itself.
func TestRunRefuses(t *testing.T) {
	t.Parallel()
	needs(t, "sh")
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("no PEM"), 0o600); err != nil {
		t.Fatal(err)
	}
	cert, key := certstest.New(t).Issue(t, certstest.Both("leaf"))
	_, other := certstest.New(t).Issue(t, certstest.Both("leaf"))
	a := newAdmin(t)
	c := plain(t, a)
	for _, test := range []struct {
		name, field, text string
		spoil             func(c *executor.Config)
	}{
		{"an unknown user", "run-as", `"no-such-user-here"`, func(c *executor.Config) {
			c.Programs.User, c.Programs.Commands = "no-such-user-here", []string{"sh"}
		}},
		{"an unknown isolation", "isolation", `"jail"`, func(c *executor.Config) {
			c.Programs.Isolation, c.Scripts = "jail", true
		}},
		{"a command that is not there", "commands", `"no-such-program"`, func(c *executor.Config) {
			c.Programs.Commands = []string{"sh", "no-such-program"}
		}},
		{"no certificate", "tls-cert", "none", func(c *executor.Config) { c.TLS.Cert, c.TLS.Key = filepath.Join(dir, "none"), key }},
		{"no certificate in the file", "tls-cert", text, func(c *executor.Config) { c.TLS.Cert, c.TLS.Key = text, key }},
		{"another key", "tls-key", other, func(c *executor.Config) { c.TLS.Cert, c.TLS.Key = cert, other }},
		{"no authority of callers", "tls-client-ca", "PEM", func(c *executor.Config) {
			c.TLS = executor.TLS{Cert: cert, Key: key, ClientCA: text}
		}},
		{"no authority of servers", "tls-server-ca", "cannot be read", func(c *executor.Config) {
			c.TLS.ServerCA = filepath.Join(dir, "none")
		}},
	} {
		bad := c
		test.spoil(&bad)
		err := refused(t, bad)
		wrong, ok := errors.AsType[*job.Error](err)
		if !ok || wrong.Kind != job.Invalid || wrong.Field != test.field || !strings.Contains(wrong.Error(), test.text) {
			t.Errorf("%s: %v; want an Invalid error of %s with %q", test.name, err, test.field, test.text)
		}
	}
	l := launch(t, a, c)
	l.run(t, bean(1, 11, "demo"), success)
	a.want(t, 11, "200 did ")

	c.Data = text
	if err := refused(t, c); !job.Is(err, job.Unavailable) || !strings.Contains(err.Error(), text) {
		t.Errorf("a file for a data folder: %v", err)
	}
}
