package executor

import (
	"errors"
	"log/slog"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/internal/secret"
	"github.com/orthd/orth/job"
)

// Config says who an executor is and where it works. Servers, Group and Token
// are needed; everything else has a default.
type Config struct {
	// Servers are the base URLs of the servers, tried in this order, such as
	// "http://127.0.0.1:8080". A server of the XXL-JOB family is named with
	// its context path.
	Servers []string
	// Token is the secret that servers and executors share. It may be empty
	// only while Listen is a loopback address.
	Token string
	// Group is the app name: executors of one group run the same jobs.
	Group string
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
	// Scripts allows tasks that bring a script along: whoever may edit jobs
	// may then run any command here. It needs a Token. Defaults to false.
	Scripts bool
	// LogDays is how many days run logs are kept; 0 keeps them for ever.
	// Defaults to 30; -1 stands for 0.
	LogDays int
	// DrainFor is how long running tasks may take to end after Run's context
	// has ended; then they are cancelled. Defaults to 20 s.
	DrainFor time.Duration
	// Beat is the time between two registrations. Defaults to 10 s.
	Beat time.Duration
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
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
}

func (c *Config) validate() error {
	if len(c.Servers) == 0 {
		return job.FieldErrorf("servers", "is missing: name at least one server, such as http://127.0.0.1:8080")
	}
	for _, s := range c.Servers {
		if err := checkURL("servers", s); err != nil {
			return err
		}
	}
	if err := job.CheckGroup("group", c.Group); err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return job.FieldErrorf("listen", "%q is not host:port", c.Listen)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return job.FieldErrorf("listen", "%q is not a port between 0 and 65535", port)
	}
	if err := secret.CheckBinding("token", secret.New(c.Token), host); err != nil {
		return err
	}
	if c.Scripts && c.Token == "" {
		return job.FieldErrorf("token", "is missing: an executor that runs scripts needs one, also on loopback")
	}
	if c.Address != "" {
		return checkURL("address", c.Address)
	}
	return nil
}

func checkURL(field, text string) error {
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil {
		return job.FieldErrorf(field, "%q is not a URL such as http://host:port", text)
	}
	return nil
}

// address is the URL that the executor registers when the user named none.
func address(bound net.Addr) (string, error) {
	host, port, err := net.SplitHostPort(bound.String())
	if err != nil {
		return "", err
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsUnspecified() {
		return "http://" + net.JoinHostPort(host, port) + "/", nil
	}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return "", err
	}
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() {
			return "http://" + net.JoinHostPort(n.IP.String(), port) + "/", nil
		}
	}
	name, err := os.Hostname()
	if err != nil || strings.TrimSpace(name) == "" {
		return "", errors.New("this machine has no address that servers could call: set Address")
	}
	return "http://" + net.JoinHostPort(name, port) + "/", nil
}
