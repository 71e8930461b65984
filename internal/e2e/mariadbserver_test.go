//go:build unix

package e2e

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// mariadb is a database server of a test's own, with a folder and a port of its own: it can
// be stopped, killed, and made read-only.
type mariadb struct {
	t    *testing.T
	dir  string
	port string
	set  []string      // its settings, beside those that it needs
	now  *exec.Cmd     // nil while it does not run
	done chan struct{} // closed when it has ended
}

// newMariaDBServer makes a server with a database and its user orth, and starts it. Without
// its programs the test is not run; where all tools have to be there that is a failure.
func newMariaDBServer(t *testing.T, name string, settings ...string) *mariadb {
	t.Helper()
	if os.Getenv("ORTH_TEST_MARIADB") == "" {
		t.Skip("servers on MariaDB are not tested: make databases does")
	}
	for _, program := range []string{"mariadb-install-db", "mariadbd"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("ORTH_REQUIRE_TOOLS") != "" {
				t.Fatal("MariaDB is missing: apt-get install mariadb-server")
			}
			t.Skipf("servers on MariaDB are not tested: %v", err)
		}
	}
	m := &mariadb{t: t, dir: scratch(t), set: settings}
	_, m.port, _ = net.SplitHostPort(freeAddress(t))
	if err := os.Mkdir(m.temporary(), 0o700); err != nil {
		t.Fatal(err)
	}
	tool(t, "mariadb-install-db", append(m.as(), "--no-defaults", "--datadir="+m.data(), "--tmpdir="+m.temporary(), "--auth-root-authentication-method=normal", "--skip-test-db")...)
	t.Cleanup(m.kill)
	m.start()
	m.do("CREATE DATABASE "+name+" CHARACTER SET utf8mb4", "CREATE USER orth@'127.0.0.1'", "GRANT ALL ON "+name+".* TO orth@'127.0.0.1'")
	return m
}

func (m *mariadb) data() string { return filepath.Join(m.dir, "data") }

// temporary is its folder for temporary tables: a server that starts removes those of others
// that share one with it.
func (m *mariadb) temporary() string { return filepath.Join(m.dir, "tmp") }

// as names the user, for the server refuses to run as root without.
func (m *mariadb) as() []string {
	if os.Getuid() == 0 {
		return []string{"--user=root"}
	}
	return nil
}

// start starts the server and waits until it answers.
func (m *mariadb) start() {
	m.t.Helper()
	log, err := os.OpenFile(filepath.Join(m.dir, "log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		m.t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	cmd := exec.CommandContext(context.WithoutCancel(m.t.Context()), "mariadbd", slices.Concat([]string{"--no-defaults"}, m.as(), []string{
		"--datadir=" + m.data(), "--tmpdir=" + m.temporary(), "--socket=" + m.socket(), "--pid-file=" + filepath.Join(m.dir, "pid"), "--bind-address=127.0.0.1", "--port=" + m.port,
		"--innodb-buffer-pool-size=32M", "--skip-log-bin", "--skip-name-resolve",
	}, m.set)...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = cmd.Wait() // a killed one has an error
	}()
	m.now, m.done = cmd, done
	db := m.root()
	defer func() { _ = db.Close() }()
	eventually(m.t, func() error {
		select {
		case <-done:
			m.t.Fatalf("MariaDB has ended:\n%s", mustRead(m.t, log.Name()))
		default:
		}
		return db.PingContext(m.t.Context())
	})
}

func (m *mariadb) socket() string { return filepath.Join(m.dir, "socket") }

// root opens a database of the server for the user who may do everything, until the test ends.
func (m *mariadb) root() *sql.DB {
	m.t.Helper()
	db, err := sql.Open("mysql", "root@unix("+m.socket()+")/")
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { _ = db.Close() })
	return db
}

// do runs statements as that user, once there is a connection: those of somebody else may be about to end.
func (m *mariadb) do(statements ...string) {
	m.t.Helper()
	m.with(func(conn *sql.Conn) {
		for _, one := range statements {
			if _, err := conn.ExecContext(m.t.Context(), one); err != nil {
				m.t.Fatalf("%s: %v", one, err)
			}
		}
	})
}

// one returns the number that a query finds.
func (m *mariadb) one(query string) (n int) {
	m.t.Helper()
	m.with(func(conn *sql.Conn) {
		if err := conn.QueryRowContext(m.t.Context(), query).Scan(&n); err != nil {
			m.t.Fatalf("%s: %v", query, err)
		}
	})
	return n
}

