package executor

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/outbox"
	"github.com/orthd/orth/job"
)

// Config describes an executor and its environment. Servers, Group and Token are required;
// everything else has a default.
type Config struct {
	// Servers are the base URLs of the servers of one installation, tried in this
	// order, such as "http://127.0.0.1:8080". A server of the XXL-JOB family is named
	// with its context path. One that is spoken to in another dialect than Dialect has
	// it in front: "orth-java=http://10.0.0.5:8080/orth-admin".
	Servers []string
	// Dialect is how the servers are spoken to: "xxl-job" for XXL-JOB up to 3.4,
	// "xxl-job-3.5" for later ones, "orth-java" for the Java admin of Orth's name,
	// "native" for Orth's own protocol, which only servers of Orth speak, or "auto",
	// which finds it out by addresses and answers: native where that is known and
	// there is a token to sign with. Defaults to "auto", and to "native" with Pull.
	Dialect string
	// Pull has the executor fetch what servers want of it over connections that it
	// opens itself, to each of the Servers one. It then has no port: Listen and
	// Address count for nothing. Defaults to false.
	Pull bool
	// Token is the secret that servers and executors share. The executor key of a server
	// of Orth, which is in executor.token in its data folder, is never shown: a token of
	// the Group is made of it, and shown in its place. It may be empty
	// only while Listen is a loopback address, when there is a GroupToken, or when
	// certificates stand for it: with a Cert of TLS, all Servers at https and the
	// Dialect "native", and a ClientCA of TLS or Pull.
	Token string
	// GroupToken is a token of the Group, which servers are shown in place of
	// Token. Servers may show either. Defaults to "": Token is shown.
	GroupToken string
	// AdmitDefaultToken allows a publicly known Token, such as default_token, or none,
	// beyond loopback too: any client that reaches Listen may have the executor run what it
	// can. It is for the time of a migration, and each start warns of it. Defaults to
	// false.
	AdmitDefaultToken bool
	// Group is the app name: executors of one group run the same jobs.
	Group string
	// Labels are features of this executor that a job can select, such as zone:
	// eu, at most 16 of 64 bytes together with their keys. weight is how often
	// the route weighted picks it compared with others; without one it is 1.
	Labels map[string]string
	// Listen is the host and port that servers call.
	// Defaults to "127.0.0.1:9999".
	Listen string
	// Address is the base URL under which servers reach Listen.
	// Defaults to http:// and Listen, with the machine's own address where
	// Listen names all interfaces.
	Address string
	// Data is the folder of the queue, the outbox, run logs and scripts.
	// One executor uses it at a time. Defaults to "orth-executor".
	Data string
	// Scripts allows tasks that carry a script: editors of jobs may then run any command
	// here. It needs a Token. Defaults to false.
	Scripts bool
	// Programs sets how scripts and commands run.
	Programs Programs
	// Calls sets which HTTP calls jobs may make without code of their own.
	Calls Calls
	// TLS encrypts connections.
	TLS TLS
	// Running is how many tasks may run at the same time, of all jobs.
	// Defaults to 1,000.
	Running int
	// Waiting is how many tasks of one job may wait. Defaults to 10,000.
	Waiting int
	// IdleAfter is how long a job's handler stays prepared without work; then
	// its Destroy is called. Defaults to 90 s.
	IdleAfter time.Duration
	// Grace is how long a cancelled handler may take to return; then it is
	// reported as still running and keeps its place. Defaults to 10 s, or to
	// 5 s more than Programs.Grace when that is longer.
	Grace time.Duration
	// Outcomes is how many outcomes may wait for a server; at the bound no
	// task is accepted. Defaults to 1,000,000.
	Outcomes int
	// RememberFor is how long the attempt of an ended task is refused when it
	// is sent again, and Remember how many there are at most. They default to
	// 24 h and 1,000,000.
	RememberFor time.Duration
	Remember    int
	// DeadFor is how long dead letters are kept: tasks and outcomes that were
	// given up. Defaults to 30 days; negative keeps them, up to 10,000 of each.
	DeadFor time.Duration
	// LogDays is how many days run logs are kept; 0 keeps them for ever.
	// Defaults to 30; -1 stands for 0.
	LogDays int
	// LogBytes is how much all run logs may take; then the oldest days go.
	// Defaults to 0: no limit.
	LogBytes int64
	// LogFileBytes is how much one run's log may take; the rest is dropped, with a mark in
	// the log. Defaults to 256 MiB.
	LogFileBytes int64
	// DrainFor is how long running tasks may take to end after Run's context
	// has ended; then they are cancelled. Defaults to 20 s.
	DrainFor time.Duration
	// Return hands waiting tasks back when the executor stops: they are
	// reported as failed without having run, and their jobs' retry policies
	// decide. Defaults to false: they stay on disk for the next start.
	Return bool
	// Beat is the time between two registrations. Defaults to 10 s.
	Beat time.Duration
	// Facts are this executor's reports about itself to its servers. Defaults to nothing.
	Facts Facts
	// Around is called right before each handler, in its goroutine, for a program's own
	// traces: it returns the context for the handler, which must keep what ctx carries,
	// and what is called when the handler has ended, with its error. It may set the
	// task's Trace to a span of its own. Defaults to nothing.
	Around func(ctx context.Context, t *handler.Task) (context.Context, func(err error))
	// Logger gets what an operator should know. Defaults to slog.Default.
	Logger *slog.Logger
}

