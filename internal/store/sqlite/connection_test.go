package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"

	lib "modernc.org/sqlite/lib"

	"github.com/orthd/orth/internal/store/sqlstore"
	"github.com/orthd/orth/job"
)

// newConnection returns a connection to a new file, and its path.
func newConnection(tb testing.TB, settings ...string) (*connection, string) {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "test.db")
	if err := makeFile(path); err != nil {
		tb.Fatal(err)
	}
	return connected(tb, path, append([]string{"journal_mode(WAL)"}, settings...)...), path
}

// connected returns a connection to a file. It is ended with the test.
func connected(tb testing.TB, path string, settings ...string) *connection {
	tb.Helper()
	c, err := newConnector(path, settings)
	if err != nil {
		tb.Fatalf("open %s: %v", path, err)
	}
	conn, err := c.Connect()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		conn.Drop()
		if err := c.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return conn.(*connection)
}

// must runs statements.
func (c *connection) must(tb testing.TB, texts ...string) {
	tb.Helper()
	for _, text := range texts {
		if err := c.runOnce(text); err != nil {
			tb.Fatalf("%s: %v", text, err)
		}
	}
}

// ask returns the one row of a query.
func (c *connection) ask(tb testing.TB, text string, args ...any) []any {
	tb.Helper()
	s, err := c.prepare(text)
	if err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	rows, err := s.Query(args)
	if err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	if !rows.Next() {
		tb.Fatalf("%s: no row, %v", text, rows.Err())
	}
	values := make([]any, s.cursor.columns)
	into := make([]any, len(values))
	for i := range values {
		into[i] = &values[i]
	}
	if err := rows.Scan(into...); err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	if rows.Next() || rows.Err() != nil || rows.Close() != nil || s.Close() != nil {
		tb.Fatalf("%s: more than a row, %v", text, rows.Err())
	}
	return values
}

func TestConnectionStoresEveryKindOfValue(t *testing.T) {
	t.Parallel()
	c, _ := newConnection(t)
	c.must(t, "CREATE TABLE kept (v)")
	text := "a text"
	long, longer := strings.Repeat("é", sharedBytes/2), strings.Repeat("x", 3<<20)
	for _, given := range []struct{ arg, want any }{
		{nil, nil},
		{int64(math.MaxInt64), int64(math.MaxInt64)},
		{int64(math.MinInt64), int64(math.MinInt64)},
		{-1, int64(-1)},
		{int32(7), int64(7)},
		{uint8(7), int64(7)},
		{true, int64(1)},
		{false, int64(0)},
		{1.5, 1.5},
		{math.Inf(1), math.Inf(1)},
		{"", ""},
		{text, text},
		{"ends with\x00", "ends with\x00"},
		{"\x00begins, \x00 and goes on", "\x00begins, \x00 and goes on"},
		{"no UTF-8: \xff\xfe\xc3", "no UTF-8: \xff\xfe\xc3"},
		{"中文 🦉", "中文 🦉"},
		{long, long},
		{longer, longer},
		{job.Running, string(job.Running)},
		{&text, text},
		{(*string)(nil), nil},
		{[]byte(nil), nil},
		{[]byte{}, []byte{}},
		{[]byte{0, 1, 0xff}, []byte{0, 1, 0xff}},
		{[]byte(longer), []byte(longer)},
	} {
		insert, err := c.prepare("INSERT INTO kept VALUES (?)")
		if err != nil {
			t.Fatal(err)
		}
		n, err := insert.Exec([]any{given.arg})
		if err != nil || n != 1 {
			t.Fatalf("%T: %d rows, %v", given.arg, n, err)
		}
		if got := c.ask(t, "SELECT v FROM kept")[0]; !reflect.DeepEqual(got, given.want) {
			t.Errorf("%.40v (%T) comes back as %.40v (%T)", given.arg, given.arg, got, got)
		}
		if err := insert.Close(); err != nil {
			t.Error(err)
		}
		c.must(t, "DELETE FROM kept")
	}
	// All of them fit in one statement, whose texts are longer than the memory that they share.
	if got := c.ask(t, "SELECT ?, ?, ?, ?, ?", long, "b", long, longer, "e"); !reflect.DeepEqual(got, []any{long, "b", long, longer, "e"}) {
		t.Error("long texts of one statement are mixed up")
	}
	if len(c.arguments.long) != 0 || c.arguments.used != 0 || c.arguments.users != 0 {
		t.Errorf("the arguments of %d statements are kept: %d long ones, %d bytes", c.arguments.users, len(c.arguments.long), c.arguments.used)
	}
	s, err := c.prepare("INSERT INTO kept VALUES (?)")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Exec([]any{struct{}{}}); err == nil || !strings.Contains(err.Error(), "argument 1") {
		t.Errorf("a value that has no form in the database: %v", err)
	}
	if _, err := s.Exec([]any{"still works"}); err != nil {
		t.Errorf("after it: %v", err)
	}
}

