package app

import (
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/audit"
)

// S12: who changes, removes or puts in lines of the audit in the database is found,
// with the first line that is bad.
func TestAuditTampering(t *testing.T) {
	t.Parallel()
	f := besiege(t)
	for i := range 6 {
		if r := askAPI(t, f.Server, "PUT", "/pauses/night", fmt.Sprintf(`{"reason":"for %d"}`, i)); r.StatusCode != http.StatusOK {
			t.Fatal(r.body)
		}
	}
	lines := wholeAudit(t, f.Server)
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(filepath.Join(f.config.Data, "orth.db"))+"?_pragma=busy_timeout(20000)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	do := func(statement string) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	third := lines[2].Seq
	all := strings.Join(column(t, db, `SELECT name FROM pragma_table_info('audit')`), ", ")
	do(`CREATE TABLE kept AS SELECT ` + all + ` FROM audit`)
	for _, c := range []struct {
		how  string
		line int64 // that has to be named
	}{
		{`UPDATE audit SET actor = 'eve' WHERE seq = ?`, third},
		{`UPDATE audit SET at = at + 1 WHERE seq = ?`, third},
		{`UPDATE audit SET became = replace(became, 'for', 'because of') WHERE seq = ?`, third + 1},
		{`UPDATE audit SET address = '10.0.0.1', right_used = 'view' WHERE seq = ?`, third},
		{`UPDATE audit SET digest = previous WHERE seq = ?`, third},
		{`DELETE FROM audit WHERE seq = ?`, third},
		{`DELETE FROM audit WHERE seq = 1 AND ? > 0`, 1},
		{`UPDATE audit SET seq = seq + 100 WHERE seq >= ?`, third + 100},
	} {
		at := third
		if c.line == third+1 {
			at++
		}
		do(strings.ReplaceAll(c.how, "?", fmt.Sprint(at)))
		read, err := f.store.AuditLines(t.Context(), audit.Query{Oldest: true, Limit: audit.MaxPage})
		if err != nil {
			t.Fatal(err)
		}
		if found := firstFault(read); found != c.line {
			t.Errorf("%s: line %d is named, not %d", c.how, found, c.line)
		}
		do(`DELETE FROM audit`)
		do(`INSERT INTO audit SELECT ` + all + ` FROM kept`)
	}
	wholeAudit(t, f.Server)
	do(`DELETE FROM audit WHERE seq > 4`) // The end is missing: an anchor that was kept elsewhere tells.
	read, err := f.store.AuditLines(t.Context(), audit.Query{Oldest: true, Limit: audit.MaxPage})
	if err != nil {
		t.Fatal(err)
	}
	last := lines[len(lines)-1]
	if _, err := chainOf(read, &audit.Anchor{Seq: last.Seq, Digest: last.Digest}); err == nil {
		t.Error("the end was cut off, and nobody notices")
	}
	do(`INSERT INTO audit SELECT ` + all + ` FROM kept WHERE seq > 4`)
}

// chainOf checks lines.
func chainOf(lines []audit.Line, anchor *audit.Anchor) (int64, error) {
	check := audit.NewChecker(anchor)
	for i := range lines {
		if err := check.Add(&lines[i]); err != nil {
			return 0, err
		}
	}
	n, _, err := check.End()
	return n, err
}

// firstFault returns the line that a check names, 0 for none.
func firstFault(lines []audit.Line) int64 {
	_, err := chainOf(lines, nil)
	if fault, is := errors.AsType[*audit.FaultError](err); is {
		return fault.Seq
	}
	return 0
}
