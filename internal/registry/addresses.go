package registry

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/job"
)

// AddAddress enters the address of an executor by hand: it need not register,
// and is alive while it answers. It is spoken to in the dialect; empty leaves that to
// what its answers tell. The executor is asked at once, and comes back
// with what came of it. The group is made when it does not exist. Kinds:
// Invalid, Conflict, Full, Unavailable.
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
	r.look()
	return e, nil
}

// RemoveAddress removes an address that was entered by hand: when it returns
// nothing is sent there any more by this server. An executor that registers by
// itself comes back with its next beat. Kinds: NotFound, Unavailable.
func (r *Registry) RemoveAddress(ctx context.Context, group, address string) error {
	address = strings.TrimSpace(address)
	if err := r.config.Store.RemoveAddress(ctx, group, address); err != nil {
		return fmt.Errorf("remove %s from group %s: %w", address, group, err)
	}
	r.mu.Lock()
	r.left[seat{group, address}] = struct{}{} // a reading under way may have seen it
	r.mu.Unlock()
	r.reshow()
	r.look()
	return nil
}

// Rewrites returns the rules of a group, as they stand in the store.
func (r *Registry) Rewrites(ctx context.Context, group string) ([]job.Rewrite, error) {
	if err := job.CheckGroup("group", group); err != nil {
		return nil, err
	}
	if err := r.readRules(ctx); err != nil {
		return nil, err
	}
	return slices.Clone((*r.rules.Load())[group]), nil
}

// SaveRewrites sets the rules of a group; none removes them. The first rule that
// is about an address counts, from the executor's next beat on: until its old
// lease ends it is shown at both addresses. Kinds: Invalid, Full, Unavailable.
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