func FuzzConnectionBinding(f *testing.F) {
	f.Add("a text", []byte("bytes"), int64(1), 1.5)
	f.Add("\x00", []byte{}, int64(math.MinInt64), math.SmallestNonzeroFloat64)
	f.Add("\xff\xfe", []byte{0}, int64(math.MaxInt64), math.Copysign(0, -1))
	f.Add(strings.Repeat("é", 40_000), make([]byte, 70_000), int64(0), math.MaxFloat64)
	c, _ := newConnection(f)
	c.must(f, "CREATE TABLE kept (a TEXT, b BLOB, c INTEGER, d REAL, e TEXT)")
	insert, err := c.prepare("INSERT INTO kept VALUES (?, ?, ?, ?, ?)")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string, raw []byte, n int64, x float64) {
		if n, err := insert.Exec([]any{text, raw, n, x, text}); n != 1 || err != nil {
			t.Fatalf("%d rows, %v", n, err)
		}
		defer c.must(t, "DELETE FROM kept")
		var number, want any = x, raw
		if math.IsNaN(x) {
			number = nil // SQLite has none
		}
		if raw == nil {
			want = nil
		}
		if got := c.ask(t, "SELECT a, b, c, d, e FROM kept"); !reflect.DeepEqual(got, []any{text, want, n, number, text}) {
			t.Errorf("%q %q %d %g came back as %q", text, raw, n, x, got)
		}
	})
}