func (c *Config) defaults() {
	if c.Listen == "" {
		c.Listen = "127.0.0.1:9999"
	}
	if c.Data == "" {
		c.Data = "orth-executor"
	}
	switch {
	case c.LogDays == 0:
		c.LogDays = 30
	case c.LogDays < 0:
		c.LogDays = 0
	}
	if c.DrainFor <= 0 {
		c.DrainFor = 20 * time.Second
	}
	if c.Programs.Grace == 0 {
		c.Programs.Grace = 5 * time.Second
	}
	if c.Grace <= 0 {
		c.Grace = max(10*time.Second, c.Programs.Grace+5*time.Second)
	}
	if c.Outcomes <= 0 {
		c.Outcomes = outbox.DefaultCapacity
	}
	switch {
	case c.DeadFor == 0:
		c.DeadFor = 30 * 24 * time.Hour
	case c.DeadFor < 0:
		c.DeadFor = 0
	}
	if c.Remember <= 0 {
		c.Remember = 1_000_000
	}
	if c.Beat <= 0 {
		c.Beat = 10 * time.Second
	}
	c.Facts.defaults()
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
}

func (c *Config) validate() error {
	if len(c.Servers) == 0 {
		return job.FieldErrorf("servers", "is missing: name at least one server, such as http://127.0.0.1:8080")
	}
	if _, err := c.servers(); err != nil {
		return err
	}
	if err := job.CheckGroup("group", c.Group); err != nil {
		return err
	}
	if err := checkLabels(c.Labels); err != nil {
		return err
	}
	if err := c.checkPull(); err != nil {
		return err
	}
	host, err := c.advertisedHost()
	if err != nil {
		return err
	}
	if err := c.checkTokens(host); err != nil {
		return err
	}
	if c.Scripts && c.Token == "" && c.GroupToken == "" && !c.certified() {
		return job.FieldErrorf("token", "is missing: an executor that runs scripts needs one, also on loopback")
	}
	if len(c.Programs.Commands) > 0 && c.Token == "" && c.GroupToken == "" && !c.certified() {
		return job.FieldErrorf("token", "is missing: an executor that runs commands needs one, also on loopback")
	}
	if err := c.Programs.validate(); err != nil {
		return err
	}
	if err := c.TLS.validate(); err != nil {
		return err
	}
	if err := c.Calls.validate(); err != nil {
		return err
	}
	if err := c.Facts.validate(); err != nil {
		return err
	}
	if c.LogBytes < 0 {
		return job.FieldErrorf("log-size", "%d must not be negative; 0 sets no limit", c.LogBytes)
	}
	if c.LogFileBytes < 0 {
		return job.FieldErrorf("log-run-size", "%d must not be negative; 0 stands for 256 MiB", c.LogFileBytes)
	}
	if c.Address != "" {
		return checkURL("address", c.Address)
	}
	return nil
}

// advertisedHost returns where the executor can be called: nowhere but here when it pulls.
func (c *Config) advertisedHost() (string, error) {
	if c.Pull {
		return "127.0.0.1", nil
	}
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return "", job.FieldErrorf("listen", "%q is not host:port", c.Listen)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return "", job.FieldErrorf("listen", "%q is not a port between 0 and 65535", port)
	}
	return host, nil
}

// kinds returns the kinds of handler that are allowed; nil for all.
func (c *Config) kinds() []job.HandlerKind {
	if c.Scripts {
		return nil
	}
	return []job.HandlerKind{job.HandlerNamed}
}

// stopFor is how long each room may take to end after the drain: the runner
// waits for cancelled handlers for Grace, and as long again for the disk.
func (c *Config) stopFor() time.Duration { return 2*c.Grace + 3*lastFlush }

// dataPath returns the path of a file or folder in the data folder.
func (c *Config) dataPath(name string) string { return filepath.Join(c.Data, name) }

func checkURL(field, text string) error {
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil {
		return job.FieldErrorf(field, "%q is not a URL such as http://host:port", text)
	}
	return nil
}

// address is the URL that the executor registers when the user named none.
func address(scheme string, bound net.Addr) (string, error) {
	host, port, err := net.SplitHostPort(bound.String())
	if err != nil {
		return "", err
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsUnspecified() {
		return scheme + "://" + net.JoinHostPort(host, port) + "/", nil
	}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return "", err
	}
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() {
			return scheme + "://" + net.JoinHostPort(n.IP.String(), port) + "/", nil
		}
	}
	name, err := os.Hostname()
	if err != nil || strings.TrimSpace(name) == "" {
		return "", errors.New("this machine has no address that servers could call: set Address")
	}
	return scheme + "://" + net.JoinHostPort(name, port) + "/", nil
}
