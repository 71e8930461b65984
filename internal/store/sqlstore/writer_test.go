package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// table is a writer on a table of numbers.
type table struct {
	*writer
	db      *sql.DB
	commits []int // operations of each transaction
	logged  strings.Builder
	stop    func()
}

func testDialect() Dialect {
	return Dialect{
		Begin:     "BEGIN IMMEDIATE",
		Now:       "SELECT 0",
		KeepFirst: func(insert string, unique ...string) string { return insert + " ON CONFLICT DO NOTHING" },
		Fault: func(err error) Fault {
			e, ok := errors.AsType[*sqlite.Error](err)
			switch {
			case !ok:
				return FaultOther
			case e.Code() == lib.SQLITE_CONSTRAINT_PRIMARYKEY:
				return FaultTaken
			case e.Code()&0xff == lib.SQLITE_BUSY:
				return FaultAway
			}
			return FaultOther
		},
	}
}

// newTable returns a writer that does not run yet.
func newTable(t *testing.T) *table {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "test.db")+"?_pragma=journal_mode(WAL)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE numbers (n INTEGER PRIMARY KEY)"); err != nil {
		t.Fatal(err)
	}
	w := &table{db: db}
	d := testDialect()
	if err := d.defaults(); err != nil {
		t.Fatal(err)
	}
	c := &Config{Dialect: d, Write: Pool(db), Logger: slog.New(slog.NewTextHandler(&w.logged, nil))}
	c.Hooks.Committed = func(n int, _ time.Duration, err error) {
		if err == nil {
			w.commits = append(w.commits, n)
		}
	}
	w.writer = newWriter(c)
	return w
}

// start runs the writer until the test ends or stop is called.
func (w *table) start(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- w.run(ctx) }()
	w.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(w.stop)
}

// together runs the operations in one transaction and returns their results.
// The writer must not run yet.
func (w *table) together(t *testing.T, ops ...func(*tx) error) []error {
	t.Helper()
	results := make([]error, len(ops))
	var all sync.WaitGroup
	for i, do := range ops {
		all.Go(func() { results[i] = w.update(t.Context(), do) })
		for len(w.queue) <= i {
			runtime.Gosched()
		}
	}
	w.start(t)
	all.Wait()
	return results
}

