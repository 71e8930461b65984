// Package registry knows which executors are alive.
//
// It knows groups, addresses and leases: an executor that beats has a lease, one
// whose lease has ended is thought dead. It must never know routes, tasks,
// protocols or SQL. Beats come in from the doors; the addresses that may be
// picked go out, from memory. The rows are the truth and are read again every
// few seconds, so that all servers see the same executors; a farewell that came
// to this server counts at once, and a newcomer as soon as the rows are read.
package registry

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/orthd/orth/job"
)

// Config says how long executors live.
type Config struct {
	Store Store
	// LeaseTTL is how long a beat counts. Defaults to 90 s: executors of the
	// XXL-JOB family beat every 30 s.
	LeaseTTL time.Duration
	// Refresh is how often the rows are read. Defaults to 3 s.
	Refresh time.Duration
	Logger  *slog.Logger
	Hooks   Hooks
}

// Hooks must return at once.
type Hooks struct {
	// Changed is called when executors came or went.
	Changed func()
}

// lookGap is the least time between two readings of the rows, so that a
// thousand executors that come at once are not a thousand readings.
const lookGap = 50 * time.Millisecond

// Registry is the view of one server.
type Registry struct {
	config Config
	view   atomic.Pointer[view] // written under mu
	looks  chan struct{}        // asks Run to read the rows now

	mu   sync.Mutex
	left map[seat]struct{} // guarded by mu: who said farewell since the last reading began
}

// seat is an executor's place in a group.
type seat struct{ group, address string }

// view is immutable.
type view struct {
	byGroup   map[int64][]string
	executors []job.Executor
}

// newView returns the view of the executors without those who have left.
func newView(executors []job.Executor, left map[seat]struct{}) *view {
	v := &view{byGroup: make(map[int64][]string), executors: make([]job.Executor, 0, len(executors))}
	for _, e := range executors {
		if _, gone := left[seat{e.Group, e.Address}]; gone {
			continue
		}
		v.executors = append(v.executors, e)
		v.byGroup[e.GroupID] = append(v.byGroup[e.GroupID], e.Address)
	}
	for group, addresses := range v.byGroup {
		slices.Sort(addresses)
		v.byGroup[group] = slices.Compact(addresses)
	}
	return v
}

// New returns a registry that knows nobody until Run has read the rows.
func New(c Config) *Registry {
	if c.LeaseTTL <= 0 {
		c.LeaseTTL = 90 * time.Second
	}
	if c.Refresh <= 0 {
		c.Refresh = 3 * time.Second
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Hooks.Changed == nil {
		c.Hooks.Changed = func() {}
	}
	r := &Registry{config: c, looks: make(chan struct{}, 1), left: make(map[seat]struct{})}
	r.view.Store(&view{})
	return r
}

// Register takes a beat: the executor is alive for a lease from now on, and has
// the features that it names. Those that are too many, too long or not text are
// left out: they inform people and must not keep an executor away. Kinds:
// Invalid, Full, Unavailable.
func (r *Registry) Register(ctx context.Context, group, address string, features []string) error {
	if err := job.CheckGroup("group", group); err != nil {
		return err
	}
	now := time.Now()
	e, err := r.config.Store.PutLease(ctx, job.Executor{
		Group: group, Address: address, LeaseUntil: now.Add(r.config.LeaseTTL), RegisteredAt: now, SeenAt: now,
		Features: readable(features),
	})
	if err != nil {
		return fmt.Errorf("register %s in group %s: %w", address, group, err)
	}
	if _, known := slices.BinarySearch(r.Alive(e.GroupID), address); !known {
		r.look()
	}
	return nil
}

// readable returns the features that can be kept, in their order.
func readable(features []string) []string {
	var kept []string
	for _, f := range features {
		if len(kept) == job.MaxFeatures {
			break
		}
		if f == "" || len(f) > job.MaxFeature || !utf8.ValidString(f) || strings.ContainsFunc(f, unicode.IsControl) {
			continue
		}
		kept = append(kept, f)
	}
	return kept
}

// Deregister takes a farewell: when it returns nothing is sent to the executor
// any more by this server. An executor nobody knows is no error.
func (r *Registry) Deregister(ctx context.Context, group, address string) error {
	if err := r.config.Store.DropLease(ctx, group, address); err != nil {
		return fmt.Errorf("deregister %s from group %s: %w", address, group, err)
	}
	r.mu.Lock()
	r.left[seat{group, address}] = struct{}{} // a reading under way may have seen the lease
	changed := r.show(r.view.Load().executors)
	r.mu.Unlock()
	if changed {
		r.config.Hooks.Changed()
	}
	r.look()
	return nil
}

// Alive returns the addresses of the group that are alive, sorted. The caller
// must not change them.
func (r *Registry) Alive(group int64) []string { return r.view.Load().byGroup[group] }

// AliveGroups returns the groups with an executor that is alive, sorted.
func (r *Registry) AliveGroups() []int64 {
	return slices.Sorted(maps.Keys(r.view.Load().byGroup))
}

// Executors returns the executors that are alive, by group and address. The
// caller owns the slice.
func (r *Registry) Executors() []job.Executor { return slices.Clone(r.view.Load().executors) }

func (r *Registry) look() {
	select {
	case r.looks <- struct{}{}:
	default:
	}
}

// Run keeps the view until ctx ends. When the rows cannot be read the view
// stays as it is: a database that is slow for a moment must not empty it.
func (r *Registry) Run(ctx context.Context) error {
	ticker := time.NewTicker(r.config.Refresh)
	defer ticker.Stop()
	for {
		if err := r.read(ctx); err != nil && ctx.Err() == nil {
			r.config.Logger.Error("executors could not be read; the last known ones stay", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(lookGap):
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		case <-r.looks:
		}
	}
}

func (r *Registry) read(ctx context.Context) error {
	r.mu.Lock()
	clear(r.left)
	r.mu.Unlock()
	executors, err := r.config.Store.Leases(ctx, time.Now())
	if err != nil {
		return fmt.Errorf("read leases: %w", err)
	}
	r.mu.Lock()
	changed := r.show(executors)
	r.mu.Unlock()
	if changed {
		r.config.Hooks.Changed()
	}
	return nil
}

// show makes the executors the view and reports whether somebody came or went.
// The caller holds mu.
func (r *Registry) show(executors []job.Executor) bool {
	next := newView(executors, r.left)
	before := r.view.Swap(next)
	return !maps.EqualFunc(before.byGroup, next.byGroup, slices.Equal)
}
