package mysql

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/orthd/orth/job"
)

// driverForm is an address as the driver writes it: user:<password>@tcp(host:port)/database.
var driverForm = regexp.MustCompile(`^[^/]*@(tcp|tcp4|tcp6|unix)\([^()]+\)/`)

// IsAddress reports whether a text looks like the address of a MySQL or MariaDB database,
// in either form that Open reads.
func IsAddress(text string) bool {
	return strings.HasPrefix(text, "mysql://") || strings.HasPrefix(text, "mariadb://") || driverForm.MatchString(text)
}

// parse reads an address. Its errors have nothing of it, for it may hold a password.
func parse(address string) (*mysql.Config, error) {
	wrong := job.Errorf(job.Invalid, "the database's address cannot be read")
	wrong.Hint = "it is mysql://user:<password>@host:port/database?tls=true, where @, /, : and % in a password are written %40, %2F, %3A and %25, or " +
		"user:<password>@tcp(host:port)/database, as the Go driver writes it; behind ? it takes tls (false, preferred, skip-verify, true), tls-ca, tls-cert and " +
		"tls-key (files, in the first form), socket (a file, in the first form) and timeout"
	var config *mysql.Config
	var err error
	if driverForm.MatchString(address) {
		config, err = mysql.ParseDSN(address)
	} else {
		config, err = parseURL(address)
	}
	if err != nil || config.DBName == "" || config.User == "" || len(config.Params) > 0 {
		return nil, wrong
	}
	config.Loc, config.ParseTime, config.InterpolateParams, config.MultiStatements, config.AllowAllFiles = time.UTC, false, false, false, false
	config.ClientFoundRows = true // a row that is found counts, also when it has the values already
	config.RejectReadOnly, config.CheckConnLiveness, config.ColumnsWithAlias, config.Collation = false, true, false, ""
	config.Logger = &mysql.NopLogger{} // its messages come back as errors
	config.ConnectionAttributes = "program_name:orth"
	if config.Timeout == 0 {
		config.Timeout = dialFor
	}
	// A connection lost without a FIN or RST is noticed within half a minute.
	dialer := &net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 4}}
	config.DialFunc = dialer.DialContext
	return config, nil
}

// parseURL reads an address with :// in it.
func parseURL(address string) (*mysql.Config, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	config := mysql.NewConfig()
	config.User = u.User.Username()
	config.Passwd, _ = u.User.Password() // none is empty
	config.DBName = strings.TrimPrefix(u.Path, "/")
	port := u.Port()
	if port == "" {
		port = "3306"
	}
	config.Net, config.Addr = "tcp", net.JoinHostPort(u.Hostname(), port)
	query := u.Query()
	for name, values := range query {
		value := values[len(values)-1]
		switch name {
		case "tls":
			switch value {
			case "false", "preferred", "skip-verify", "true":
				config.TLSConfig = value
			default:
				return nil, fmt.Errorf("tls=%s", value)
			}
		case "tls-ca", "tls-cert", "tls-key": // below
		case "socket":
			config.Net, config.Addr = "unix", value
		case "timeout":
			if config.Timeout, err = time.ParseDuration(value); err != nil {
				return nil, err
			}
		default:
			return nil, fmt.Errorf("unknown parameter %s", name)
		}
	}
	if config.Net == "tcp" && u.Hostname() == "" {
		return nil, errors.New("no host")
	}
	if query.Has("tls-ca") || query.Has("tls-cert") || query.Has("tls-key") {
		config.TLS, err = ownTLS(u.Hostname(), query.Get("tls-ca"), query.Get("tls-cert"), query.Get("tls-key"))
	}
	return config, err
}

// ownTLS returns what connections are encrypted with when the address names files. An
// empty name is none.
func ownTLS(host, ca, cert, key string) (*tls.Config, error) {
	config := &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12}
	if ca != "" {
		pem, err := os.ReadFile(ca)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s has no certificates", ca)
		}
	}
	if cert != "" || key != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// nameOf returns where a database is, without a password.