func (w *table) numbers(t *testing.T) []int {
	t.Helper()
	rows, err := w.db.QueryContext(t.Context(), "SELECT n FROM numbers ORDER BY n")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all []int
	for rows.Next() {
		var n int
		if err := rows.Scan(&n); err != nil {
			t.Fatal(err)
		}
		all = append(all, n)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// add returns an operation that inserts numbers.
func add(numbers ...int) func(*tx) error {
	return func(t *tx) error {
		for _, n := range numbers {
			if _, err := t.exec("INSERT INTO numbers (n) VALUES (?)", n); err != nil {
				return err
			}
		}
		return nil
	}
}

func kinds(errs []error) []job.Kind {
	all := make([]job.Kind, len(errs))
	for i, err := range errs {
		all[i] = job.KindOf(err)
	}
	return all
}

func TestWaitingOperationsShareATransaction(t *testing.T) {
	t.Parallel()
	w := newTable(t)
	ops := make([]func(*tx) error, maxGroup+100)
	for i := range ops {
		ops[i] = add(i)
	}
	for _, err := range w.together(t, ops...) {
		if err != nil {
			t.Fatal(err)
		}
	}
	w.stop()
	if want := []int{maxGroup, 100}; !slices.Equal(w.commits, want) {
		t.Errorf("transactions of %v operations, want %v", w.commits, want)
	}
	if n := len(w.numbers(t)); n != len(ops) {
		t.Errorf("%d rows, want %d", n, len(ops))
	}
}

func TestAnErrorUndoesItsOwnWritesOnly(t *testing.T) {
	t.Parallel()
	boom := job.Errorf(job.NotFound, "boom")
	for _, sparing := range []bool{false, true} {
		t.Run(fmt.Sprintf("sparing=%t", sparing), func(t *testing.T) {
			t.Parallel()
			w := newTable(t)
			w.dialect.Sparing = sparing
			results := w.together(t,
				add(1, 2),
				add(3, 1), // 3 is undone
				func(t *tx) error { return errors.Join(add(4)(t), boom) },
				func(t *tx) error { _ = add(5)(t); panic("odd") },
				func(t *tx) error {
					var n int
					if _, err := t.read("SELECT COUNT(*) FROM numbers", nil, []any{&n}); err != nil || n != 2 {
						return fmt.Errorf("%d rows are seen, %w", n, err)
					}
					return add(6)(t)
				},
			)
			w.stop()
			if got, want := kinds(results), []job.Kind{"", job.Conflict, job.NotFound, job.Internal, ""}; !slices.Equal(got, want) {
				t.Errorf("kinds %q, want %q", got, want)
			}
			if got, want := w.numbers(t), []int{1, 2, 6}; !slices.Equal(got, want) {
				t.Errorf("rows %v, want %v", got, want)
			}
			if !strings.Contains(w.logged.String(), "a write panicked") || !strings.Contains(w.logged.String(), "writer_test.go") {
				t.Errorf("the log has no stack: %s", w.logged.String())
			}
		})
	}
}

// A group without savepoints is done once when all of its operations succeed, and once
// more when one fails; those after it have savepoints for a while.
func TestSavepointsAreSpared(t *testing.T) {
	t.Parallel()
	w := newTable(t)
	w.dialect.Sparing = true
	done := make([]int, 3)
	counted := func(i int, do func(*tx) error) func(*tx) error {
		return func(t *tx) error { done[i]++; return do(t) }
	}
	savepoints := func() bool { _, ok := w.session.statements["SAVEPOINT operation"]; return ok }
	for round, c := range []struct {
		last       func(*tx) error
		done       []int
		kind       job.Kind
		savepoints bool
	}{
		{add(2), []int{1, 1, 1}, "", false},
		{add(0), []int{3, 3, 3}, job.Conflict, true},
		{add(8), []int{4, 4, 4}, "", true},
		{func(t *tx) error { _ = add(0)(t); return nil }, []int{6, 6, 6}, "", true}, // nobody is told
	} {
		first := 3 * round
		if round == 3 {
			w.wary = 0
		}
		group := []func(*tx) error{add(first), add(first + 1), c.last}
		w.group = w.group[:0]
		for i, do := range group {
			w.group = append(w.group, &operation{do: counted(i, do)})
		}
		results, err := w.commit()
		if err != nil || !slices.Equal(done, c.done) || job.KindOf(results[2]) != c.kind || savepoints() != c.savepoints {
			t.Errorf("round %d: done %v, %v, %v, savepoints %t; want %v", round, done, results, err, savepoints(), c)
		}
	}
	w.session.close()
	if got, want := w.numbers(t), []int{0, 1, 2, 3, 4, 6, 7, 8, 9, 10}; !slices.Equal(got, want) {
		t.Errorf("rows %v, want %v", got, want)
	}
}

func TestAnErrorOfALoneOperationUndoesIt(t *testing.T) {
	t.Parallel()
	w := newTable(t)
	w.start(t)
	if err := w.update(t.Context(), add(1)); err != nil {
		t.Fatal(err)
	}
	if err := w.update(t.Context(), add(2, 1)); !job.Is(err, job.Conflict) {
		t.Errorf("got %v", err)
	}
	if err := w.update(t.Context(), func(t *tx) error { _ = add(3)(t); panic("odd") }); !job.Is(err, job.Internal) {
		t.Errorf("got %v", err)
	}
	if err := w.update(t.Context(), add(4)); err != nil {
		t.Fatal(err)
	}
	if got, want := w.numbers(t), []int{1, 4}; !slices.Equal(got, want) {
		t.Errorf("rows %v, want %v", got, want)
	}
}

// A transaction that ends under the operations must acknowledge none of them,
// and must not let a later one write outside of it.
func TestALostTransactionFailsTheWholeGroup(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"ROLLBACK", "COMMIT"} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			w := newTable(t)
			results := w.together(t, add(1), func(t *tx) error {
				_, err := t.exec(end)
				return err
			}, add(2))
			want := []job.Kind{job.Unavailable, job.Unavailable, job.Unavailable}
			if got := kinds(results); !slices.Equal(got, want) {
				t.Errorf("kinds %q, want %q", got, want)
			}
			if err := w.update(t.Context(), add(3)); err != nil {
				t.Fatalf("the next transaction: %v", err)
			}
			w.stop()
			if got := w.numbers(t); slices.Contains(got, 2) || !slices.Contains(got, 3) {
				t.Errorf("rows %v: 2 was written outside of a transaction, or 3 was lost", got)
			}
			if log := w.logged.String(); strings.Count(log, "takes no writes") != 1 || strings.Count(log, "takes writes again") != 1 {
				t.Errorf("log: %s", log)
			}
		})
	}
}