// An error has the code and the text that the driver of the readers gives it.
func TestConnectionErrors(t *testing.T) {
	t.Parallel()
	damaged := func(tb testing.TB, at int64) string {
		tb.Helper()
		c, path := newConnection(tb, "journal_mode(DELETE)")
		c.must(tb, "CREATE TABLE a (id INTEGER PRIMARY KEY, v)", "INSERT INTO a VALUES (1, zeroblob(9000))")
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		if err == nil {
			_, err = file.WriteAt([]byte(strings.Repeat("\xff", 4096)), at)
		}
		if err = errors.Join(err, file.Close()); err != nil {
			tb.Fatal(err)
		}
		return path
	}
	for name, c := range map[string]struct {
		settings []string
		before   []string
		do       string
		damaged  *int64 // where a file is damaged; nil for a whole one
		code     int
		fault    sqlstore.Fault
	}{
		"primary key": {do: "INSERT INTO a VALUES (1, 'b')", code: lib.SQLITE_CONSTRAINT_PRIMARYKEY, fault: sqlstore.FaultTaken},
		"unique":      {do: "INSERT INTO a VALUES (2, 'a')", code: lib.SQLITE_CONSTRAINT_UNIQUE, fault: sqlstore.FaultTaken},
		"row id":      {before: []string{"CREATE TABLE b (v)"}, do: "INSERT INTO b (rowid) VALUES (1), (1)", code: lib.SQLITE_CONSTRAINT_ROWID, fault: sqlstore.FaultTaken},
		"not null":    {before: []string{"CREATE TABLE b (v NOT NULL)"}, do: "INSERT INTO b VALUES (NULL)", code: lib.SQLITE_CONSTRAINT_NOTNULL},
		"foreign key": {
			settings: []string{"foreign_keys(1)"}, before: []string{"CREATE TABLE b (v REFERENCES a (id))"},
			do: "INSERT INTO b VALUES (9)", code: lib.SQLITE_CONSTRAINT_FOREIGNKEY,
		},
		"words":     {do: "INSERT NOTHING", code: lib.SQLITE_ERROR},
		"no table":  {do: "SELECT * FROM nowhere", code: lib.SQLITE_ERROR},
		"no text":   {do: `SELECT * FROM a WHERE v = "a"`, code: lib.SQLITE_ERROR},
		"full":      {settings: []string{"max_page_count(3)"}, do: "INSERT INTO a VALUES (3, zeroblob(90000))", code: lib.SQLITE_FULL, fault: sqlstore.FaultAway},
		"read only": {settings: []string{"query_only(1)"}, do: "INSERT INTO a VALUES (3, 'c')", code: lib.SQLITE_READONLY, fault: sqlstore.FaultAway},
		"damaged":   {damaged: new(int64(4096)), do: "SELECT * FROM a", code: lib.SQLITE_CORRUPT},
		"no database": {
			damaged: new(int64(0)), do: "SELECT * FROM a", code: lib.SQLITE_NOTADB,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var path string
			if c.damaged != nil {
				path = damaged(t, *c.damaged)
			} else {
				var first *connection
				first, path = newConnection(t)
				first.must(t, "CREATE TABLE a (id INTEGER PRIMARY KEY, v UNIQUE)", "INSERT INTO a VALUES (1, 'a')")
				first.must(t, c.before...)
			}
			conn := connected(t, path, c.settings...)
			err := conn.runOnce(c.do)
			if codeOf(err) != c.code || fault(err) != c.fault {
				t.Fatalf("%v: code %d, want %d; fault %d, want %d", err, codeOf(err), c.code, fault(err), c.fault)
			}
			db, wrong := openPool(path, 1, c.settings)
			if wrong != nil {
				t.Fatal(wrong)
			}
			defer closing(t, db)
			_, wrong = db.ExecContext(t.Context(), c.do)
			if wrong == nil || wrong.Error() != err.Error() || codeOf(wrong) != c.code {
				t.Errorf("the driver says %v (%d), not %v", wrong, codeOf(wrong), err)
			}
		})
	}
}

func TestConnectionThatWaits(t *testing.T) {
	t.Parallel()
	one, path := newConnection(t)
	one.must(t, "CREATE TABLE a (v)")
	two := connected(t, path, "busy_timeout(1)")
	for _, text := range []string{"BEGIN IMMEDIATE", "COMMIT", "BEGIN IMMEDIATE", "ROLLBACK"} {
		if err := one.Command(text); err != nil {
			t.Fatal(err)
		}
		if text != "BEGIN IMMEDIATE" {
			continue
		}
		err := two.Command("BEGIN IMMEDIATE")
		if codeOf(err) != lib.SQLITE_BUSY || fault(err) != sqlstore.FaultAway || !strings.Contains(err.Error(), "SQLITE_BUSY") {
			t.Errorf("while another one writes: %v", err)
		}
	}
	if err := two.Command("BEGIN IMMEDIATE"); err != nil {
		t.Errorf("after it: %v", err)
	}
	two.must(t, "INSERT INTO a VALUES (1)")
	two.Drop() // with its transaction
	if got := one.ask(t, "SELECT COUNT(*) FROM a")[0]; got != int64(0) {
		t.Errorf("%d rows of a transaction that was dropped", got)
	}
	one.must(t, "INSERT INTO a VALUES (1)")
}

func TestConnectionIsInterrupted(t *testing.T) {
	t.Parallel()
	c, _ := newConnection(t)
	s, err := c.prepare("WITH RECURSIVE n (v) AS (VALUES (?) UNION ALL SELECT v + 1 FROM n) SELECT COUNT(*) FROM n")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := s.Query([]any{1})
	if err != nil {
		t.Fatal(err)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				lib.Xsqlite3_interrupt(nil, c.db)
				runtime.Gosched()
			}
		}
	}()
	if rows.Next() || codeOf(rows.Err()) != lib.SQLITE_INTERRUPT {
		t.Errorf("an endless query ended with %v", rows.Err())
	}
	close(stop)
	<-stopped
	if err := rows.Close(); err != nil {
		t.Error(err)
	}
	if got := c.ask(t, "SELECT 1")[0]; got != int64(1) {
		t.Errorf("got %v", got)
	}
}

