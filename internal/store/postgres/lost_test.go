package postgres

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/orthd/orth/internal/store/sqlstore"
	"github.com/orthd/orth/job"
)

// relay passes bytes between clients and a server until something is to be lost.
type relay struct {
	net.Listener
	server string
	// losing says what becomes of what a client sends next, once; 0 is passed on.
	losing atomic.Int32
	ended  chan struct{} // closed when silent connections are to end
	all    sync.WaitGroup
}

// What a relay loses, and closes the connection then.
const (
	losesQuestion = 1 + iota // it is not passed on
	losesAnswer              // it is passed on, and what the server answers is not
	fallsSilent              // as losesQuestion, and the connection stays
)

// newRelay returns a relay, and the address of a database through it.
func newRelay(t *testing.T, address string) (*relay, string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{Listener: listener, server: u.Host, ended: make(chan struct{})}
	r.all.Go(r.accept)
	t.Cleanup(func() {
		_ = r.Close()
		r.all.Wait()
	})
	u.Host = listener.Addr().String()
	return r, u.String()
}

func (r *relay) accept() {
	for {
		client, err := r.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", r.server)
		if err != nil {
			_ = client.Close()
			continue
		}
		var silent atomic.Bool
		r.all.Go(func() {
			defer client.Close()
			if _, err := io.Copy(&hushed{client, &silent}, server); err != nil {
				return
			}
		})
		r.all.Go(func() {
			defer server.Close()
			r.pass(client, server, &silent)
		})
	}
}

// pass passes on what a client sends until it ends, or something is to be lost.
func (r *relay) pass(client, server net.Conn, silent *atomic.Bool) {
	buf := make([]byte, 64<<10)
	for {
		n, err := client.Read(buf)
		if err != nil {
			return
		}
		what := r.losing.Swap(0)
		if what != 0 {
			silent.Store(true)
		}
		switch what {
		case losesQuestion:
			return
		case fallsSilent:
			<-r.ended
			return
		}
		if _, err := server.Write(buf[:n]); err != nil {
			return
		}
		if what == losesAnswer {
			// The server ends the connection when it has answered all that it was sent.
			_ = server.(*net.TCPConn).CloseWrite()
			_, _ = io.Copy(io.Discard, client)
			return
		}
	}
}

// hushed writes to a client unless it is silent.
type hushed struct {
	client net.Conn
	silent *atomic.Bool
}

// Write implements [io.Writer].
func (h *hushed) Write(b []byte) (int, error) {
	if h.silent.Load() {
		return len(b), nil
	}
	return h.client.Write(b)
}

// killed ends all sessions of a database but those of the test.
func killed(l *link) {
	l.tb.Helper()
	if _, err := l.db.ExecContext(l.tb.Context(), "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE pid = "+fmt.Sprint(l.conn.PID())); err != nil {
		l.tb.Fatal(err)
	}
}

// TestKilledSessions ends the session before each step of a transaction: nothing of it is there,
// the error says that the database is away, and the connection is known to be lost.
func TestKilledSessions(t *testing.T) {
	t.Parallel()
	first := newLink(t)
	for at := range 5 {
		l := linkTo(t, first.address, first.db)
		insert, read := l.prepared(insertNumber), l.prepared("SELECT COUNT(*) FROM numbers")
		l.must(l.begin, commitCommand) // the commands are prepared
		var err error
		for i, step := range []func() error{
			func() error { return l.Command(l.begin) },
			func() error { return insert.Post([]any{at, "lost"}) },
			func() error { return pick(read, nil, new(int64)) },
			func() error { _, err := insert.Exec([]any{10 + at, "lost"}); return err },
			func() error { return l.Command(commitCommand) },
		} {
			if i == at {
				killed(l)
			}
			if err = step(); err != nil {
				break
			}
		}
		if err == nil || fault(err) != sqlstore.FaultAway {
			t.Errorf("killed before step %d: %v", at, err)
		}
		if err := l.Command(l.begin); !gone(err) {
			t.Errorf("killed before step %d, the next transaction: %v", at, err)
		}
		if got := l.stored(); len(got) > 0 {
			t.Errorf("killed before step %d, rows %v", at, got)
		}
	}
}

// TestUnknownCommits loses a commit, or the answer to it. Nobody knows what became of it, and
// so it says: it is unavailable, and nothing is done again.
func TestUnknownCommits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		losing int32
		there  bool
	}{"question": {losesQuestion, false}, "answer": {losesAnswer, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := database(t, template(t))
			through, by := newRelay(t, address)
			commits := &losesCommits{relay: through, what: c.losing}
			s, err := Open(t.Context(), by, Config{Readers: 1, through: func(next sqlstore.Connector) sqlstore.Connector {
				commits.Connector = next
				return commits
			}})
			if err != nil {
				t.Fatal(err)
			}
			serve(t, s)
			enter := func(group string) error {
				_, err := s.CreateGroup(t.Context(), job.Group{Namespace: job.DefaultNamespace, Key: group})
				return err
			}
			if err := enter("before"); err != nil {
				t.Fatal(err)
			}
			commits.armed.Store(true)
			if err := enter("lost"); !job.Is(err, job.Unavailable) {
				t.Errorf("a lost commit: %v", err)
			}
			db := query(t, address)
			if got := linesOf(t, db, "SELECT group_key FROM executor_groups"); slices.Contains(got, "lost") != c.there {
				t.Errorf("groups %v", got)
			}
			if err := enter("after"); err != nil {
				t.Errorf("the next one: %v", err)
			}
		})
	}
}

// losesCommits has a relay lose the next commit when it is armed.
type losesCommits struct {
	sqlstore.Connector
	relay *relay
	what  int32
	armed atomic.Bool
}

// Connect implements [sqlstore.Connector].
func (l *losesCommits) Connect() (sqlstore.Connection, error) {
	conn, err := l.Connector.Connect()
	if err != nil {
		return nil, err
	}
	return &losesCommit{connection: conn.(*connection), owner: l}, nil
}

type losesCommit struct {
	*connection
	owner *losesCommits
}

// Command implements [sqlstore.Connection].
func (c *losesCommit) Command(text string) error {
	if text == commitCommand && c.owner.armed.CompareAndSwap(true, false) {
		c.owner.relay.losing.Store(c.owner.what)
	}
	return c.connection.Command(text)
}

// TestSilentServers: a server that does not answer is given up.
func TestSilentServers(t *testing.T) {
	t.Parallel()
	first := newLink(t)
	through, by := newRelay(t, first.address)
	l := linkTo(t, by, first.db)
	insert := l.prepared(insertNumber)
	l.must(l.begin, commitCommand)
	l.owner.silent = 100 * time.Millisecond
	through.losing.Store(fallsSilent)
	l.must(l.begin)
	l.post(insert, 1, "a")
	began := time.Now()
	err := l.Command(commitCommand)
	if lost, ok := errors.AsType[*lostError](err); !ok || fault(err) != sqlstore.FaultAway || errors.Unwrap(lost) != nil {
		t.Errorf("%v", err)
	}
	if took := time.Since(began); took < l.owner.silent || took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	close(through.ended)
}