func TestABusyDatabaseIsUnavailableAndComesBack(t *testing.T) {
	t.Parallel()
	w := newTable(t)
	w.start(t)
	other, err := w.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := other.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.update(t.Context(), add(1)); !job.Is(err, job.Unavailable) {
			t.Errorf("got %v", err)
		}
	}
	if _, err := other.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := w.update(t.Context(), add(1)); err != nil {
		t.Fatal(err)
	}
	w.stop()
	if got := strings.Count(w.logged.String(), "takes no writes"); got != 1 {
		t.Errorf("the same trouble is logged %d times", got)
	}
}

func TestACallerMayLeaveWhileItWaits(t *testing.T) {
	t.Parallel()
	w := newTable(t)
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() { left <- w.update(ctx, add(1)) }()
	for len(w.queue) == 0 {
		runtime.Gosched()
	}
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	w.start(t)
	if err := w.update(t.Context(), add(2)); err != nil {
		t.Fatal(err)
	}
	if got := w.numbers(t); !slices.Equal(got, []int{2}) {
		t.Errorf("rows %v: an operation whose caller left was done", got)
	}
}

func TestACallerWaitsForAnOperationThatRuns(t *testing.T) {
	t.Parallel()
	w := newTable(t)
	w.start(t)
	ctx, cancel := context.WithCancel(t.Context())
	err := w.update(ctx, func(t *tx) error {
		cancel()
		return add(1)(t)
	})
	if err != nil {
		t.Errorf("got %v", err)
	}
	if got := w.numbers(t); !slices.Equal(got, []int{1}) {
		t.Errorf("rows %v", got)
	}
}

func TestAStopFinishesWhatIsQueued(t *testing.T) {
	t.Parallel()
	w := newTable(t)
	inside, goOn := make(chan struct{}), make(chan struct{})
	results := make(chan error, 3)
	go func() {
		results <- w.update(t.Context(), func(t *tx) error {
			close(inside)
			<-goOn
			return add(1)(t)
		})
	}()
	w.start(t)
	<-inside
	for i := range 2 {
		go func() { results <- w.update(t.Context(), add(i+2)) }()
	}
	for len(w.queue) < 2 {
		runtime.Gosched()
	}
	stopped := make(chan struct{})
	go func() { w.stop(); close(stopped) }()
	close(goOn)
	<-stopped
	for range 3 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	if got := w.numbers(t); !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("rows %v", got)
	}
	if err := w.update(t.Context(), add(9)); !job.Is(err, job.Unavailable) {
		t.Errorf("a write after the end: %v", err)
	}
	if err := w.run(t.Context()); !job.Is(err, job.Internal) {
		t.Errorf("a second run: %v", err)
	}
}

// A full queue makes callers wait, and they may still leave.
func TestAFullQueueHoldsCallersBack(t *testing.T) {
	t.Parallel()
	w := newTable(t)
	for range maxQueued {
		op := &operation{do: func(*tx) error { return nil }, done: make(chan struct{})}
		w.queue <- op
	}
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() { left <- w.update(ctx, add(1)) }()
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	w.start(t)
	if err := w.update(t.Context(), add(2)); err != nil {
		t.Fatal(err)
	}
	w.stop()
	if got := w.numbers(t); !slices.Equal(got, []int{2}) {
		t.Errorf("rows %v", got)
	}
}

func TestAWrongStatementIsInternal(t *testing.T) {
	t.Parallel()
	w := newTable(t)
	w.start(t)
	err := w.update(t.Context(), func(t *tx) error {
		_, err := t.exec("INSERT INTO nowhere VALUES (?)", 1)
		return err
	})
	if !job.Is(err, job.Internal) || !strings.Contains(err.Error(), "INSERT INTO nowhere") {
		t.Errorf("got %v", err)
	}
}
