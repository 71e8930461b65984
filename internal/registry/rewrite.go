package registry

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/orthd/orth/job"
)

// rules are those of all groups, by group. They are immutable.
type rules map[string][]job.Rewrite

// readRules reloads the rules.
func (r *Registry) readRules(ctx context.Context) error {
	all, err := r.config.Store.Rewrites(ctx)
	if err != nil {
		return fmt.Errorf("read the rules for addresses: %w", err)
	}
	read := rules(all)
	r.rules.Store(&read)
	return nil
}

// rewrite returns the address at which the server reaches an executor that registers with
// address.
func (r *Registry) rewrite(ctx context.Context, group, address string) (string, error) {
	known := r.rules.Load()
	if known == nil {
		if err := r.readRules(ctx); err != nil {
			return "", err
		}
		known = r.rules.Load()
	}
	return rewritten((*known)[group], address), nil
}

// rewritten applies the first rule that matches the address; without one it returns the
// address.
func rewritten(rules []job.Rewrite, address string) string {
	if len(rules) == 0 {
		return address
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != schemeTLS { // an address that is not called has nothing to replace
		return address
	}
	for _, rule := range rules {
		if !concerns(rule.From, address, u) {
			continue
		}
		if made := fillTarget(rule.To, u); checkAddress("to", made) == nil {
			return made
		}
	}
	return address
}

// concerns reports whether a rule's From matches the address.
func concerns(from, address string, u *url.URL) bool {
	network, err := netip.ParsePrefix(from)
	if err != nil {
		return strings.HasPrefix(address, from)
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && network.Contains(ip.Unmap())
}

// fillTarget puts the host and the port of u into a rule's To.
func fillTarget(to string, u *url.URL) string {
	host := u.Hostname()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{schemeTLS: "443"}[u.Scheme]
	}
	if port == "" {
		port = "80"
	}
	return strings.NewReplacer("{host}", host, "{port}", port).Replace(to)
}

// checkRewrites reports invalid rules of a group.
func checkRewrites(rules []job.Rewrite) error {
	if len(rules) > job.MaxRewrites {
		return job.FieldErrorf("rules", "there are %d rules, at most %d are allowed", len(rules), job.MaxRewrites)
	}
	sample := &url.URL{Scheme: "http", Host: "10.0.0.1:9999"}
	for i, rule := range rules {
		field := fmt.Sprintf("rules[%d]", i)
		_, err := netip.ParsePrefix(rule.From)
		prefix := strings.HasPrefix(rule.From, "http://") || strings.HasPrefix(rule.From, "https://")
		if err != nil && !prefix || len(rule.From) > job.MaxAddress {
			return job.FieldErrorf(field+".from", "%q is neither the beginning of an address, such as http://172.17., "+
				"nor a network, such as 172.17.0.0/16", job.Clean(rule.From, job.MaxAddress))
		}
		if err := checkAddress(field+".to", fillTarget(rule.To, sample)); err != nil {
			return err
		}
	}
	return nil
}

// checkAddress reports an invalid base URL of an executor.
func checkAddress(field, address string) error {
	if len(address) > job.MaxAddress {
		return job.FieldErrorf(field, "has %d bytes, at most %d are allowed", len(address), job.MaxAddress)
	}
	u, err := url.Parse(address)
	switch {
	case address == "":
		return job.FieldErrorf(field, "is missing: give the base URL of an executor, such as http://10.0.0.5:9999")
	case err != nil, u.Scheme != "http" && u.Scheme != schemeTLS, u.Hostname() == "":
		return job.FieldErrorf(field, "%q is no base URL of an executor: write it such as http://10.0.0.5:9999", address)
	case u.User != nil, u.RawQuery != "", u.ForceQuery, u.Fragment != "", strings.HasSuffix(address, "#"):
		return job.FieldErrorf(field, "the base URL of an executor has no user, query or fragment")
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return job.FieldErrorf(field, "port %s is not from 1 to 65535", port)
		}
	}
	return checkHost(field, address)
}
