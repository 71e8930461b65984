package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib" // the database driver

	"github.com/orthd/orth/job"
)

// sharedDatabase is the variable of the environment that tells children the address of
// their database: it may hold a password.
const sharedDatabase = "ORTH_BENCH_DB"

// Targets for the whole path with everything on the same two cores: runs a second, and
// what they are of the jobs that the peer ends within its own process.
const (
	familyTarget, nativeTarget = 10_000, 20_000
	familyOfPeer, nativeOfPeer = 0.4, 0.8
	ofOneServer                = 0.95
)

// setup is a way to run the whole path.
type setup struct {
	name    string
	shared  bool // on the database of -db, not SQLite
	dialect job.Dialect
	servers int
}

// result is what one turn of a setup gave.
type result struct {
	rate                       float64
	server, executor, database float64 // µs of processor time for each run
	doubled                    float64
}

// databases measures the whole path as fast as it goes on each database that is there,
// over both wires and with several servers, and the peer beside it: all in turns, so that
// each round is a comparison, medians of o.Rounds.
func databases(ctx context.Context, o options) ([]figure, error) {
	setups := []setup{{"SQLite, family", false, job.DialectXXL, 1}, {"SQLite, native", false, job.DialectNative, 1}}
	if o.Database != "" {
		name := "PostgreSQL"
		if isMySQL(o.Database) {
			name = "MySQL" // or MariaDB
		}
		setups = append(
			setups, setup{name + ", family", true, job.DialectXXL, 1}, setup{name + ", native", true, job.DialectNative, 1},
			setup{name + ", native, 2 servers", true, job.DialectNative, 2},
			setup{name + ", native, 3 servers", true, job.DialectNative, 3},
		)
	}
	setups = slices.DeleteFunc(setups, func(s setup) bool { return !o.Setups.MatchString(s.name) })
	results, peers := make([][]result, len(setups)), []result{}
	for range o.Rounds {
		for i, s := range setups {
			got, err := s.turn(ctx, o)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.name, err)
			}
			fmt.Printf("  %s: %.0f/s, server %.0f + executor %.0f + database %.0f µs\n", s.name, got.rate, got.server, got.executor, got.database)
			results[i] = append(results[i], got)
		}
		if o.Peer == "" || o.Database == "" || isMySQL(o.Database) { // the peer knows PostgreSQL alone
			continue
		}
		got, err := peer(ctx, o)
		if err != nil {
			return nil, err
		}
		fmt.Printf("  the peer: %.0f/s, process %.0f + database %.0f µs\n", got.rate, got.server, got.database)
		peers = append(peers, got)
	}
	return judged(setups, results, peers), nil
}

// judged makes figures of the results.
func judged(setups []setup, results [][]result, peers []result) []figure {
	var figures []figure
	theirs := medianOf(peers, func(r result) float64 { return r.rate })
	var one float64 // the rate of one server on the shared database, natively
	for i, s := range setups {
		got := medianOf(results[i], func(r result) float64 { return r.rate })
		goal, of := float64(familyTarget), familyOfPeer
		if s.dialect == job.DialectNative {
			goal, of = nativeTarget, nativeOfPeer
		}
		switch {
		case s.servers > 1:
			figures = append(figures, plain(s.name, got, rate), atLeast(s.name+", of one server", got/one, ratio, ofOneServer))
		case s.shared:
			figures = append(figures, atLeast(s.name, got, rate, goal))
			if theirs > 0 {
				figures = append(figures, atLeast(s.name+", of the peer", got/theirs, ratio, of))
			}
			if s.dialect == job.DialectNative {
				one = got
			}
		default:
			figures = append(figures, plain(s.name, got, rate))
		}
		figures = append(
			figures, plain(s.name+", server CPU", medianOf(results[i], func(r result) float64 { return r.server }), micros),
			plain(s.name+", executor CPU", medianOf(results[i], func(r result) float64 { return r.executor }), micros),
		)
		if s.shared {
			figures = append(figures, plain(s.name+", database CPU", medianOf(results[i], func(r result) float64 { return r.database }), micros))
		}
		figures = append(figures, atMost(s.name+", doubled", medianOf(results[i], func(r result) float64 { return r.doubled }), count, 0))
	}
	if len(peers) > 0 {
		figures = append(
			figures, plain("the peer", theirs, rate), plain("the peer, CPU of its process", medianOf(peers, func(r result) float64 { return r.server }), micros),
			plain("the peer, database CPU", medianOf(peers, func(r result) float64 { return r.database }), micros),
		)
	}
	return figures
}

