package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

const (
	dialFor  = 10 * time.Second
	greetFor = 2 * dialFor
	// answerFor is the longest that the database may take for a part of an answer.
	answerFor = 2 * time.Minute
	port      = "3306"
)

// Source is a database that is read. Close ends it.
type Source struct {
	db *sql.DB
	// name and place are of the database, for people.
	name, place string
	// said is the zone that the address names, "" for none.
	said string
	// patience is how long it may take until the database has greeted.
	patience time.Duration
}

// Dial connects to a host and port.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// Open returns the database at an address, without a look at it. The address is that
// of the Go driver, user:password@tcp(host:3306)/name, or a URL that begins with
// mysql:// or jdbc:mysql://; of a JDBC URL sslMode, useSSL and serverTimezone are used.
// user and password take the place of those in the address unless they are empty. dial
// connects, over TCP alone; nil connects to whatever the address names. It is Invalid
// when the address is none.
func Open(address, user string, password redacted.Text, dial Dial) (*Source, error) {
	config, said, err := parse(address)
	if err != nil {
		return nil, err
	}
	if user != "" {
		config.User = user
	}
	if !password.IsZero() {
		config.Passwd = password.Reveal()
	}
	if config.DBName == "" {
		return nil, job.FieldErrorf("--dsn", "names no database: it ends in /xxl_job, or another name")
	}
	if dial != nil && config.Net != "tcp" {
		return nil, job.FieldErrorf("--dsn", "is not reached by TCP: name a host and a port")
	}
	config.DialFunc = dial
	config.Timeout, config.ReadTimeout, config.WriteTimeout = dialFor, answerFor, answerFor
	config.MultiStatements, config.AllowAllFiles, config.ParseTime = false, false, false
	config.InterpolateParams = false
	config.Logger = log.New(io.Discard, "", 0) // what is wrong comes back as an error
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, job.FieldErrorf("--dsn", "cannot be used: %v", err)
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	return &Source{db: db, name: config.DBName, place: config.Addr, said: said, patience: greetFor}, nil
}

// Close closes the connection.
func (s *Source) Close() error { return s.db.Close() }

// parse reads an address. An error does not repeat it: it may hold a password.
func parse(address string) (config *mysql.Config, zone string, err error) {
	bad := &job.Error{
		Kind: job.Invalid, Field: "--dsn", Message: "is no address of a MySQL or MariaDB database",
		Hint: "write user@tcp(host:3306)/xxl_job, mysql://user@host:3306/xxl_job, or the JDBC URL of the old admin with --user; a password with signs such as / or @ in it stands better in the file of --password-file",
	}
	text, isURL := strings.CutPrefix(strings.TrimSpace(address), "jdbc:")
	if !isURL && !strings.HasPrefix(text, "mysql://") && !strings.HasPrefix(text, "mariadb://") {
		config, err := mysql.ParseDSN(text)
		if err != nil {
			return nil, "", bad
		}
		return config, "", nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "mysql" && u.Scheme != "mariadb" || u.Host == "" || strings.Contains(u.Host, ",") {
		return nil, "", bad
	}
	config = mysql.NewConfig()
	config.Net, config.Addr, config.DBName = "tcp", u.Host, strings.TrimPrefix(u.Path, "/")
	if u.Port() == "" {
		config.Addr = net.JoinHostPort(u.Hostname(), port)
	}
	query := u.Query()
	config.User = query.Get("user")
	config.Passwd = query.Get("password")
	if u.User != nil {
		config.User = u.User.Username()
		config.Passwd, _ = u.User.Password()
	}
	switch mode := strings.ToUpper(query.Get("sslMode")); {
	case mode == "DISABLED", mode == "" && query.Get("useSSL") == "false":
	case mode == "VERIFY_CA", mode == "VERIFY_IDENTITY", query.Get("tls") == "true":
		config.TLSConfig = "true"
	case mode == "REQUIRED", query.Get("requireSSL") == "true":
		config.TLSConfig = "skip-verify"
	default:
		config.TLSConfig = "preferred"
	}
	return config, query.Get("serverTimezone"), nil
}

// greet connects, and waits for a greeting: what is no MySQL may wait for one itself.
func (s *Source) greet(ctx context.Context) error {
	soon, stop := context.WithTimeout(ctx, s.patience)
	defer stop()
	err := s.db.PingContext(soon)
	if err != nil && soon.Err() != nil && ctx.Err() == nil {
		return &job.Error{
			Kind: job.Unavailable, Message: fmt.Sprintf("read the database %s at %s: nothing greets there within %s", s.name, s.place, s.patience), Err: err,
			Hint: "look at the host and the port: what listens there may be no MySQL or MariaDB",
		}
	}
	return err
}

// wrapError says which database an error is about, and what to do.
func (s *Source) wrapError(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	if known, ok := errors.AsType[*job.Error](err); ok {
		return known
	}
	wrong := &job.Error{Kind: job.Unavailable, Message: "read the database " + s.name + " at " + s.place + ": " + err.Error(), Err: err}
	if _, ok := errors.AsType[*net.OpError](err); ok {
		wrong.Hint = "nothing answers there: look at the host and the port, and whether the machine that reads the database may reach them"
	}
	if refused, ok := errors.AsType[*mysql.MySQLError](err); ok {
		wrong.Kind = job.Invalid
		switch refused.Number {
		case 1044, 1045, 1142, 1143, 1698:
			wrong.Kind = job.Forbidden
			wrong.Hint = "name a user with --user and --password-file who may SELECT from the tables of the database; no other right is needed"
		case 1049:
			wrong.Hint = "there is no such database: look at the URL in the configuration of the old admin"
		}
	}
	return wrong
}
