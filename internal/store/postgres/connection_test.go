package postgres

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/orthd/orth/internal/store/sqlstore"
	"github.com/orthd/orth/job"
)

// link is the writer's connection to a database with a table of numbers and texts.
type link struct {
	*connection
	tb      *testing.T
	begin   string
	address string
	db      *sql.DB
}

func newLink(t *testing.T) *link {
	t.Helper()
	address := database(t, "")
	db := query(t, address)
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE numbers (number bigint PRIMARY KEY, word text)"); err != nil {
		t.Fatal(err)
	}
	return linkTo(t, address, db)
}

// linkTo opens another connection.
func linkTo(t *testing.T, address string, db *sql.DB) *link {
	t.Helper()
	base, err := parse(address)
	if err != nil {
		t.Fatal(err)
	}
	c := newConnector(base, writerSettings())
	conn, err := c.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Drop()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return &link{connection: conn.(*connection), tb: t, begin: dialect().Begin, address: address, db: db}
}

// must runs commands.
func (l *link) must(commands ...string) {
	l.tb.Helper()
	for _, one := range commands {
		if err := l.Command(one); err != nil {
			l.tb.Fatalf("%s: %v", one, err)
		}
	}
}

func (l *link) prepared(text string) *statement {
	l.tb.Helper()
	s, err := l.Prepare(text)
	if err != nil {
		l.tb.Fatalf("%s: %v", text, err)
	}
	return s.(*statement)
}

// post queues a statement.
func (l *link) post(s *statement, args ...any) {
	l.tb.Helper()
	if err := s.Post(args); err != nil {
		l.tb.Fatal(err)
	}
}

// stored returns the numbers that are committed.
func (l *link) stored() []string {
	l.tb.Helper()
	return linesOf(l.tb, l.db, "SELECT number::text FROM numbers ORDER BY number")
}

// pick reads one row.
func pick(s *statement, args []any, dest ...any) error {
	rows, err := s.Query(args)
	if err != nil {
		return err
	}
	if !rows.Next() {
		return sql.ErrNoRows
	}
	return errors.Join(rows.Scan(dest...), rows.Err(), rows.Close())
}

const insertNumber = "INSERT INTO numbers (number, word) VALUES ($1, $2)"

// TestWaysToTheDatabase: what nobody asks for goes with what comes next.
func TestWaysToTheDatabase(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	insert, count := l.prepared(insertNumber), l.prepared("SELECT COUNT(*) FROM numbers")
	var n int64
	round := func() {
		t.Helper()
		first := n * 10
		l.must(dialect().Refresh, l.begin)
		l.post(insert, first+1, "a")
		l.post(insert, first+2, nil)
		if err := pick(count, nil, &n); err != nil {
			t.Fatal(err)
		}
		l.post(insert, first+3, "c")
		l.must(commitCommand)
	}
	round() // it prepares commands
	before := l.owner.trips.Load()
	round()
	if trips := l.owner.trips.Load() - before; trips != 2 || n != 5 {
		t.Errorf("%d trips, %d rows", trips, n)
	}
	l.must(l.begin)
	l.post(insert, int64(1), "twice")
	l.must(rollbackCommand, rollbackCommand)
	if trips := l.owner.trips.Load() - before; trips != 2 {
		t.Errorf("what was queued was sent before it was rolled back")
	}
	l.must(l.begin)
	for i := range 3*maxRequests + 10 {
		l.post(insert, int64(1000+i), "many")
		if len(l.requests) > maxRequests {
			t.Fatalf("%d requests wait", len(l.requests))
		}
	}
	if trips := l.owner.trips.Load() - before; trips != 5 {
		t.Errorf("%d trips for many statements, want 3", trips-2)
	}
	l.must(commitCommand)
	if got := len(l.stored()); got != 6+3*maxRequests+10 {
		t.Errorf("%d rows", got)
	}
}

