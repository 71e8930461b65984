package executor

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/orthd/orth/job"
)

// When servers are asked again whether they know Orth's own protocol: those that
// knew it before, and those that never did.
const (
	askKnown = time.Minute
	askOther = 10 * time.Minute
)

// found finds out with each registration how the servers are spoken to: in Orth's own
// protocol when they know it, and in the XXL-JOB family's otherwise. Outcomes go the
// way of the last registration. Servers of both kinds find this executor's door open,
// so that it does not matter when one of them is replaced by another.
type found struct {
	own, family upward
	logger      *slog.Logger

	mu     sync.Mutex
	speaks job.Dialect // guarded by mu: how the last registration went; empty before the first
	ever   bool        // guarded by mu: the own protocol was spoken once
	askAt  time.Time   // guarded by mu: no question about it before
}

// found reports whether servers are asked for Orth's own protocol: their dialect is to
// be found out, and there is a token to sign with.
func (c *Config) found() bool {
	known, err := c.servers()
	return err == nil && c.Token+c.GroupToken != "" && !slices.ContainsFunc(known, func(s server) bool { return s.dialect != "" })
}

// Register implements heartbeat.Servers.
func (f *found) Register(ctx context.Context, group, address string) error {
	if f.triesNative(time.Now()) {
		err := f.own.Register(ctx, group, address)
		if err == nil {
			f.speak(job.DialectNative, time.Now())
			return nil
		}
		if ctx.Err() != nil || f.own == f.protocol() && job.Is(err, job.Refused) { // it was understood
			return err
		}
	}
	err := f.family.Register(ctx, group, address)
	if err == nil {
		f.speak(job.DialectXXL, time.Now())
	}
	return err
}

// Deregister implements heartbeat.Servers.
func (f *found) Deregister(ctx context.Context, group, address string) error {
	return f.protocol().Deregister(ctx, group, address)
}

// SendOutcomes implements outbox.Sender.
func (f *found) SendOutcomes(ctx context.Context, batch []job.Outcome) error {
	return f.protocol().SendOutcomes(ctx, batch)
}

// triesNative reports whether the next registration is tried in the own protocol.
func (f *found) triesNative(now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.speaks != job.DialectXXL || !now.Before(f.askAt)
}

// speak notes how a registration went.
func (f *found) speak(d job.Dialect, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.asksLater(d, now); f.speaks == d {
		return
	}
	f.speaks = d
	f.ever = f.ever || d == job.DialectNative
	f.logger.Info("servers are spoken to", "dialect", d)
}

// asksLater sets when the question comes again that a registration in the family's
// protocol leaves open. mu is held.
func (f *found) asksLater(d job.Dialect, now time.Time) {
	switch {
	case d != job.DialectXXL || f.speaks == d && now.Before(f.askAt):
	case f.ever:
		f.askAt = now.Add(askKnown)
	default:
		f.askAt = now.Add(askOther)
	}
}

// protocol is the protocol for servers now. Before the first registration it is unknown, and
// every server understands the family.
func (f *found) protocol() upward {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.speaks == job.DialectNative {
		return f.own
	}
	return f.family
}
