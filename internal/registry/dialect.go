package registry

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/orthd/orth/job"
)

// maxHeard is how many detected dialects wait to be written; a later answer repeats what
// does not fit.
const maxHeard = 256

// heard is the dialect detected from an executor's answers.
type heard struct {
	seat
	dialect job.Dialect
}

// At returns the executor at an address, the most recently seen when several groups have
// it, and false when there is none that is alive or manual. The caller must not change what
// it points to.
func (r *Registry) At(address string) (job.Executor, bool) {
	v := r.view.Load()
	i, known := v.byAddress[address]
	if !known {
		return job.Executor{}, false
	}
	return v.executors[i], true
}

// SetDialect sets the dialect of the executor of a group at an address until the next call;
// empty means that it is detected from what the executor shows. It returns the updated
// executor. This server uses the dialect at once, others when they have read the rows.
// Kinds: Invalid, NotFound, Conflict, Unavailable.
func (r *Registry) SetDialect(ctx context.Context, group, address string, d job.Dialect) (job.Executor, error) {
	address = strings.TrimSpace(address)
	if err := job.CheckGroup("group", group); err != nil {
		return job.Executor{}, err
	}
	e, known := r.Executor(group, address)
	if err := checkDialect("dialect", d, address, e.Dialect); err != nil {
		return job.Executor{}, err
	}
	by := setBy(d)
	if err := r.config.Store.SaveDialect(ctx, group, address, d, by); err != nil {
		return job.Executor{}, fmt.Errorf("set the dialect of %s in group %s: %w", address, group, err)
	}
	r.config.Logger.Info("dialect of an executor set", "group", group, "address", address, "dialect", d, "before", e.Dialect)
	if !known { // its row exists and was not read yet
		e = job.Executor{Group: group, Address: address}
	}
	e.Dialect, e.DialectBy = d, by
	r.replace(e)
	r.askAgain(address)
	r.requestRead()
	return e, nil
}

// setBy returns the source of a dialect that a user sets.
func setBy(d job.Dialect) job.DialectBy {
	if d == "" {
		return ""
	}
	return job.DialectSet
}

// checkDialect reports why the dialect of the executor at an address, which is now, cannot
// be set to d.
func checkDialect(field string, d job.Dialect, address string, now job.Dialect) error {
	switch {
	case d == "":
		return nil
	case !slices.Contains(job.Dialects(), d):
		return job.FieldErrorf(field, "there is no dialect %q: the dialects are %s", job.Clean(string(d), 50), words(job.Dialects()))
	case d == job.DialectNative && now != job.DialectNative:
		refused := job.Errorf(job.Conflict, "an executor speaks %s only when it registers so itself: it brings the key that its requests are signed with", d)
		refused.Hint = "start the executor with its native protocol; nothing needs to be set here then"
		return refused
	case d != job.DialectNative && checkAddress("address", address) != nil:
		return job.Errorf(job.Conflict, "%s is called over http, and the executor has no address for that: %s", d, address)
	}
	return nil
}

func words(dialects []job.Dialect) string {
	all := make([]string, len(dialects))
	for i, d := range dialects {
		all[i] = string(d)
	}
	return strings.Join(all, ", ")
}

// Heard records the dialect detected from answers of an address. It returns at once; Run
// writes the rows. A user's setting and the executor's own calls take precedence.
func (r *Registry) Heard(address string, d job.Dialect) {
	v := r.view.Load()
	i, known := v.byAddress[address]
	if !known {
		return
	}
	e := &v.executors[i]
	if e.Dialect == d || !job.DialectProbed.Replaces(e.DialectBy) {
		return
	}
	select {
	case r.heard <- heard{seat{e.Group, e.Address}, d}:
	default:
	}
}

// writeDialects writes detected dialects until ctx ends.
func (r *Registry) writeDialects(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case h := <-r.heard:
			e, known := r.Executor(h.group, h.address)
			if !known || e.Dialect == h.dialect {
				continue // it was detected twice
			}
			if err := r.config.Store.SaveDialect(ctx, h.group, h.address, h.dialect, job.DialectProbed); err != nil {
				if ctx.Err() == nil {
					r.config.Logger.Warn("could not write the dialect of an executor; its next answers will repeat it",
						"address", h.address, "dialect", h.dialect, "error", err)
				}
				continue
			}
			r.config.Logger.Info("dialect of an executor detected", "group", h.group, "address", h.address, "dialect", h.dialect)
			e.Dialect, e.DialectBy = h.dialect, job.DialectProbed
			r.replace(e)
			r.requestRead()
		}
	}
}

// replace updates the dialect of an executor in the view.
func (r *Registry) replace(changed job.Executor) {
	r.mu.Lock()
	defer r.mu.Unlock()
	executors := slices.Clone(r.view.Load().executors)
	for i := range executors {
		if e := &executors[i]; e.Group == changed.Group && e.Address == changed.Address {
			e.Dialect, e.DialectBy = changed.Dialect, changed.DialectBy
		}
	}
	_ = r.setView(executors)
}

// enter adds an executor whose row was written just now to the view: the probe that follows
// uses its dialect and its group.
func (r *Registry) enter(e job.Executor) {
	if _, known := r.Executor(e.Group, e.Address); known {
		r.replace(e)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.left, seat{e.Group, e.Address})
	executors := append(slices.Clone(r.view.Load().executors), e)
	slices.SortStableFunc(executors, byPlace)
	_ = r.setView(executors)
}

// byPlace is the order of the view.
func byPlace(a, b job.Executor) int {
	return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Address, b.Address))
}
