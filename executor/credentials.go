package executor

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/wire/native/signing"
	"github.com/orthd/orth/job"
)

// deriveToken puts the token of the group in the place of a server's executor key,
// which is never shown.
func (c *Config) deriveToken() error {
	key := redacted.New(c.Token)
	if credential.IsServer(redacted.New(c.GroupToken)) {
		return job.FieldErrorf("group-token", "is the executor key of a server: give it as the token, of which that of the group is made")
	}
	if !credential.IsServer(key) {
		return nil
	}
	if err := credential.CheckServer("token", key); err != nil {
		return err
	}
	c.Token = credential.OfGroup(key, c.Group).Reveal()
	return nil
}

// checkTokens refuses to listen on host with tokens that protect nothing.
func (c *Config) checkTokens(host string) error {
	token, group := redacted.New(c.Token), redacted.New(c.GroupToken)
	if c.certified() {
		return nil
	}
	if !group.IsZero() {
		if credential.WellKnown(group) {
			return credential.CheckGroup("group-token", group)
		}
		if err := credential.CheckBinding("group-token", group, host); err != nil {
			return err
		}
	}
	if c.admitsDefault() || token.IsZero() && !group.IsZero() {
		return nil
	}
	err := credential.CheckBinding("token", token, host)
	if wrong, ok := errors.AsType[*job.Error](err); ok && credential.WellKnown(token) {
		wrong.Hint = "while servers have nothing else it is admitted with --admit-default-token (Config.AdmitDefaultToken), for the time of a migration"
	}
	return err
}

// admitsDefault reports whether servers may show a publicly known token, or none, because
// the user allows it.
func (c *Config) admitsDefault() bool {
	token := redacted.New(c.Token)
	return c.AdmitDefaultToken && (credential.WellKnown(token) || token.IsZero() && c.GroupToken == "")
}

// warnOfDefault warns that everybody may call.
func (c *Config) warnOfDefault() {
	if c.admitsDefault() {
		c.Logger.Warn("a well-known token, or none, is admitted: any client that reaches this executor may have it run what it can",
			"listen", c.Listen, "scripts", c.Scripts, "hint", "give the group a token of its own on the servers, show it with --group-token-file, and leave --admit-default-token away")
	}
}

// certified reports whether certificates stand for a token, on both sides: servers
// know this executor by its own, and it knows them by the one that they show here, or
// by theirs when it pulls.
func (c *Config) certified() bool {
	known, err := c.servers()
	if err != nil || c.Token+c.GroupToken != "" || c.TLS.Cert == "" || dialectOfAll(known) != job.DialectNative {
		return false
	}
	plain := slices.ContainsFunc(known, func(s server) bool { return !strings.HasPrefix(s.address, "https://") })
	return !plain && (c.Pull || c.TLS.ClientCA != "")
}

// anyServer believes every certificate that the listener takes.
type anyServer struct{}

// Named implements native.Certificates.
func (anyServer) Named(context.Context, []string) (job.Caller, error) { return job.Caller{}, nil }

// certificates are those that replace a signature: none when there is a token, which is
// required besides them.
func (c *Config) certificates() signing.Certificates {
	if !c.certified() {
		return nil
	}
	return anyServer{}
}
