package executor

import (
	"errors"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/job"
)

// good is a config that New takes.
func good() Config {
	return Config{Servers: []string{"http://127.0.0.1:1"}, Group: "app-x", Logger: slog.New(slog.DiscardHandler)}
}

// TestNewRefuses: each mistake is Invalid and names the field, as it is called
// on the command line.
func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, field, text string
		spoil             func(c *Config)
	}{
		{"no server", "servers", "is missing", func(c *Config) { c.Servers = nil }},
		{"a server without scheme", "servers", `"127.0.0.1:8080" is not a URL`, func(c *Config) { c.Servers[0] = "127.0.0.1:8080" }},
		{"a server of another scheme", "servers", "is not a URL", func(c *Config) { c.Servers[0] = "ftp://host" }},
		{"a password in a server's URL", "servers", "is not a URL", func(c *Config) { c.Servers[0] = "http://u:p@host" }},
		{"the second server", "servers", `"nowhere"`, func(c *Config) { c.Servers = append(c.Servers, "nowhere") }},
		{"no group", "group", "", func(c *Config) { c.Group = "" }},
		{"an odd group", "group", "", func(c *Config) { c.Group = "a b" }},
		{"no port", "listen", "host:port", func(c *Config) { c.Listen = "127.0.0.1" }},
		{"a port in words", "listen", `"http"`, func(c *Config) { c.Listen = "127.0.0.1:http" }},
		{"a large port", "listen", "65535", func(c *Config) { c.Listen = "127.0.0.1:65536" }},
		{"a negative port", "listen", "65535", func(c *Config) { c.Listen = "127.0.0.1:-1" }},
		{"open to the network", "token", "", func(c *Config) { c.Listen = "0.0.0.0:9999" }},
		{"open to all", "token", "", func(c *Config) { c.Listen = ":9999" }},
		{"scripts for all", "token", "scripts", func(c *Config) { c.Scripts = true }},
		{"commands for all", "token", "commands", func(c *Config) { c.Programs.Commands = []string{"ls"} }},
		{"an address without scheme", "address", "is not a URL", func(c *Config) { c.Address = "host:1" }},
		{"an unknown interpreter", "interpreters", "nodejs", func(c *Config) {
			c.Programs.Interpreters = map[job.HandlerKind]string{"perl": "/usr/bin/perl"}
		}},
		{"an interpreter of no script", "interpreters", `"named"`, func(c *Config) {
			c.Programs.Interpreters = map[job.HandlerKind]string{job.HandlerNamed: "x"}
		}},
		{"an interpreter that is built in", "interpreters", "use nodejs", func(c *Config) {
			c.Programs.Interpreters = map[job.HandlerKind]string{job.HandlerJS: "/usr/bin/node"}
		}},
		{"a negative grace", "kill-grace", "-1s", func(c *Config) { c.Programs.Grace = -time.Second }},
		{"a long grace", "kill-grace", "1m0s", func(c *Config) { c.Programs.Grace = time.Minute + 1 }},
		{"memory", "max-memory", "negative", func(c *Config) { c.Programs.Memory = -1 }},
		{"processes", "max-processes", "negative", func(c *Config) { c.Programs.Processes = -1 }},
		{"processor time", "max-cpu", "negative", func(c *Config) { c.Programs.CPUTime = -1 }},
		{"open files", "max-files", "negative", func(c *Config) { c.Programs.OpenFiles = -1 }},
		{"file size", "max-file-size", "negative", func(c *Config) { c.Programs.FileSize = -1 }},
		{"a certificate without key", "tls-cert", "tls-key", func(c *Config) { c.TLS.Cert = "c.pem" }},
		{"a key without certificate", "tls-cert", "tls-key", func(c *Config) { c.TLS.Key = "k.pem" }},
		{"callers' certificates without TLS", "tls-client-ca", "tls-cert", func(c *Config) { c.TLS.ClientCA = "ca.pem" }},
		{"a host with a path", "call-hosts", "http://x/", func(c *Config) { c.Calls = Calls{Enabled: true, Hosts: []string{"http://x/"}} }},
		{"logs", "log-size", "-1", func(c *Config) { c.LogBytes = -1 }},
		{"a log", "log-run-size", "-1", func(c *Config) { c.LogFileBytes = -1 }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := good()
			test.spoil(&c)
			_, err := New(c)
			wrong, ok := errors.AsType[*job.Error](err)
			if !ok || wrong.Kind != job.Invalid || wrong.Field != test.field || !strings.Contains(wrong.Message, test.text) {
				t.Errorf("New = %v; want an Invalid error of the field %s with %q", err, test.field, test.text)
			}
		})
	}
}

// TestNewTakes: what is needed is little, and what is left out has its default.
func TestNewTakes(t *testing.T) {
	t.Parallel()
	e, err := New(good())
	if err != nil {
		t.Fatal(err)
	}
	c := e.config
	if c.Listen != "127.0.0.1:9999" || c.Data != "orth-executor" || c.LogDays != 30 || c.DrainFor != 20*time.Second ||
		c.Programs.Grace != 5*time.Second || c.Grace != 10*time.Second || c.Outcomes != 1_000_000 || c.Remember != 1_000_000 {
		t.Errorf("the defaults are %+v", c)
	}
	c = good()
	c.LogDays, c.Programs.Grace, c.Token, c.Scripts, c.Listen = -1, time.Minute, "9f1c07ab52e4d836", true, "0.0.0.0:0"
	if e, err = New(c); err != nil {
		t.Fatal(err)
	}
	if e.config.LogDays != 0 || e.config.Grace != time.Minute+5*time.Second || e.config.stopFor() <= 2*e.config.Grace {
		t.Errorf("logs are kept %d days, handlers have %s and the stop %s", e.config.LogDays, e.config.Grace, e.config.stopFor())
	}
}

func TestAddress(t *testing.T) {
	t.Parallel()
	for bound, want := range map[string]string{"127.0.0.1:80": "https://127.0.0.1:80/", "[::1]:80": "https://[::1]:80/"} {
		at, err := net.ResolveTCPAddr("tcp", bound)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := address("https", at); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", bound, got, err, want)
		}
	}
	got, err := address("http", &net.TCPAddr{IP: net.IPv6unspecified, Port: 80})
	u, parseErr := url.Parse(got)
	if err != nil || parseErr != nil || u.Hostname() == "" || u.Hostname() == "::" || u.Port() != "80" {
		t.Errorf("all interfaces: %q, %v, %v; want an address that servers can call", got, err, parseErr)
	}
}