// medianOf returns the median of what is asked of the results, 0 for none.
func medianOf(results []result, of func(result) float64) float64 {
	if len(results) == 0 {
		return 0
	}
	values := make([]float64, len(results))
	for i, r := range results {
		values[i] = of(r)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// turn runs the setup once, with more offered than it can do, in a database of its own.
func (s setup) turn(ctx context.Context, o options) (got result, err error) {
	load := demand{2500, 100 * time.Millisecond}
	o.Jobs, o.Every, o.Dialect, o.Shared = load.jobs, load.every, string(s.dialect), s.shared
	if s.shared {
		made, err := makeDatabase(ctx, o.Database)
		if err != nil {
			return got, err
		}
		defer func() { err = errors.Join(err, made.drop(context.WithoutCancel(ctx))) }()
		o.Database = made.address
	}
	r, err := newRig(o, "databases")
	if err != nil {
		return got, err
	}
	defer r.end()
	if err := r.startWith(ctx, s.servers); err != nil {
		return got, err
	}
	if err := wait(ctx, warmup); err != nil {
		return got, err
	}
	w, err := r.window(ctx, o.Window)
	if err != nil {
		return got, err
	}
	return result{
		rate: w.rate(), server: w.serverCPU(), executor: w.executorCPU(), database: w.databaseCPU(), doubled: doubled(w.notes),
	}, nil
}

// startWith starts the rig with several servers. The first one makes the jobs.
func (r *rig) startWith(ctx context.Context, servers int) error {
	addresses := []string{r.o.Server}
	for range servers - 1 {
		address, err := freeAddress()
		if err != nil {
			return err
		}
		addresses = append(addresses, address)
	}
	if err := r.startServer(ctx); err != nil {
		return err
	}
	if err := r.healthy(ctx); err != nil { // it has made the schema
		return err
	}
	for i, address := range addresses[1:] {
		o := r.o
		o.Server, o.Jobs, o.Alone, o.Profile = address, 0, true, ""
		o.Dir = filepath.Join(o.Dir, fmt.Sprintf("server-%d", i+2))
		if err := os.Mkdir(o.Dir, 0o700); err != nil {
			return err
		}
		other, err := child(ctx, o, "server")
		if err != nil {
			return err
		}
		r.others = append(r.others, other)
		if err := other.says(); err != nil { // started
			return err
		}
	}
	r.o.Server = strings.Join(addresses, ",")
	if err := r.startExecutor(ctx); err != nil {
		return err
	}
	return r.server.says() // ready
}

// serversOf returns the base URLs of the servers.
func serversOf(o options) []string {
	urls := strings.Split(o.Server, ",")
	for i := range urls {
		urls[i] = "http://" + urls[i]
	}
	return urls
}

// made is a database for one turn.
type made struct{ server, name, address string }

// makeDatabase makes an empty database on the server of an address.
func makeDatabase(ctx context.Context, server string) (made, error) {
	u, err := url.Parse(server)
	if err != nil {
		return made{}, errors.New("-db is not an address like postgres://user@host/database or mysql://user@host/database")
	}
	m := made{server: server, name: fmt.Sprintf("orth_bench_%d_%d", os.Getpid(), time.Now().UnixNano())}
	u.Path = "/" + m.name
	m.address = u.String()
	create := "CREATE DATABASE " + m.name
	if isMySQL(server) {
		create += " CHARACTER SET utf8mb4"
	}
	return m, m.order(ctx, create)
}

func (m made) drop(ctx context.Context) error {
	drop := "DROP DATABASE " + m.name
	if !isMySQL(m.server) {
		drop += " WITH (FORCE)"
	}
	return m.order(ctx, drop)
}

// isMySQL reports whether an address is of MySQL or MariaDB.
func isMySQL(address string) bool {
	return strings.HasPrefix(address, "mysql://") || strings.HasPrefix(address, "mariadb://")
}

// connect opens the database of an address.
func connect(address string) (*sql.DB, error) {
	if !isMySQL(address) {
		return sql.Open("pgx", address)
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("-db is no address")
	}
	config := mysql.NewConfig()
	config.User, config.Net, config.Addr, config.DBName = u.User.Username(), "tcp", u.Host, strings.TrimPrefix(u.Path, "/")
	config.Passwd, _ = u.User.Password() // none is empty
	if u.Port() == "" {
		config.Addr += ":3306"
	}
	if socket := u.Query().Get("socket"); socket != "" {
		config.Net, config.Addr = "unix", socket
	}
	made, err := mysql.NewConnector(config)
	if err != nil {
		return nil, errors.New("-db is no address")
	}
	return sql.OpenDB(made), nil
}

func (m made) order(ctx context.Context, what string) error {
	db, err := connect(m.server)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, what)
	return errors.Join(err, db.Close())
}

// databaseProcesses returns the processes of the database server that run now: none when it is not
// on this machine. MySQL and MariaDB are one process, whatever else it does.
func databaseProcesses(ctx context.Context, o options) []int {
	if o.Database == "" || !o.Shared {
		return nil
	}
	db, err := connect(o.Database)
	if err != nil {
		return nil
	}
	defer func() { _ = db.Close() }()
	if isMySQL(o.Database) {
		var file string
		if db.QueryRowContext(ctx, "SELECT @@pid_file").Scan(&file) != nil {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			return nil
		}
		return []int{pid}
	}
	rows, err := db.QueryContext(ctx, "SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND (datname IS NULL OR datname = current_database())")
	if err != nil {
		return nil
	}
	defer rows.Close()
	var pids []int
	for rows.Next() {
		var pid int
		if rows.Scan(&pid) == nil {
			pids = append(pids, pid)
		}
	}
	if rows.Err() != nil {
		return nil
	}
	return pids
}

// peer runs the command of another system once, in a database of its own. It prints a
// line of JSON: {"jobs": 200000, "seconds": 7.1, "process": 20.5, "database": 33.1}, the
// last two µs of processor time for each job.
func peer(ctx context.Context, o options) (got result, err error) {
	m, err := makeDatabase(ctx, o.Database)
	if err != nil {
		return got, err
	}
	defer func() { err = errors.Join(err, m.drop(context.WithoutCancel(ctx))) }()
	words := strings.Fields(o.Peer)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Env = append(os.Environ(), sharedDatabase+"="+m.address)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return got, fmt.Errorf("%s: %w", o.Peer, err)
	}
	var said struct {
		Jobs     float64 `json:"jobs"`
		Seconds  float64 `json:"seconds"`
		Process  float64 `json:"process"`
		Database float64 `json:"database"`
	}
	if err := json.Unmarshal(out, &said); err != nil {
		return got, fmt.Errorf("%s answers %q: %w", o.Peer, out, err)
	}
	return result{rate: said.Jobs / said.Seconds, server: said.Process, database: said.Database}, nil
}
