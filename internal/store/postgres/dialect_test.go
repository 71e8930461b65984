package postgres

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/orthd/orth/internal/store/sqlstore"
)

func TestRebind(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"SELECT a FROM b WHERE c = ? AND d IN (?, ?)":                               "SELECT a FROM b WHERE c = $1 AND d IN ($2, $3)",
		"SELECT '?', a FROM b WHERE c = ?":                                          "SELECT '?', a FROM b WHERE c = $1",
		"SELECT 'it''s ?' FROM b WHERE c = ?":                                       "SELECT 'it''s ?' FROM b WHERE c = $1",
		"WHERE (? = '' OR a = ?)":                                                   "WHERE ($1::text = '' OR a = $2)",
		"WHERE (? < 0 OR a = ?)":                                                    "WHERE ($1::bigint < 0 OR a = $2)",
		"WHERE (a = ? OR 0 = ?)":                                                    "WHERE (a = $1 OR 0 = $2::bigint)",
		"WHERE INSTR(a, ?) > 0":                                                     "WHERE STRPOS(a, $1) > 0",
		"WHERE INSTR(LOWER(a), LOWER(?)) > 0":                                       `WHERE STRPOS(LOWER(a), LOWER($1::text COLLATE "C")) > 0`,
		"FROM a b CROSS JOIN c d ON d.e = b.e":                                      "FROM a b JOIN c d ON d.e = b.e",
		"SELECT COALESCE(SUM(a), 0), MAX(b) FROM c":                                 "SELECT COALESCE(SUM(a)::bigint, 0), MAX(b) FROM c",
		"WHERE r.state = ? AND r.state <> 'succeeded' AND r.ended_at > 0 AND a = ?": "WHERE r.bad_state = $1 AND r.bad_state > '' AND a = $2",
		"WHERE state = ? AND state <> 'succeeded' AND ended_at > 0 AND id < ?":      "WHERE bad_state = $1 AND bad_state > '' AND id < $2",
		"WHERE id = ? AND state = ? AND tries = ?":                                  "WHERE id = $1 AND state = $2 AND tries = $3",
		"SELECT a FROM b ORDER BY c LIMIT ?":                                        "SELECT a FROM b ORDER BY c LIMIT $1",
		"UPDATE a SET b = b + ?, c = CASE WHEN d < ? THEN ? ELSE d END":             "UPDATE a SET b = b + $1, c = CASE WHEN d < $2 THEN $3 ELSE d END",
	} {
		if got := rebind(query); got != want {
			t.Errorf("%s\n became %s\n want   %s", query, got, want)
		}
	}
}

func TestKeepFirst(t *testing.T) {
	t.Parallel()
	got, want := keepFirst("INSERT INTO a (b, c) VALUES (?, ?)", "b", "c"), "INSERT INTO a (b, c) VALUES (?, ?) ON CONFLICT (b, c) DO NOTHING"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	said := func(code string) error { return fmt.Errorf("insert: %w", &pgconn.PgError{Code: code}) }
	for want, errs := range map[sqlstore.Fault][]error{
		sqlstore.FaultTaken: {said("23505")},
		sqlstore.FaultLost:  {said("40001"), said("40P01")},
		sqlstore.FaultAway: {
			said("55P03"), said("57014"), said("57P01"), said("57P02"), said("57P03"), said("08006"), said("53100"), said("53300"),
			said("25006"), said("58030"), said("28P01"), driver.ErrBadConn, io.ErrUnexpectedEOF,
			&net.OpError{Op: "read", Err: errors.New("connection reset by peer")},
		},
		sqlstore.FaultOther: {said("42601"), said("23514"), said("22021"), said("25P02"), said("XX001"), said(""), errors.New("odd"), nil},
	} {
		for _, err := range errs {
			if got := fault(err); got != want {
				t.Errorf("%v is fault %d, want %d", err, got, want)
			}
		}
	}
}

func TestStorable(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"": "", "plain": "plain", "日本 😀": "日本 😀", "a\x00b": "a\uFFFDb", "a\xff\xfeb": "a\uFFFDb", "\x00": "\uFFFD",
	} {
		if got := storable(given); got != want {
			t.Errorf("%q became %q, want %q", given, got, want)
		}
	}
}
