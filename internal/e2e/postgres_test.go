//go:build unix

package e2e

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the database
)

// inTime is how long its programs wait, in seconds: somewhat less than the tests do.
const inTime = "150"

// postgres is a database server of a test's own, with a folder and a port of its own:
// it can be stopped, killed, and followed by a standby.
type postgres struct {
	t    *testing.T
	bin  string // the folder of its programs
	data string
	port string
	as   *syscall.Credential // nil unless the test runs as root, whom it refuses
}

// newPostgres makes a server and starts it. Without its programs the test is not run;
// where all tools have to be there that is a failure.
func newPostgres(t *testing.T, settings ...string) *postgres {
	t.Helper()
	p := barePostgres(t)
	p.run("initdb", "-D", p.data, "-U", "orth", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "-N")
	p.set(append([]string{
		"listen_addresses = '127.0.0.1'", "port = " + p.port, "unix_socket_directories = ''", "max_connections = 100", "shared_buffers = 32MB",
		"client_min_messages = warning", "max_wal_senders = 4", "wal_level = replica", "hot_standby = on",
	}, settings...)...)
	p.start()
	return p
}

// barePostgres finds a place for a server.
func barePostgres(t *testing.T) *postgres {
	t.Helper()
	p := &postgres{t: t}
	if os.Getenv("ORTH_TEST_POSTGRES") == "" {
		t.Skip("servers on PostgreSQL are not tested: make databases does")
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if path, err := exec.LookPath("pg_basebackup"); err == nil && len(found) == 0 {
		found = append(found, path)
	}
	if len(found) == 0 {
		if os.Getenv("ORTH_REQUIRE_TOOLS") != "" {
			t.Fatal("PostgreSQL is missing: apt-get install postgresql")
		}
		t.Skip("servers on PostgreSQL are not tested: its programs are not there")
	}
	p.bin = filepath.Dir(found[len(found)-1])
	dir := scratch(t)
	if os.Getuid() == 0 {
		p.as = &syscall.Credential{Uid: uid(t), Gid: uid(t)}
		for _, folder := range []string{dir} {
			if err := os.Chown(folder, int(p.as.Uid), int(p.as.Gid)); err != nil {
				t.Fatal(err)
			}
		}
	}
	p.data = filepath.Join(dir, "data")
	_, p.port, _ = net.SplitHostPort(freeAddress(t))
	t.Cleanup(func() { p.kill() })
	return p
}

// uid is that of somebody who is not root: the distribution's user for PostgreSQL, or
// nobody.
func uid(t *testing.T) uint32 {
	t.Helper()
	for _, name := range []string{"postgres", "nobody"} {
		if known, err := user.Lookup(name); err == nil {
			if n, err := strconv.ParseUint(known.Uid, 10, 32); err == nil {
				return uint32(n)
			}
		}
	}
	t.Fatal("there is nobody who may run PostgreSQL")
	return 0
}

// command is one of the server's programs.
func (p *postgres) command(name string, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.t.Context()), patience)
	p.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, filepath.Join(p.bin, name), args...)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: p.as}
	return cmd
}

// run runs one of the server's programs, which must succeed.
func (p *postgres) run(name string, args ...string) {
	p.t.Helper()
	if err := p.try(name, args...); err != nil {
		p.t.Fatal(err)
	}
}

// try runs one of the server's programs.
func (p *postgres) try(name string, args ...string) error {
	p.t.Helper()
	cmd := p.command(name, args...)
	log, err := os.CreateTemp(p.t.TempDir(), name)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	cmd.Stdout, cmd.Stderr = log, log // no pipe: what it starts would hold it open
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, mustRead(p.t, log.Name()))
	}
	return nil
}

// set adds settings.
func (p *postgres) set(lines ...string) {
	p.t.Helper()
	f, err := os.OpenFile(filepath.Join(p.data, "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if _, err := f.WriteString(strings.Join(lines, "\n") + "\n"); err != nil {
		p.t.Fatal(err)
	}
}

// start starts the server and waits until it answers. After a kill it does not start while a
// process of the one before it is left, which ends as soon as it sees that.
func (p *postgres) start() {
	p.t.Helper()
	eventually(p.t, func() error {
		err := p.try("pg_ctl", "-D", p.data, "-l", p.data+".log", "-w", "-t", inTime, "-s", "start")
		if err == nil || p.try("pg_ctl", "-D", p.data, "-s", "status") == nil { // that runs already: it was slow
			return nil
		}
		return fmt.Errorf("%w\n%s", err, mustRead(p.t, p.data+".log"))
	})
	eventually(p.t, func() error {
		return p.command("pg_isready", "-h", "127.0.0.1", "-p", p.port, "-q").Run()
	})
}

// stop stops the server; those who are connected are sent away.
func (p *postgres) stop() {
	p.t.Helper()
	p.run("pg_ctl", "-D", p.data, "-m", "fast", "-w", "-t", inTime, "-s", "stop")
}

// kill ends the server with all its processes, as a power cut does.
func (p *postgres) kill() {
	text, err := os.ReadFile(filepath.Join(p.data, "postmaster.pid"))
	if err != nil {
		return // it does not run
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil || pid <= 1 {
		return
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	// Its children see that it is gone and end.
	for range 200 {
		if syscall.Kill(pid, 0) != nil && p.command("pg_isready", "-h", "127.0.0.1", "-p", p.port).Run() != nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// at returns the address of a database of the server.
func (p *postgres) at(name string) string {
	return "postgres://orth@127.0.0.1:" + p.port + "/" + name + "?sslmode=disable"
}

// db opens a database of the server.
func (p *postgres) db(name string) *sql.DB {
	p.t.Helper()
	db, err := sql.Open("pgx", p.at(name))
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = db.Close() })
	return db
}

// do runs a statement in a database of the server.
func (p *postgres) do(name, statement string) {
	p.t.Helper()
	db := p.db(name)
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(p.t.Context(), statement); err != nil {
		p.t.Fatalf("%s: %v", statement, err)
	}
}

// one returns the number that a query finds.
func (p *postgres) one(name, query string) (n int) {
	p.t.Helper()
	db := p.db(name)
	defer func() { _ = db.Close() }()
	if err := db.QueryRowContext(p.t.Context(), query).Scan(&n); err != nil {
		p.t.Fatalf("%s: %v", query, err)
	}
	return n
}

// standby makes a server that follows this one, and takes no writes.
func (p *postgres) standby() *postgres {
	p.t.Helper()
	next := barePostgres(p.t)
	next.run("pg_basebackup", "-h", "127.0.0.1", "-p", p.port, "-U", "orth", "-D", next.data, "-R", "-X", "stream", "-c", "fast")
	next.set("port = " + next.port)
	next.start()
	return next
}

// promote makes a standby the one that takes writes.
func (p *postgres) promote() {
	p.t.Helper()
	p.run("pg_ctl", "-D", p.data, "-w", "-t", inTime, "-s", "promote")
}

// both returns the address of a database on two servers, of which one takes writes.
func both(one, two *postgres, name string) string {
	return fmt.Sprintf("postgres://orth@127.0.0.1:%s,127.0.0.1:%s/%s?sslmode=disable&target_session_attrs=read-write&connect_timeout=2", one.port, two.port, name)
}