func nameOf(c *mysql.Config) string { return fmt.Sprintf("%s@%s/%s", c.User, c.Addr, c.DBName) }

// connector makes connections that begin with some statements.
type connector struct {
	driver.Connector
	first []string
}

// Connect implements driver.Connector.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	for _, statement := range c.first {
		if _, err := conn.(driver.ExecerContext).ExecContext(ctx, statement, nil); err != nil {
			_ = conn.Close() // it is of no use
			return nil, fmt.Errorf("set up a session: %w", err)
		}
	}
	return conn, nil
}

// pool opens connections that begin with some statements. They stay open, for each has
// its own prepared statements.
func pool(base *mysql.Config, c *Config, size int, read time.Duration, first []string) (*sql.DB, error) {
	config := base.Clone()
	config.ReadTimeout = read
	made, err := mysql.NewConnector(config)
	if err != nil {
		return nil, fmt.Errorf("describe the database: %w", err)
	}
	var next driver.Connector = &connector{Connector: made, first: first}
	if c.through != nil {
		next = c.through(next)
	}
	db := sql.OpenDB(next)
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db, nil
}

// Time limits, in seconds: of a writer's wait for its turn, of another lock, of a
// statement, of a server that is stopped in the middle of a transaction while others
// wait, and of a connection that nothing is heard of.
const (
	turnFor      = 3 // and four times, for each is another try
	tablesFor    = 30
	statementFor = 60
	silentFor    = 10
	unheardFor   = 90 * time.Second
)

// What every session begins with. Nothing of it is left to the database's own
// configuration: texts are compared byte by byte, what does not fit is an error, and a
// statement sees all that was committed before it.
const (
	modes = "SET SESSION sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'," +
		" innodb_lock_wait_timeout = %d, lock_wait_timeout = %d, " + plain
	// plain is what also those sessions begin with that only look.
	plain     = "time_zone = '+00:00', autocommit = 1, sql_select_limit = 18446744073709551615, sql_safe_updates = 0"
	isolation = "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, "
)

func (s *session) collation() string {
	if s.mariaDB() {
		return "utf8mb4_nopad_bin"
	}
	return "utf8mb4_0900_bin"
}

// forLook returns what the sessions begin with that ask the database what it is.
func forLook() []string { return []string{"SET SESSION " + plain} }

func (s *session) common() []string {
	return []string{"SET NAMES utf8mb4 COLLATE " + s.collation(), fmt.Sprintf(modes, turnFor, tablesFor)}
}

// forWriter returns what the session that writes begins with. What acknowledges a write
// is its COMMIT alone.
func (s *session) forWriter() []string {
	// MariaDB turns EXISTS into a list of all rows of the other table while it believes that
	// they are few.
	limits := fmt.Sprintf("SET SESSION autocommit = 0, max_statement_time = %d, idle_transaction_timeout = %d, optimizer_switch = 'exists_to_in=off'", statementFor, silentFor)
	if !s.mariaDB() {
		// MySQL knows no limit for a transaction: a session without any statement ends.
		limits = fmt.Sprintf("SET SESSION autocommit = 0, max_execution_time = %d, wait_timeout = %d", statementFor*1000, silentFor)
	}
	return append(s.common(), isolation+"READ WRITE", limits)
}

func (s *session) forReader() []string {
	limits := fmt.Sprintf("SET SESSION max_statement_time = %d", statementFor)
	if !s.mariaDB() { // and sizes of tables are as they are now
		limits = fmt.Sprintf("SET SESSION max_execution_time = %d, information_schema_stats_expiry = 0", statementFor*1000)
	}
	return append(s.common(), isolation+"READ ONLY", limits)
}

// forBuilder returns what the sessions begin with that change the schema, however long
// that takes.
func (s *session) forBuilder() []string { return append(s.common(), isolation+"READ WRITE") }
