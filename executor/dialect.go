package executor

import (
	"slices"
	"strings"

	"github.com/orthd/orth/internal/wire/orth"
	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

// dialectAuto stands for a dialect that is found out.
const dialectAuto = "auto"

// dialects are those in which servers are spoken to. XXL-JOB up to 3.4 is one: what
// differs between its releases has two names, and both are sent.
func dialects() []job.Dialect {
	return []job.Dialect{job.DialectXXL, job.DialectXXL35, job.DialectOrthJava, job.DialectNative}
}

// forks are the dialects that are not XXL-JOB's own.
func forks() []dialect.Speech { return []dialect.Speech{orth.Speech()} }

// server is one of the Servers.
type server struct {
	address string
	dialect job.Dialect // empty when it is found out
}

// parseServer reads one of the Servers; preset is the dialect of those that name none.
func parseServer(text string, preset job.Dialect) (server, error) {
	s := server{text, preset}
	if name, address, ok := strings.Cut(text, "="); ok && !strings.ContainsAny(name, ":/") {
		dialect, err := parseDialect("servers", name)
		if err != nil {
			return s, err
		}
		s = server{address, dialect}
	}
	return s, checkURL("servers", s.address)
}

// parseDialect returns the dialect of that name, empty for one that is found out.
func parseDialect(field, name string) (job.Dialect, error) {
	if name == "" || name == dialectAuto {
		return "", nil
	}
	if d := job.Dialect(name); slices.Contains(dialects(), d) {
		return d, nil
	}
	names := []string{dialectAuto}
	for _, d := range dialects() {
		names = append(names, string(d))
	}
	return "", job.FieldErrorf(field, "%q is no dialect that servers speak; use one of %s", name, strings.Join(names, ", "))
}

// servers returns the servers of Servers and Dialect.
func (c *Config) servers() ([]server, error) {
	preset, err := parseDialect("dialect", c.Dialect)
	if err != nil {
		return nil, err
	}
	if preset == "" && c.Pull {
		preset = job.DialectNative
	}
	var all []server
	for _, text := range c.Servers {
		s, err := parseServer(text, preset)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, checkNative(all)
}

// addresses returns where the servers are, in order.
func addresses(all []server) (urls []string) {
	for _, s := range all {
		urls = append(urls, s.address)
	}
	return urls
}

// dialectAt returns how the server at an address is spoken to, empty when that is
// found out.
func dialectAt(all []server) func(address string) job.Dialect {
	return func(address string) job.Dialect {
		if i := slices.IndexFunc(all, func(s server) bool { return s.address == address }); i >= 0 {
			return all[i].dialect
		}
		return ""
	}
}

// dialectOfAll returns the one dialect of all servers, empty when they differ or
// are found out.
func dialectOfAll(all []server) job.Dialect {
	for _, s := range all {
		if s.dialect != all[0].dialect {
			return ""
		}
	}
	return all[0].dialect
}