// TestValues: arguments and columns are what they were by database/sql.
func TestValues(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	type named string
	word := "w"
	for _, c := range []struct {
		as   string
		arg  any
		want any
	}{
		{"bigint", int64(-5), int64(-5)},
		{"bigint", 7, int64(7)},
		{"bigint", true, int64(1)},
		{"integer", int64(1 << 30), int64(1 << 30)},
		{"smallint", int64(-3), int64(-3)},
		{"text", "", ""},
		{"text", "wörter", "wörter"},
		{"text", named("n"), "n"},
		{"text", int64(12), "12"},
		{"text", []byte("bytes"), "bytes"},
		{"text", []byte(nil), nil},
		{"varchar", "v", "v"},
		{"bytea", []byte{0, 1, 255}, []byte{0, 1, 255}},
		{"bytea", []byte{}, []byte{}},
		{"boolean", true, true},
		{"double precision", 2.5, 2.5},
		{"double precision", int64(3), 3.0},
		{"real", nil, nil},
		{"bigint", nil, nil},
		{"bigint", (*int64)(nil), nil},
		{"text", &word, "w"},
		{"numeric", int64(12), "12"},
		{"numeric", "1.50", "1.50"},
	} {
		var got any
		if err := pick(l.prepared("SELECT $1::"+c.as), []any{c.arg}, &got); err != nil || fmt.Sprintf("%T %[1]v", got) != fmt.Sprintf("%T %[1]v", c.want) {
			t.Errorf("a %T as %s is %T %[3]v, %v", c.arg, c.as, got, err)
		}
	}
	for _, c := range []struct {
		as  string
		arg any
	}{
		{"smallint", int64(1 << 20)},
		{"integer", int64(1 << 40)},
		{"bigint", "1"},
		{"boolean", int64(1)},
		{"bigint", 1.5},
		{"bigint[]", []string{"1"}},
		{"bytea", int64(1)},
		{"text", struct{}{}},
		{"text", time.Now()},
	} {
		if err := pick(l.prepared("SELECT $1::"+c.as), []any{c.arg}, new(any)); err == nil {
			t.Errorf("a %T is taken for %s", c.arg, c.as)
		}
	}
	var i64 int64
	var i int
	var text string
	var some *string
	row := l.prepared("SELECT $1::bigint, $2::integer, $3::text, $4::text")
	if err := pick(row, []any{1, 2, "3", "4"}, &i64, &i, &text, &some); err != nil || i64 != 1 || i != 2 || text != "3" || *some != "4" {
		t.Errorf("%v, %v, %v, %v, %v", i64, i, text, some, err)
	}
	if err := pick(row, []any{1, 2, "3", nil}, &i64, &i, &text, &some); err != nil || some != nil {
		t.Errorf("NULL is %v, %v", some, err)
	}
	for _, args := range [][]any{{nil, 2, "3", nil}, {1, nil, "3", nil}, {1, 2, nil, nil}} {
		if err := pick(row, args, &i64, &i, &text, &some); !job.Is(err, job.Internal) {
			t.Errorf("NULL is stored in %v: %v", args, err)
		}
	}
	if err := pick(row, []any{1, 2, "3", nil}, &i64); err == nil {
		t.Error("a row is stored in one destination")
	}
	if _, err := row.Exec([]any{1}); err == nil {
		t.Error("one argument is taken for four placeholders")
	}
}

// TestErrorsInAPipe: the first statement that fails is named, nothing behind it happens, and
// the connection goes on.
func TestErrorsInAPipe(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	insert, read := l.prepared(insertNumber), l.prepared("SELECT COUNT(*) FROM numbers")
	var n int64
	for name, last := range map[string]func() error{
		"query":   func() error { return pick(read, nil, &n) },
		"exec":    func() error { _, err := insert.Exec([]any{3, "c"}); return err },
		"flush":   func() error { return l.Flush() },
		"commit":  func() error { return l.Command(commitCommand) },
		"prepare": func() error { _, err := l.Prepare("SELECT 17"); return err },
	} {
		l.must(l.begin)
		l.post(insert, 1, "a")
		l.post(insert, 1, "b")
		l.post(insert, 2, "c")
		posted, ok := errors.AsType[*sqlstore.PostedError](last())
		if !ok || posted.Text != insertNumber || posted.Begins || fault(posted) != sqlstore.FaultTaken {
			t.Errorf("%s: %v", name, posted)
		}
		if _, err := insert.Exec([]any{4, "d"}); err == nil || fault(err) != sqlstore.FaultOther {
			t.Errorf("%s: a failed transaction goes on: %v", name, err)
		}
		if err := l.Command(commitCommand); err != errUndone { //nolint:errorlint // It is that one.
			t.Errorf("%s: the commit of a failed transaction: %v", name, err)
		}
		l.must(rollbackCommand)
	}
	l.must(l.begin)
	if _, err := l.Prepare("SELECT nothing"); fault(err) != sqlstore.FaultOther || !strings.Contains(err.Error(), "42703") {
		t.Errorf("a wrong statement: %v", err)
	}
	l.must(rollbackCommand, l.begin)
	l.post(insert, 5, "a\x00b")
	if err := l.Command(commitCommand); err == nil || !strings.Contains(err.Error(), "22021") {
		t.Errorf("a text with a NUL: %v", err)
	}
	l.must(rollbackCommand, l.begin)
	l.post(insert, 6, storable("a\x00b"))
	l.must(commitCommand)
	if got := l.stored(); !slices.Equal(got, []string{"6"}) {
		t.Errorf("rows %v", got)
	}
}

