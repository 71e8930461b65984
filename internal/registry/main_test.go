package registry

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/orthd/orth/internal/lifecycle/lifecycletest"
	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rows is a store in memory. Groups get the ids 1, 2, ….
type rows struct {
	mu     sync.Mutex
	groups []string
	leases map[seat]job.Executor
	rules  map[string][]job.Rewrite
	facts  map[seat]job.Facts
	reads  int
	notes  int // dialects that answers told
	fail   error
	// rivals are incarnations that are refused, rivalAt when one was last, with a lease of 25 s.
	rivals  []string
	rivalAt time.Time
	slow    time.Duration // between reading and answering
}

func newRows() *rows {
	return &rows{leases: make(map[seat]job.Executor), rules: make(map[string][]job.Rewrite), facts: make(map[seat]job.Facts)}
}

func (r *rows) PutLease(_ context.Context, e job.Executor) (job.Executor, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fail != nil {
		return job.Executor{}, r.fail
	}
	if !slices.Contains(r.groups, e.Group) {
		r.groups = append(r.groups, e.Group)
	}
	if slices.Contains(r.rivals, e.Incarnation) {
		r.rivalAt = e.SeenAt
		return job.Executor{}, job.Errorf(job.Conflict, "another executor has the address")
	}
	if !r.rivalAt.IsZero() && e.SeenAt.Sub(r.rivalAt) < 25*time.Second {
		e.RivalAt, e.CrowdedUntil = r.rivalAt, r.rivalAt.Add(25*time.Second)
	}
	e.GroupID = int64(slices.Index(r.groups, e.Group) + 1)
	known, ok := r.leases[seat{e.Group, e.Address}]
	if ok {
		e.RegisteredAt, e.Manual = known.RegisteredAt, known.Manual
		if e.Dialect == "" || !e.DialectBy.Replaces(known.DialectBy) {
			e.Dialect, e.DialectBy = known.Dialect, known.DialectBy
		}
	}
	switch e.Incarnation {
	case "":
	case known.Incarnation:
		e.IncarnationAt = known.IncarnationAt
	default:
		e.IncarnationAt = e.SeenAt
	}
	if e.InstanceAt = e.IncarnationAt; e.Instance != "" && e.Instance == known.Instance {
		e.InstanceAt = known.InstanceAt
	}
	r.leases[seat{e.Group, e.Address}] = e
	return e, nil
}

func (r *rows) DropLease(_ context.Context, group, address string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.leases[seat{group, address}]; e.Manual || e.DialectBy == job.DialectSet {
		e.LeaseUntil = time.Time{}
		r.leases[seat{group, address}] = e
	} else {
		delete(r.leases, seat{group, address})
	}
	return r.fail
}

func (r *rows) PutFacts(_ context.Context, group, address string, f job.Facts) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := seat{group, address}
	e, known := r.leases[s]
	if !known {
		return job.Errorf(job.NotFound, "nobody is at %s", address)
	}
	e.Kind, e.FactsAt = f.Kind, f.At
	r.leases[s], r.facts[s] = e, f
	return r.fail
}

func (r *rows) Facts(_ context.Context, group, address string) (job.Facts, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f, known := r.facts[seat{group, address}]
	if !known {
		return f, job.Errorf(job.NotFound, "nobody at %s has told anything", address)
	}
	return f, r.fail
}

func (r *rows) AddAddress(_ context.Context, group, address string, now time.Time) (namespace string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.groups, group) {
		r.groups = append(r.groups, group)
	}
	e, known := r.leases[seat{group, address}]
	if !known {
		e = job.Executor{Group: group, GroupID: int64(slices.Index(r.groups, group) + 1), Address: address, RegisteredAt: now, SeenAt: now}
	}
	e.Manual = true
	r.leases[seat{group, address}] = e
	return job.DefaultNamespace, r.fail
}

func (r *rows) RemoveAddress(_ context.Context, group, address string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.leases[seat{group, address}].Manual {
		return job.Errorf(job.NotFound, "nobody entered %s", address)
	}
	delete(r.leases, seat{group, address})
	return r.fail
}

