package registry

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/job"
)

// AddAddress adds a manual address of an executor: it need not register, and is alive while
// it answers. Requests to it use the dialect; an empty one is detected from its answers.
// AddAddress probes the executor at once, and returns it with the result. It creates the
// group if it does not exist. Kinds: Invalid, Conflict, Full, Unavailable.
func (r *Registry) AddAddress(ctx context.Context, group, address string, d job.Dialect) (job.Executor, error) {
	address = strings.TrimSpace(address)
	if err := job.CheckGroup("group", group); err != nil {
		return job.Executor{}, err
	}
	if err := checkAddress("address", address); err != nil {
		return job.Executor{}, err
	}
	was, _ := r.Executor(group, address)
	if err := checkDialect("dialect", d, address, was.Dialect); err != nil {
		return job.Executor{}, err
	}
	now := r.config.Now()
	namespace, err := r.config.Store.AddAddress(ctx, group, address, now)
	if err != nil {
		return job.Executor{}, fmt.Errorf("add %s to group %s: %w", address, group, err)
	}
	e := job.Executor{
		Namespace: namespace, Group: group, Address: address, Manual: true, RegisteredAt: now, SeenAt: now,
		Dialect: was.Dialect, DialectBy: was.DialectBy,
	}
	if d != "" {
		if err := r.config.Store.SaveDialect(ctx, group, address, d, job.DialectSet); err != nil {
			return job.Executor{}, fmt.Errorf("set the dialect of %s in group %s: %w", address, group, err)
		}
		e.Dialect, e.DialectBy = d, job.DialectSet
		r.config.Logger.Info("dialect of an executor set", "group", group, "address", address, "dialect", d, "before", was.Dialect)
	}
	r.enter(e)
	if r.config.Prober != nil {
		if err := r.config.Prober.Beat(ctx, address); err != nil {
			e.Unreachable = job.Clean(err.Error(), maxReason)
		}
	}
	r.askAgain(address)
	r.requestRead()
	return e, nil
}

// RemoveAddress removes a manual address: after it returns, this server sends nothing there
// any more. An executor that registers comes back with its next heartbeat. Kinds: NotFound,
// Unavailable.
func (r *Registry) RemoveAddress(ctx context.Context, group, address string) error {
	address = strings.TrimSpace(address)
	if err := r.config.Store.RemoveAddress(ctx, group, address); err != nil {
		return fmt.Errorf("remove %s from group %s: %w", address, group, err)
	}
	r.mu.Lock()
	r.left[seat{group, address}] = struct{}{} // a reading under way may have seen it
	r.mu.Unlock()
	r.reshow()
	r.requestRead()
	return nil
}

// Rewrites returns the rules of a group from the store.
func (r *Registry) Rewrites(ctx context.Context, group string) ([]job.Rewrite, error) {
	if err := job.CheckGroup("group", group); err != nil {
		return nil, err
	}
	if err := r.readRules(ctx); err != nil {
		return nil, err
	}
	return slices.Clone((*r.rules.Load())[group]), nil
}

// SaveRewrites sets the rules of a group; none removes them. The first rule that matches an
// address applies, from the executor's next heartbeat on. Until its old lease ends, the
// executor is listed at both addresses. Kinds: Invalid, Full, Unavailable.
func (r *Registry) SaveRewrites(ctx context.Context, group string, rules []job.Rewrite) error {
	if err := job.CheckGroup("group", group); err != nil {
		return err
	}
	if err := checkRewrites(rules); err != nil {
		return err
	}
	if err := r.config.Store.SaveRewrites(ctx, group, rules, time.Now()); err != nil {
		return fmt.Errorf("save the rules for addresses of group %s: %w", group, err)
	}
	return r.readRules(ctx)
}