// TestTurnsInAPipe: the transaction waits for others before its first statement, and an error of
// its turn says that it has not begun.
func TestTurnsInAPipe(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	other := linkTo(t, l.address, l.db)
	insert := l.prepared(insertNumber)
	if _, err := l.conn.Exec(t.Context(), "SET lock_timeout = 200").ReadAll(); err != nil {
		t.Fatal(err)
	}
	other.must(other.begin)
	if err := other.Flush(); err != nil {
		t.Fatal(err)
	}
	l.must(l.begin)
	l.post(insert, 1, "a")
	posted, ok := errors.AsType[*sqlstore.PostedError](l.Command(commitCommand))
	if !ok || !posted.Begins || fault(posted) != sqlstore.FaultAway {
		t.Errorf("%v", posted)
	}
	other.must(commitCommand)
	l.must(rollbackCommand, l.begin)
	l.post(insert, 1, "a")
	l.must(commitCommand)
}

// TestExpected: a statement whose rows do not all take effect fails, and the transaction with it.
func TestExpected(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	const update = "UPDATE numbers SET word = ? WHERE number = ?"
	const many = "DELETE FROM numbers WHERE number >= ? AND number < 10 * ?"
	of := func(query, kinds string, key int) string {
		text, err := expectAll(query, kinds, key)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	for name, c := range map[string]struct {
		text string
		args []any
		ok   bool
	}{
		"one":                 {expectOne(update), []any{"x", 1}, true},
		"none":                {expectOne(update), []any{"x", 77}, false},
		"inserted":            {expectOne("INSERT INTO numbers (number) VALUES (?) ON CONFLICT (number) DO NOTHING"), []any{9}, true},
		"kept":                {expectOne("INSERT INTO numbers (number) VALUES (?) ON CONFLICT (number) DO NOTHING"), []any{1}, false},
		"all":                 {of(update, "ti", 1), []any{[]string{"x", "y"}, []int64{1, 2}}, true},
		"not all":             {of(update, "ti", 1), []any{[]string{"x", "y"}, []int64{1, 77}}, false},
		"all inserted":        {of(keepFirst("INSERT INTO numbers (number, word) VALUES (?, ?)", "number"), "it", 0), []any{[]int64{8, 9}, []string{"", ""}}, true},
		"not all inserted":    {of(keepFirst("INSERT INTO numbers (number, word) VALUES (?, ?)", "number"), "it", 0), []any{[]int64{8, 1}, []string{"", ""}}, false},
		"many of each":        {of(many, "ii", 0), []any{[]int64{1, 30}, []int64{1, 9}}, true},
		"as many, but of one": {of(many, "ii", 0), []any{[]int64{1, 50}, []int64{1, 1}}, false},
	} {
		l.must(l.begin)
		l.post(l.prepared("INSERT INTO numbers (number) VALUES (1), (2), (30), (31)"))
		l.post(l.prepared(c.text), c.args...)
		err := l.Flush()
		posted, _ := errors.AsType[*sqlstore.PostedError](err)
		if c.ok != (err == nil) || !c.ok && (posted == nil || posted.Text != c.text || !unexpected(posted.Err)) {
			t.Errorf("%s: %v", name, err)
		}
		l.must(rollbackCommand)
	}
	if unexpected(&pgconn.PgError{Code: "22P02", Message: "another text"}) || unexpected(&pgconn.PgError{Code: "22012"}) {
		t.Error("another error is taken for one of an expectation")
	}
}

// TestLargeArguments: neither side waits for the other while both write.
func TestLargeArguments(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	echo, insert := l.prepared("SELECT $1::text"), l.prepared(insertNumber+" RETURNING word")
	big := strings.Repeat("large ", 1<<20)
	l.must(l.begin)
	for i := range 20 {
		if err := insert.enqueue([]any{i, big}, request{}); err != nil { // not bounded, as by Post
			t.Fatal(err)
		}
	}
	var got string
	if err := pick(echo, []any{big}, &got); err != nil || got != big {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	l.must(commitCommand)
	if got := linesOf(t, l.db, "SELECT SUM(LENGTH(word))::text FROM numbers"); got[0] != fmt.Sprint(20*len(big)) {
		t.Errorf("%s bytes are stored", got)
	}
	if cap(l.bytes) > 2*maxBytes {
		t.Errorf("the connection keeps %d bytes", cap(l.bytes))
	}
	l.must(l.begin)
	before := l.owner.trips.Load()
	l.post(insert, 50, big)
	if l.owner.trips.Load() != before+1 || len(l.requests) > 0 {
		t.Error("a large argument waits in the queue")
	}
	l.must(rollbackCommand)
}

// TestForgotten: a statement that was closed is not there any more.
func TestForgotten(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	s := l.prepared("SELECT 1::bigint")
	if err := errors.Join(s.Close(), s.Close(), l.Flush()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Exec(nil); err == nil {
		t.Error("a closed statement is run")
	}
	if err := pick(l.prepared("SELECT COUNT(*) FROM pg_prepared_statements WHERE statement = 'SELECT 1::bigint'"), nil, new(int64)); err != nil {
		t.Error(err)
	}
	var n int64
	if err := pick(l.prepared("SELECT COUNT(*) FROM pg_prepared_statements WHERE statement = 'SELECT 1::bigint'"), nil, &n); n != 0 || err != nil {
		t.Errorf("%d statements are left, %v", n, err)
	}
}
