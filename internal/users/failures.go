package users

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/orthd/orth/internal/audit"
)

const (
	// failuresFor is the interval at which failed tries are written.
	failuresFor = time.Minute
	// maxFailures bounds the accounts and addresses that are counted separately.
	// maxFailureLines bounds the lines a minute, so that an attack cannot fill the disk.
	maxFailures     = 256
	maxFailureLines = 20
	// failuresLast bounds the last write at shutdown.
	failuresLast = 2 * time.Second
)

// FailureOperation is the operation of failed sign-ins in the audit log.
const FailureOperation = "sign-in-failed"

// FailureBook stores audit lines that belong to no change.
type FailureBook interface {
	AppendAudit(ctx context.Context, lines []audit.Line) error
}

// Failures counts failed sign-ins by account and address, and writes them to the audit log
// once a minute. It is safe for concurrent use.
type Failures struct {
	book   FailureBook
	known  func(ctx context.Context, name string) (bool, error)
	logger *slog.Logger

	mu    sync.Mutex
	tries map[attempted]*failed // guarded by mu; at most maxFailures and one for the rest
}

// attempted is an account and the address of a try. The zero value counts the tries that
// exceed maxFailures.
type attempted struct{ name, address string }

// failed counts tries.
type failed struct {
	of          attempted
	first, last time.Time
	tries, late int
}

// NewFailures returns a counter. known reports whether an account exists. Other names are
// not written, since people type passwords there. A nil logger discards.
func NewFailures(book FailureBook, known func(ctx context.Context, name string) (bool, error), logger *slog.Logger) *Failures {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return &Failures{book: book, known: known, logger: logger, tries: map[attempted]*failed{}}
}

// Failed counts a try to sign in to an account from an address. The account is empty when
// the try has no name. late means that the try was rejected without a check.
func (f *Failures) Failed(name, address string, late bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	of := attempted{name, address}
	if f.tries[of] == nil && len(f.tries) >= maxFailures {
		of = attempted{}
	}
	now := time.Now()
	one := f.tries[of]
	if one == nil {
		one = &failed{of: of, first: now}
		f.tries[of] = one
	}
	one.last = now
	one.tries++
	if late {
		one.late++
	}
}

// Run writes the counts once a minute and at the end of ctx.
func (f *Failures) Run(ctx context.Context) error {
	tick := time.NewTicker(failuresFor)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			f.write(ctx)
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), failuresLast)
			f.write(last)
			cancel()
			return nil
		}
	}
}

// write writes the counts. After an error it logs them and drops them.
func (f *Failures) write(ctx context.Context) {
	f.mu.Lock()
	counted := f.tries
	f.tries = map[attempted]*failed{}
	f.mu.Unlock()
	if len(counted) == 0 {
		return
	}
	lines := failureLines(f.named(ctx, counted))
	if err := f.book.AppendAudit(ctx, lines); err != nil {
		f.logger.WarnContext(ctx, "tries to sign in that failed are not in the audit", "accounts", len(counted), "error", err)
	}
}

// named returns the tries, with the names of existing accounts only.
func (f *Failures) named(ctx context.Context, counted map[attempted]*failed) []failed {
	merged := make(map[attempted]*failed, len(counted))
	for of, one := range counted {
		if is, err := f.known(ctx, of.name); err != nil || !is {
			one.of.name = ""
		}
		if same := merged[one.of]; same != nil {
			same.addCounts(one)
			continue
		}
		merged[one.of] = one
	}
	all := make([]failed, 0, len(merged))
	for _, one := range merged {
		all = append(all, *one)
	}
	slices.SortFunc(all, func(a, b failed) int {
		return cmp.Or(cmp.Compare(b.tries, a.tries), cmp.Compare(a.of.name, b.of.name), cmp.Compare(a.of.address, b.of.address))
	})
	return all
}

// addCounts adds other counts.
func (f *failed) addCounts(other *failed) {
	f.tries, f.late = f.tries+other.tries, f.late+other.late
	if other.first.Before(f.first) {
		f.first = other.first
	}
	if other.last.After(f.last) {
		f.last = other.last
	}
}

// failureLines returns one line for each account and address, the most frequent first, and
// one for all that are too many.
func failureLines(all []failed) []audit.Line {
	if len(all) > maxFailureLines {
		rest := all[maxFailureLines-1]
		rest.of = attempted{}
		for i := maxFailureLines; i < len(all); i++ {
			rest.addCounts(&all[i])
		}
		all = append(all[:maxFailureLines-1:maxFailureLines-1], rest)
	}
	lines := make([]audit.Line, len(all))
	for i := range all {
		lines[i] = all[i].auditLine()
	}
	slices.SortStableFunc(lines, func(a, b audit.Line) int { return a.At.Compare(b.At) })
	return lines
}

func (f *failed) auditLine() audit.Line {
	said := fmt.Appendf(nil, `{"tries":%d,"turned_away":%d,"until":%q}`, f.tries, f.late, f.last.UTC().Format(time.RFC3339))
	l := audit.Line{At: f.first, Address: f.of.address, Operation: FailureOperation, After: string(said)}
	if f.of.name != "" {
		l.Kind, l.Key = "user", f.of.name
	}
	return l
}