// with does something with a connection of that user, and waits until there is one.
func (m *mariadb) with(do func(conn *sql.Conn)) {
	m.t.Helper()
	db := m.root()
	defer func() { _ = db.Close() }()
	var conn *sql.Conn
	eventually(m.t, func() (err error) {
		conn, err = db.Conn(m.t.Context())
		return err
	})
	defer func() { _ = conn.Close() }()
	do(conn)
}

// stop stops the server; those who are connected are sent away.
func (m *mariadb) stop() {
	m.t.Helper()
	// A signal and not SHUTDOWN: the connection that asks for it ends with the others, and the answer may end with it.
	if err := m.now.Process.Signal(syscall.SIGTERM); err != nil {
		m.t.Fatal(err)
	}
	select {
	case <-m.done:
	case <-time.After(patience):
		m.t.Fatal("MariaDB does not stop")
	}
	m.now = nil
}

// kill ends the server, as a power cut does.
func (m *mariadb) kill() {
	if m.now == nil {
		return
	}
	_ = m.now.Process.Kill()
	<-m.done
	m.now = nil
}

// at returns the address of a database of the server, as its user has it.
func (m *mariadb) at(name string) string { return "mysql://orth@127.0.0.1:" + m.port + "/" + name }

// TestMariaDBAway is TestDatabaseAway on MariaDB: it is restarted, killed, and left away
// under load.
func TestMariaDBAway(t *testing.T) {
	t.Parallel()
	const name = "away"
	db := newMariaDBServer(t, name)
	o := newOutage(t, db.at(name), name, *absence+15*time.Second)
	db.stop()
	db.start()
	o.recovers("after a restart")
	rest(t, time.Second)
	db.kill()
	db.start()
	o.recovers("after a kill")
	rest(t, time.Second)
	db.stop()
	o.refused("while it is away", *absence)
	db.start()
	o.recovers(fmt.Sprintf("after %s", *absence))
	o.over()
}

// TestMariaDBCrowded uses up the connections of the database under load, those that it has and
// those that the servers' user may have.
func TestMariaDBCrowded(t *testing.T) {
	t.Parallel()
	const name = "crowded"
	db := newMariaDBServer(t, name, "--max-connections=40")
	db.do("CREATE USER greedy@'127.0.0.1'")
	o := newOutage(t, db.at(name), name, 12*time.Second)
	keep := db.root()
	keep.SetMaxOpenConns(1)
	if err := keep.PingContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	expel := func(ctx context.Context) (sent int, err error) {
		const count = "SELECT COUNT(*) FROM information_schema.processlist WHERE user IN ('orth', 'unauthenticated user')"
		if err := keep.QueryRowContext(ctx, count).Scan(&sent); err != nil || sent == 0 {
			return sent, err
		}
		_, err = keep.ExecContext(ctx, "KILL CONNECTION USER orth@'127.0.0.1'")
		return sent, err
	}
	greedy, err := sql.Open("mysql", "greedy@tcp(127.0.0.1:"+db.port+")/")
	if err != nil {
		t.Fatal(err)
	}
	o.crowded(greedy, 39, 3*time.Second, "Error 1040", expel)
	o.recovers("after connections were used up")
	rest(t, time.Second)
	db.do("ALTER USER orth@'127.0.0.1' WITH MAX_USER_CONNECTIONS 1", "KILL CONNECTION USER orth@'127.0.0.1'")
	o.refused("with one connection for all servers", 2*time.Second)
	db.do("ALTER USER orth@'127.0.0.1' WITH MAX_USER_CONNECTIONS 0")
	o.recovers("after the user may have connections again")
	o.over()
}

// TestMariaDBReadOnly is TestReadOnlySwitch on MariaDB, where sessions that there are
// become read-only too.
func TestMariaDBReadOnly(t *testing.T) {
	t.Parallel()
	const name = "switched"
	db := newMariaDBServer(t, name)
	o := newOutage(t, db.at(name), name, 15*time.Second)
	db.do("SET GLOBAL read_only = ON")
	for _, m := range o.servers() {
		if r, err := o.clientOf(m).Trigger(t.Context(), "asked", api.Trigger{}); !job.Is(err, job.Unavailable) {
			t.Errorf("%s made run %d while the database is read-only: %v", m.name, r.ID, err)
		}
	}
	o.refused("while the database is read-only", 2*time.Second)
	const rows = "SELECT COUNT(*) FROM " + name + ".runs"
	before := db.one(rows)
	rest(t, time.Second)
	if after := db.one(rows); after != before {
		t.Errorf("there were %d runs in a database that is read-only, and are %d", before, after)
	}
	db.do("SET GLOBAL read_only = OFF")
	o.recovers("after the switch was taken back")
	o.over()
}
