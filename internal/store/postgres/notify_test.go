package postgres

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// What one server calls out another one hears at once, and again after its connection was
// ended.
func TestListen(t *testing.T) {
	t.Parallel()
	address := database(t, template(t))
	open := func() *Store {
		t.Helper()
		s, err := Open(t.Context(), address, Config{Readers: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	one, two := open(), open()
	heard := make(chan string, 100)
	ctx, cancel := context.WithCancel(t.Context())
	var listening sync.WaitGroup
	listening.Go(func() {
		if err := two.Listen(ctx, func(words string) { heard <- words }); err != nil {
			t.Error(err)
		}
	})
	defer listening.Wait()
	defer cancel()
	next := func() string {
		t.Helper()
		select {
		case words := <-heard:
			return words
		case <-time.After(2 * time.Minute): // machines are busy
			t.Fatal("nothing is heard")
			return ""
		}
	}
	if words := next(); words != "" {
		t.Errorf("at first it hears %q", words)
	}
	var all []string
	for _, words := range []string{"a:r", "a:c", "a:'; --"} {
		if err := one.Tell(t.Context(), words); err != nil {
			t.Fatal(err)
		}
		all = append(all, next())
	}
	if !slices.Equal(all, []string{"a:r", "a:c", "a:'; --"}) {
		t.Errorf("it hears %q", all)
	}
	const end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'"
	if _, err := query(t, address).ExecContext(t.Context(), end); err != nil {
		t.Fatal(err)
	}
	if words := next(); words != "" {
		t.Errorf("after its connection was ended it hears %q", words)
	}
	if err := one.Tell(t.Context(), "again"); err != nil {
		t.Fatal(err)
	}
	if words := next(); words != "again" {
		t.Errorf("then it hears %q", words)
	}
}

// Who names several hosts asks for the one that takes writes; reading works there too, and
// writes nothing.
func TestSessionAttributes(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), database(t, template(t))+"&target_session_attrs=read-write", Config{Readers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if _, err := s.Servers(t.Context()); err != nil {
		t.Errorf("a read: %v", err)
	}
	if _, err := s.size.ExecContext(t.Context(), "DELETE FROM servers"); err == nil || !strings.Contains(err.Error(), "25006") {
		t.Errorf("a write where nothing is written: %v", err)
	}
}
