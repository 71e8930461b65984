package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/job"
)

func TestTranslate(t *testing.T) {
	t.Parallel()
	taken, away := errors.New("taken"), errors.New("away")
	d := Dialect{Fault: func(err error) Fault {
		switch {
		case errors.Is(err, taken):
			return FaultTaken
		case errors.Is(err, away):
			return FaultAway
		}
		return FaultOther
	}}
	for _, c := range []struct {
		err  error
		want job.Kind
	}{
		{nil, ""},
		{fmt.Errorf("insert: %w", taken), job.Conflict},
		{fmt.Errorf("insert: %w", away), job.Unavailable},
		{errors.New("odd"), job.Internal},
		{fmt.Errorf("insert: %w", job.Errorf(job.Full, "full")), job.Full},
	} {
		got := d.translate(c.err)
		if job.KindOf(got) != c.want || (c.err != nil && !errors.Is(got, errors.Unwrap(c.err)) && !errors.Is(got, c.err)) {
			t.Errorf("%v became %v", c.err, got)
		}
	}
	for _, ended := range []error{context.Canceled, context.DeadlineExceeded} {
		if got := d.translate(fmt.Errorf("read: %w", ended)); job.KindOf(got) != job.Internal || !errors.Is(got, ended) {
			t.Errorf("%v became %v", ended, got)
		}
	}
}

func TestLists(t *testing.T) {
	t.Parallel()
	if got, want := in("WHERE id IN (%s)", 3), "WHERE id IN (?,?,?)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for n, want := range map[int]int{1: 1, 2: 8, 8: 8, 9: 50, 50: 50, 51: 200, 201: 500, 500: 500} {
		ids := make([]int64, n)
		for i := range ids {
			ids[i] = int64(i + 1)
		}
		args := sized(ids)
		if len(args) != want || args[0] != int64(1) || args[n-1] != int64(n) || args[want-1] != int64(n) {
			t.Errorf("%d ids became %v", n, args)
		}
	}
	if got := startOf("SELECT\n\t\ta,  b"); got != "SELECT a, b" {
		t.Errorf("got %q", got)
	}
	if got := startOf(strings.Repeat("x", 100)); got != strings.Repeat("x", 60)+"…" {
		t.Errorf("got %q", got)
	}
}

func TestNewRefusesHalfAConfig(t *testing.T) {
	t.Parallel()
	if _, err := New(Config{}); !job.Is(err, job.Invalid) {
		t.Errorf("no pools: %v", err)
	}
	one, two := newTable(t).db, newTable(t).db
	if _, err := New(Config{Write: Pool(one), Read: two}); !job.Is(err, job.Invalid) {
		t.Errorf("no dialect: %v", err)
	}
	for _, db := range []*sql.DB{one, two} {
		if db.PingContext(t.Context()) == nil {
			t.Error("a pool is left open")
		}
	}
}

// Statements are written with ? and go through Rebind, each once.
func TestStatementsAreRebound(t *testing.T) {
	t.Parallel()
	w := newTable(t)
	var seen []string
	w.dialect.Rebind = func(query string) string {
		seen = append(seen, query)
		return strings.ReplaceAll(query, "?", "$1")
	}
	w.start(t)
	for n := range 3 {
		if err := w.update(t.Context(), add(n)); err != nil {
			t.Fatal(err)
		}
	}
	r := newReader(w.db, w.dialect)
	defer r.close()
	for range 3 {
		n, found, err := first(t.Context(), r, func(n *int64) []any { return []any{n} }, "SELECT n FROM numbers WHERE n = ?", 2)
		if err != nil || !found || n != 2 {
			t.Fatalf("got %d, %v, %v", n, found, err)
		}
	}
	w.stop()
	want := []string{"INSERT INTO numbers (n) VALUES (?)", "SELECT n FROM numbers WHERE n = ?"}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("rebound (-want +got):\n%s", diff)
	}
}
