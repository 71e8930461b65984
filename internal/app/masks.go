package app

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/orthd/orth/internal/executorauth"
	"github.com/orthd/orth/internal/redact"
	"github.com/orthd/orth/job"
)

// freshMasks is how long a new secret may be shown in logs: it is read that often
// what is to be hidden.
const freshMasks = 2 * time.Second

// newSecrets returns secrets and their version, none when the version is known.
type newSecrets func(ctx context.Context, known int64) (version int64, secrets []string)

// masks hide secrets in logs, and learn those that come.
type masks struct {
	*redact.Mask
	// named hides the values of named secrets, and nothing else.
	named   *redact.Mask
	own     []string // never change
	sources []newSecrets
	logger  *slog.Logger
}

// openMasks returns what hides secrets in logs.
func (c *Config) openMasks() (*masks, error) {
	m := &masks{logger: c.Logger.With("room", "masks")}
	for _, text := range []string{c.ExecutorToken.Reveal(), c.AdmitSharedToken.Reveal(), c.APIToken.Reveal(), c.LogS3.SecretKey.Reveal(), c.Database.Reveal()} {
		if text != "" {
			m.own = append(m.own, text)
		}
	}
	var err error
	if m.named, err = redact.New(redact.Config{NoDefaults: true}); err != nil {
		return nil, err
	}
	m.Mask, err = redact.New(redact.Config{Literals: m.own, Patterns: c.LogMasks, NoDefaults: c.NoLogMaskDefaults})
	return m, err
}

// Text returns whole lines with all that is secret hidden.
func (m *masks) Text(s string) string { return m.Mask.Text(m.named.Text(s)) }

// checkMasks reports what is wrong with the patterns.
func (c *Config) checkMasks() error {
	_, err := redact.New(redact.Config{Patterns: c.LogMasks})
	if wrong, ok := errors.AsType[*job.Error](err); ok {
		wrong.Field = "log-mask"
	}
	return err
}

// Run learns new secrets until ctx ends.
func (m *masks) Run(ctx context.Context) error {
	tick := time.NewTicker(freshMasks)
	defer tick.Stop()
	versions, secrets := make([]int64, len(m.sources)), make([][]string, len(m.sources))
	for {
		changed := false
		for i, source := range m.sources {
			if version, found := source(ctx, versions[i]); version != versions[i] {
				versions[i], secrets[i], changed = version, found, true
			}
		}
		if changed {
			if err := m.SetLiterals(slices.Concat(append([][]string{m.own}, secrets...)...)); err != nil {
				m.logger.Error("not every secret is hidden in logs", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// tokensOf returns the tokens of groups.
func tokensOf(groups *executorauth.Groups) newSecrets {
	return func(_ context.Context, known int64) (int64, []string) {
		version, tokens := groups.Secrets(known)
		texts := make([]string, 0, len(tokens))
		for _, t := range tokens {
			texts = append(texts, t.Reveal())
		}
		return version, texts
	}
}

// secrets returns those of the channels.
func (a *alarming) secrets(ctx context.Context, known int64) (version int64, texts []string) {
	all, err := a.book.Definitions(ctx)
	if err != nil || all.Version == known {
		return known, nil // the book logs its errors itself
	}
	for i := range all.Channels {
		for _, text := range all.Channels[i].Secrets {
			texts = append(texts, text)
		}
	}
	return all.Version, texts
}
