package resttest

import (
	"context"

	"github.com/orthd/orth/job"
)

// AddAddress implements AddressKeeper.
func (f *Fake) AddAddress(_ context.Context, group, address string, d job.Dialect) (job.Executor, error) {
	return job.Executor{
		Namespace: "team", Group: group, Address: address, Manual: true, RegisteredAt: Instant, SeenAt: Instant, Unreachable: "connection refused", Dialect: d,
	}, f.Note("add %s to %s as %q", address, group, d)
}

// Facts implements FactsReader.
func (f *Fake) Facts(_ context.Context, group, address string) (job.Facts, error) {
	return job.Facts{Kind: "solana", At: Instant, Text: `{"slot":1}`}, f.Note("facts of %s in %s", address, group)
}

// Offer implements OfferReader.
func (f *Fake) Offer(_ context.Context, group string) (job.Offer, error) {
	return job.Offer{Executors: 3, Silent: 1, Handlers: []job.OfferedHandler{
		{Kind: job.HandlerShell, Executors: 2}, {Kind: job.HandlerNamed, Name: "report", Executors: 1},
	}}, f.Note("handlers of %s", group)
}

// SetDialect implements DialectKeeper.
func (f *Fake) SetDialect(_ context.Context, group, address string, d job.Dialect) (job.Executor, error) {
	return job.Executor{
		Group: group, Address: address, RegisteredAt: Instant, SeenAt: Instant, Dialect: d, DialectBy: job.DialectSet,
	}, f.Note("speak to %s of %s as %q", address, group, d)
}

// RemoveAddress implements AddressKeeper.
func (f *Fake) RemoveAddress(_ context.Context, group, address string) error {
	return f.Note("remove %s from %s", address, group)
}

// Rewrites implements RewriteKeeper.
func (f *Fake) Rewrites(_ context.Context, group string) ([]job.Rewrite, error) {
	return []job.Rewrite{{From: "http://a", To: "http://b:{port}"}}, f.Note("rewrites of %s", group)
}

// SaveRewrites implements RewriteKeeper.
func (f *Fake) SaveRewrites(_ context.Context, group string, rules []job.Rewrite) error {
	return f.Note("rewrites of %s become %+v", group, rules)
}
