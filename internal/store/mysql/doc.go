// Package mysql opens the store of Orth in a database of MySQL or MariaDB.
//
// It knows the connections, their settings, the schema and what the errors of both
// mean. It must never know a statement about jobs or runs: those are in sqlstore, in
// words that every database understands but for what [rebind] translates. An address
// comes in; a store that several servers may have open goes out.
//
// Each server has one connection that writes, and a pool of others that read. Writers
// take turns by locking the one row of a table for as long as their transaction lasts:
// each sees what those before it have committed, as the only writer of a SQLite file does.
package mysql
