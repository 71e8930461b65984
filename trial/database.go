package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"time"
)

// database is a database server of the trial's own: its address as Orth writes it, with a
// place for the host and port of whoever stands before it.
type database struct {
	*process
	listen string // host:port
	url    string // with %s for host:port
}

// newPostgres makes and starts a PostgreSQL server.
func (t *trial) newPostgres() (*database, error) {
	bins, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	if len(bins) == 0 {
		return nil, fmt.Errorf("PostgreSQL is missing: apt-get install postgresql")
	}
	bin := bins[len(bins)-1]
	host, prefix, err := t.net.join("database")
	if err != nil {
		return nil, err
	}
	listen, err := t.net.listen(host)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(t.dir, "database")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	if os.Getuid() == 0 { // it refuses to run as root
		as, err := user.Lookup("postgres")
		if err != nil {
			return nil, err
		}
		if out, err := exec.Command("chown", as.Uid+":"+as.Gid, dir).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("chown: %w: %s", err, out)
		}
		prefix = append(prefix, "setpriv", "--reuid="+as.Uid, "--regid="+as.Gid, "--clear-groups")
	}
	command := func(name string, args ...string) []string {
		return append(append(append([]string{}, prefix...), filepath.Join(bin, name)), args...)
	}
	run := func(args []string) error {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = "/"
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %w: %s", args, err, out)
		}
		return nil
	}
	if err := run(command("initdb", "-D", dir, "-U", "orth", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "-N")); err != nil {
		return nil, err
	}
	address, port := split(listen)
	access := "host all all 0.0.0.0/0 trust\n"
	if err := os.WriteFile(filepath.Join(dir, "pg_hba.conf"), []byte(access), 0o644); err != nil {
		return nil, err
	}
	// A kill of its processes takes nothing that was written: no power is cut here.
	p := t.process("database", command("postgres", "-D", dir, "-c", "listen_addresses="+address, "-c", "port="+port, "-c", "unix_socket_directories=",
		"-c", "fsync=off", "-c", "shared_buffers=32MB", "-c", "max_connections=100"))
	if err := p.start(); err != nil {
		return nil, err
	}
	db := &database{process: p, listen: listen, url: "postgres://orth@%s/postgres?sslmode=disable"}
	return db, within(30*time.Second, func() error { return run(command("pg_isready", "-h", address, "-p", port, "-q")) })
}

// newMariaDB makes and starts a MariaDB server.
func (t *trial) newMariaDB() (*database, error) {
	server, err := exec.LookPath("mariadbd")
	if err != nil {
		if server, err = exec.LookPath("/usr/sbin/mariadbd"); err != nil {
			return nil, fmt.Errorf("MariaDB is missing: apt-get install mariadb-server")
		}
	}
	host, prefix, err := t.net.join("database")
	if err != nil {
		return nil, err
	}
	listen, err := t.net.listen(host)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(t.dir, "database")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	var as []string
	if os.Getuid() == 0 {
		as = []string{"--user=root"}
	}
	install := append(append([]string{"--no-defaults"}, as...), "--datadir="+dir, "--auth-root-authentication-method=normal", "--skip-test-db")
	if out, err := exec.Command("mariadb-install-db", install...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("mariadb-install-db: %w: %s", err, out)
	}
	address, port := split(listen)
	socket := filepath.Join(dir, "socket")
	args := append(append(prefix, server, "--no-defaults"), as...)
	p := t.process("database", append(args, "--datadir="+dir, "--socket="+socket, "--pid-file="+filepath.Join(dir, "pid"), "--bind-address="+address,
		"--port="+port, "--innodb-buffer-pool-size=32M", "--skip-log-bin", "--skip-name-resolve"))
	if err := p.start(); err != nil {
		return nil, err
	}
	const made = "CREATE DATABASE orth CHARACTER SET utf8mb4; CREATE USER orth@'%'; GRANT ALL ON orth.* TO orth@'%'"
	err = within(30*time.Second, func() error {
		out, err := exec.Command("mariadb", "--no-defaults", "--socket="+socket, "--user=root", "-e", made).CombinedOutput()
		if err != nil {
			return fmt.Errorf("mariadb: %w: %s", err, out)
		}
		return nil
	})
	return &database{process: p, listen: listen, url: "mysql://orth@%s/orth"}, err
}

// within tries until it goes well, or for too long.
func within(d time.Duration, try func() error) error {
	for end := time.Now().Add(d); ; {
		err := try()
		if err == nil || time.Now().After(end) {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
}