// A text that is longer than the connection allows is refused when it is bound.
func TestConnectionRefusesWhatIsTooLong(t *testing.T) {
	t.Parallel()
	c, _ := newConnection(t)
	lib.Xsqlite3_limit(c.tls, c.db, lib.SQLITE_LIMIT_LENGTH, 1000)
	s, err := c.prepare("SELECT ?")
	if err != nil {
		t.Fatal(err)
	}
	for _, arg := range []any{strings.Repeat("x", 1001), make([]byte, 1001)} {
		if _, err := s.Exec([]any{arg}); codeOf(err) != lib.SQLITE_TOOBIG {
			t.Errorf("a %T of 1,001 bytes: %v", arg, err)
		}
	}
	if _, err := s.Exec([]any{"short"}); err != nil {
		t.Error(err)
	}
}

func TestStatementsAreUsedRightly(t *testing.T) {
	t.Parallel()
	c, _ := newConnection(t)
	c.must(t, "CREATE TABLE a (v UNIQUE)")
	for _, text := range []string{"", " -- nothing", "SELECT 1; SELECT 2", "SELECT '\x00'"} {
		if _, err := c.prepare(text); err == nil {
			t.Errorf("%q is taken for a statement", text)
		}
	}
	c.must(t, "SELECT 1; ")
	insert, err := c.prepare("INSERT INTO a VALUES (?)")
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]any{nil, {1, 2}} {
		if _, err := insert.Exec(args); err == nil || !strings.Contains(err.Error(), "for 1 placeholders") {
			t.Errorf("%d arguments: %v", len(args), err)
		}
	}
	for i, want := range []int64{1, 0, 1} { // after an error it runs again
		n, err := insert.Exec([]any{max(i, 1)})
		if n != want || (err == nil) != (want == 1) {
			t.Errorf("time %d: %d rows, %v", i, n, err)
		}
	}
	if n, err := insert.Exec([]any{3}); n != 1 || err != nil {
		t.Errorf("%d rows, %v", n, err)
	}
	for _, text := range []string{"SAVEPOINT one", "SELECT COUNT(*) FROM a", "RELEASE SAVEPOINT one"} {
		s, err := c.prepare(text)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := s.Exec(nil); n != 0 || err != nil {
			t.Errorf("%s changed %d rows, %v", text, n, err)
		}
	}
	list, err := c.prepare("SELECT v FROM a WHERE v > ? ORDER BY v")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := list.Query([]any{0})
	if err != nil || !rows.Next() {
		t.Fatalf("no row, %v", err)
	}
	if second, err := list.Query([]any{1}); err == nil {
		_ = second.Close()
		t.Error("a statement runs again while its rows are open")
	}
	texts, err := c.prepare("SELECT ? FROM a WHERE v <> ?")
	if err != nil {
		t.Fatal(err)
	}
	named, err := texts.Query([]any{"first argument", "second one"})
	if err != nil || !named.Next() {
		t.Fatalf("no row, %v", err)
	}
	for _, text := range []string{"while rows are open", "not the text of others"} {
		if _, err := insert.Exec([]any{text}); err != nil {
			t.Error(err)
		}
	}
	for named.Next() { // what they are made of stays until they are closed
		var got string
		if err := named.Scan(&got); err != nil || got != "first argument" {
			t.Errorf("got %q, %v", got, err)
		}
	}
	if err := errors.Join(named.Err(), named.Close()); err != nil {
		t.Error(err)
	}
	var n int64
	var text string
	if err := rows.Scan(&n, &n); err == nil {
		t.Error("two destinations for one column")
	}
	if err := rows.Scan(&text); err == nil {
		t.Error("a number as a text")
	}
	if err := rows.Scan(&n); err != nil || n != 1 {
		t.Errorf("got %d, %v", n, err)
	}
	if err := errors.Join(rows.Close(), rows.Close()); err != nil {
		t.Error(err)
	}
	if err := rows.Scan(&n); !errors.Is(err, errClosed) || rows.Next() {
		t.Errorf("rows that are closed: %v", err)
	}
	var null sql.NullString
	var of *string
	rows, err = list.Query([]any{"o"})
	if err != nil || !rows.Next() || rows.Scan(&null) != nil || !null.Valid {
		t.Errorf("got %v, %v", null, err)
	}
	if err := errors.Join(rows.Scan(&of), rows.Close()); err != nil || of == nil || *of != "while rows are open" {
		t.Errorf("got %v, %v", of, err)
	}
}