func (r *rows) RenewManual(_ context.Context, executors []job.Executor, until, now time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fail != nil {
		return r.fail
	}
	for _, e := range executors {
		if known, ok := r.leases[seat{e.Group, e.Address}]; ok && known.LeaseUntil.Before(until) {
			known.LeaseUntil, known.SeenAt = until, now
			r.leases[seat{e.Group, e.Address}] = known
		}
	}
	return nil
}

func (r *rows) SaveDialect(_ context.Context, group, address string, d job.Dialect, by job.DialectBy) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, known := r.leases[seat{group, address}]
	if by == job.DialectProbed {
		r.notes++
		known = known && by.Replaces(e.DialectBy)
	} else if !known {
		return job.Errorf(job.NotFound, "no executor at %s", address)
	}
	if known {
		e.Dialect, e.DialectBy = d, by
		r.leases[seat{group, address}] = e
	}
	return r.fail
}

func (r *rows) SaveRewrites(_ context.Context, group string, rules []job.Rewrite, _ time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rules[group] = rules
	return r.fail
}

func (r *rows) Rewrites(context.Context) (map[string][]job.Rewrite, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.rules), r.fail
}

func (r *rows) Announced(_ context.Context, group string, now time.Time) (found []job.Executor, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for at, e := range r.leases {
		if at.group == group && e.LeaseUntil.After(now) {
			found = append(found, e)
		}
	}
	return found, r.fail
}

func (r *rows) Leases(ctx context.Context, now time.Time) ([]job.Executor, error) {
	r.mu.Lock()
	r.reads++
	var alive []job.Executor
	for _, e := range r.leases {
		if e.LeaseUntil.After(now) || e.Manual {
			alive = append(alive, e)
		}
	}
	err, slow := r.fail, r.slow
	r.mu.Unlock()
	slices.SortFunc(alive, func(a, b job.Executor) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Address, b.Address))
	})
	if slow > 0 {
		select {
		case <-time.After(slow):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return alive, err
}

func (r *rows) readings() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reads
}

func (r *rows) set(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
}

// start runs a registry within the bubble of a test, until its end. It has read
// the rows.
func start(t *testing.T, c Config) *Registry {
	t.Helper()
	r := New(c)
	lifecycletest.Start(t, r.Run)
	synctest.Wait()
	return r
}

func register(t *testing.T, r *Registry, group string, addresses ...string) {
	t.Helper()
	for _, address := range addresses {
		if err := r.Register(t.Context(), job.Beat{Group: group, Address: address}); err != nil {
			t.Fatalf("Register %s: %v", address, err)
		}
	}
	settle()
}

// settle lets the registry read what was written.
func settle() {
	time.Sleep(2 * lookGap)
	synctest.Wait()
}

func wantAlive(t *testing.T, r *Registry, group int64, want ...string) {
	t.Helper()
	if diff := gocmp.Diff(want, r.Alive(group)); diff != "" {
		t.Errorf("alive in group %d (-want +got):\n%s", group, diff)
	}
}

// network says which addresses answer: those with an error do not.
type network struct {
	mu    sync.Mutex
	wrong map[string]error
	asked map[string]int
	slow  time.Duration // of those that do not answer
	busy  int           // questions under way
	most  int
}

func newNetwork() *network {
	return &network{wrong: make(map[string]error), asked: make(map[string]int)}
}

func (n *network) Beat(ctx context.Context, address string) error {
	n.mu.Lock()
	n.asked[address]++
	err, slow := n.wrong[address], n.slow
	n.busy++
	n.most = max(n.most, n.busy)
	n.mu.Unlock()
	defer n.set(func() { n.busy-- })
	if err == nil || slow == 0 {
		return err
	}
	select {
	case <-time.After(slow):
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (n *network) set(change func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	change()
}

// cut lets an address answer no more, or again.
func (n *network) cut(address, why string) {
	n.set(func() {
		delete(n.wrong, address)
		if why != "" {
			n.wrong[address] = job.Errorf(job.Unreachable, "%s", why)
		}
	})
}
