package postgres

import (
	"maps"
	"testing"
)

// What the role, the database or the address says of limits, isolation and letters is
// overruled in every session.
func TestSettings(t *testing.T) {
	t.Parallel()
	address := database(t, template(t))
	name, odd := nameIn(t, address), map[string]string{
		"client_encoding": "LATIN1", "standard_conforming_strings": off, "default_transaction_isolation": "serializable", "default_transaction_deferrable": "on",
		"statement_timeout": "900ms", "lock_timeout": "800ms", "idle_in_transaction_session_timeout": "700ms", "idle_session_timeout": "600ms",
	}
	db := query(t, address)
	known := map[string]bool{}
	for _, one := range linesOf(t, db, "SELECT name FROM pg_settings") {
		known[one] = true
	}
	for setting, value := range odd {
		if !known[setting] { // of a later version
			continue
		}
		if _, err := db.ExecContext(t.Context(), "ALTER DATABASE "+name+" SET "+setting+" = '"+value+"'"); err != nil {
			t.Fatal(err)
		}
	}
	base, err := parse(address)
	if err != nil {
		t.Fatal(err)
	}
	for kind, own := range map[string]map[string]string{"any": nil, "reader": readerSettings(), "writer": writerSettings()} {
		want := common()
		maps.Copy(want, own)
		want["idle_session_timeout"] = "0"
		sessions := pool(base, 1, own)
		for setting, value := range want {
			if !known[setting] {
				continue
			}
			got := linesOf(t, sessions, "SELECT setting FROM pg_settings WHERE name = '"+setting+"'")
			if len(got) != 1 || got[0] != value {
				t.Errorf("%s: %s is %v, want %s", kind, setting, got, value)
			}
		}
		if err := sessions.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Without a schema to make tables in the start says so.
func TestNoSchema(t *testing.T) {
	t.Parallel()
	address := database(t, "")
	if _, err := query(t, address).ExecContext(t.Context(), "ALTER DATABASE "+nameIn(t, address)+" SET search_path = nowhere"); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), address, Config{}); err == nil || err.Error() != "no schema that search_path names is there, or may be used by this role" {
		t.Error(err)
	}
}
