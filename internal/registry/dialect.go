package registry

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/orthd/orth/job"
)

// maxHeard is how many dialects that answers told wait to be written; what does
// not fit is told again by a later answer.
const maxHeard = 256

// heard is what an executor's answers told.
type heard struct {
	seat
	dialect job.Dialect
}

// At returns the executor at an address, the one that was seen last when several
// groups have it, and false when there is none that is alive or was entered by
// hand. The caller must not change what it points to.
func (r *Registry) At(address string) (job.Executor, bool) {
	v := r.view.Load()
	i, known := v.byAddress[address]
	if !known {
		return job.Executor{}, false
	}
	return v.executors[i], true
}

// SetDialect says how the executor of a group at an address is spoken to, until it
// is said again; empty leaves it to what the executor shows. It comes back as it
// stands, and this server speaks so at once, others when they have read the rows.
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
	if !known { // its row is there and not yet read
		e = job.Executor{Group: group, Address: address}
	}
	e.Dialect, e.DialectBy = d, by
	r.replace(e)
	r.askAgain(address)
	r.look()
	return e, nil
}

// setBy returns how a dialect is known that a person says.
func setBy(d job.Dialect) job.DialectBy {
	if d == "" {
		return ""
	}
	return job.DialectSet
}

// checkDialect reports why the executor at an address, which is spoken to in another
// dialect now, cannot be set to one.
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

// Heard takes the dialect that answers from an address told. It returns at once; the
// rows are written by Run. A person's word and the executor's own calls are stronger.
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

// note writes what answers told, until ctx ends.
func (r *Registry) note(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case h := <-r.heard:
			e, known := r.Executor(h.group, h.address)
			if !known || e.Dialect == h.dialect {
				continue // it was told twice
			}
			if err := r.config.Store.SaveDialect(ctx, h.group, h.address, h.dialect, job.DialectProbed); err != nil {
				if ctx.Err() == nil {
					r.config.Logger.Warn("the dialect of an executor could not be written; its answers will tell it again",
						"address", h.address, "dialect", h.dialect, "error", err)
				}
				continue
			}
			r.config.Logger.Info("dialect of an executor found out", "group", h.group, "address", h.address, "dialect", h.dialect)
			e.Dialect, e.DialectBy = h.dialect, job.DialectProbed
			r.replace(e)
			r.look()
		}
	}
}

// replace shows another dialect of an executor that is in the view.
func (r *Registry) replace(changed job.Executor) {
	r.mu.Lock()
	defer r.mu.Unlock()
	executors := slices.Clone(r.view.Load().executors)
	for i := range executors {
		if e := &executors[i]; e.Group == changed.Group && e.Address == changed.Address {
			e.Dialect, e.DialectBy = changed.Dialect, changed.DialectBy
		}
	}
	_ = r.show(executors)
}

// enter shows an executor whose row was written just now: the question that follows
// is asked in its dialect, and on behalf of its group.
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
	_ = r.show(executors)
}

// byPlace is the order of the view.
func byPlace(a, b job.Executor) int {
	return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Address, b.Address))
}