func TestConnectionsEnd(t *testing.T) {
	t.Parallel()
	c, path := newConnection(t)
	owner := c.owner
	c.must(t, "CREATE TABLE a (v)", "INSERT INTO a VALUES (1), (2)")
	list, err := c.prepare("SELECT v FROM a")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := list.Query(nil)
	if err != nil || !rows.Next() {
		t.Fatalf("no row, %v", err)
	}
	c.Drop()
	c.Drop()
	if rows.Next() || rows.Close() != nil || !errors.Is(rows.Scan(new(int64)), errClosed) {
		t.Error("rows outlive their connection")
	}
	if _, err := list.Exec(nil); !errors.Is(err, errClosed) || fault(err) != sqlstore.FaultAway {
		t.Errorf("a statement outlives its connection: %v", err)
	}
	if err := list.Close(); err != nil {
		t.Error(err)
	}
	if err := c.Command("BEGIN"); !errors.Is(err, errClosed) {
		t.Errorf("a command on a connection that was dropped: %v", err)
	}
	again, err := owner.Connect()
	if err != nil || again == sqlstore.Connection(c) {
		t.Fatalf("no new connection, %v", err)
	}
	if err := again.Release(); err != nil {
		t.Error(err)
	}
	if kept, err := owner.Connect(); kept != again || err != nil {
		t.Errorf("the connection is not kept, %v", err)
	}
	if err := owner.Close(); err != nil { // while it is in use
		t.Error(err)
	}
	if err := again.Command("BEGIN"); err != nil {
		t.Errorf("the connection in use: %v", err)
	}
	if err := again.Release(); err != nil {
		t.Error(err)
	}
	if err := again.Command("COMMIT"); !errors.Is(err, errClosed) {
		t.Errorf("a connection that was given back after the end: %v", err)
	}
	if _, err := owner.Connect(); !errors.Is(err, errClosed) {
		t.Errorf("a new connection after the end: %v", err)
	}
	if _, err := newConnector(filepath.Join(t.TempDir(), "none.db"), nil); codeOf(err) != lib.SQLITE_CANTOPEN {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := newConnector(path, []string{"no pragma ("}); codeOf(err) != lib.SQLITE_ERROR {
		t.Errorf("a setting that is none: %v", err)
	}
}

// The connection that writes is set as the one that makes the schema.
func TestConnectionSettings(t *testing.T) {
	t.Parallel()
	path := file(t)
	mustClose(t, mustOpen(t, path, Config{}))
	c := connected(t, path, writeSettings(&Config{MaxPages: 5000})...)
	for pragma, want := range map[string]any{
		"journal_mode": "wal", "synchronous": int64(2), "foreign_keys": int64(1), "busy_timeout": int64(5000), "temp_store": int64(2),
		"cache_size": int64(-16384), "wal_autocheckpoint": int64(8192), "journal_size_limit": int64(67108864), "max_page_count": int64(5000),
	} {
		if got := c.ask(t, "PRAGMA "+pragma)[0]; got != want {
			t.Errorf("%s is %v, not %v", pragma, got, want)
		}
	}
}

// SQLite prepares a statement again for each value of a LIMIT, unless Rebind hides it.
func TestLimitIsPreparedOnce(t *testing.T) {
	t.Parallel()
	const prepared = 5 // SQLITE_STMTSTATUS_REPREPARE
	c, _ := newConnection(t)
	c.must(t, "CREATE TABLE a (id INTEGER PRIMARY KEY, v)", "CREATE INDEX a_v ON a (v)")
	for text, again := range map[string]bool{"SELECT id FROM a WHERE v > ? ORDER BY v LIMIT ?": true, rebind("SELECT id FROM a WHERE v > ? ORDER BY v LIMIT ?"): false} {
		s, err := c.prepare(text)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 10 {
			if _, err := s.Exec([]any{i, i}); err != nil {
				t.Fatal(err)
			}
		}
		if n := lib.Xsqlite3_stmt_status(c.tls, s.handle, prepared, 0); (n > 0) != again {
			t.Errorf("%s was prepared %d times more", text, n)
		}
	}
}

// TestConnectionsLeakNothing ends connections and statements in every state that they may be
// left in: nothing of their memory stays.
func TestConnectionsLeakNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	if err := makeFile(path); err != nil {
		t.Fatal(err)
	}
	first := connected(t, path, "journal_mode(WAL)")
	first.must(t, "CREATE TABLE a (id INTEGER PRIMARY KEY, v UNIQUE)", "INSERT INTO a VALUES (1, 'a')")
	long, short := strings.Repeat("x", 1<<20), strings.Repeat("y", sharedBytes/2)
	use := func() {
		c, err := newConnector(path, []string{"busy_timeout(5000)"})
		if err != nil {
			t.Fatal(err)
		}
		given, err := c.Connect()
		if err != nil {
			t.Fatal(err)
		}
		conn := given.(*connection)
		for i := range 8 {
			s, err := conn.prepare(fmt.Sprintf("SELECT v, %d FROM a WHERE v <> ? AND v <> ?", i))
			if err != nil {
				t.Fatal(err)
			}
			rows, err := s.Query([]any{long, short})
			if err != nil || !rows.Next() {
				t.Fatalf("no row, %v", err)
			}
			switch i % 4 {
			case 0:
				_ = rows.Close()
			case 1:
				_ = s.Close()
			case 2:
				_, _ = s.Exec([]any{long, short}) // refused: its rows are open
			}
		}
		for _, text := range []string{"SELECT FROM", "SELECT 1; SELECT 2"} {
			if _, err := conn.prepare(text); err == nil {
				t.Fatal("no error")
			}
		}
		if err := conn.Command("BEGIN IMMEDIATE"); err != nil {
			t.Fatal(err)
		}
		if err := conn.runOnce("INSERT INTO a VALUES (1, 'b')"); err == nil {
			t.Fatal("no error")
		}
		if err := conn.closeAll(); err != nil {
			t.Fatalf("something of the connection is still in use: %v", err)
		}
		if len(conn.statements) != 0 || conn.arguments.shared != 0 || len(conn.arguments.long) != 0 {
			t.Fatalf("%d statements are left, and %d texts", len(conn.statements), len(conn.arguments.long))
		}
	}
	for range 10 {
		use()
	}
	// A long text is 1 MiB, the shared memory 64 KiB, a connection more. What leaks grows each
	// time; the process may grow once for other reasons.
	const times, most = 100, 100 * 24 << 10
	grown := most + 1
	for round := 0; round < 4 && grown > most; round++ {
		before := residentBytes(t)
		for range times {
			use()
		}
		grown = residentBytes(t) - before
	}
	if grown > most {
		t.Errorf("%d connections leave %d KiB behind, each time", times, grown>>10)
	}

	used := func() int32 {
		p := lib.Xsqlite3_malloc64(first.tls, 8)
		defer lib.Xsqlite3_free(first.tls, p)
		const statements = 3 // SQLITE_DBSTATUS_STMT_USED
		if rc := lib.Xsqlite3_db_status(first.tls, first.db, statements, p, p+4, 0); rc != lib.SQLITE_OK {
			t.Fatal(first.fault(rc))
		}
		return *(*int32)(pointer(p))
	}
	was := used()
	for i := range 100 {
		first.must(t, fmt.Sprintf("SELECT v, %d FROM a", i))
	}
	if is := used(); is != was || lib.Xsqlite3_next_stmt(first.tls, first.db, 0) != 0 {
		t.Errorf("statements have %d bytes, after 100 more %d", was, is)
	}
}

// residentBytes returns the memory of the process that is in use; 0 where the system does
// not say.
func residentBytes(t *testing.T) int {
	t.Helper()
	runtime.GC()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}
