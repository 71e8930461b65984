// Package postgres opens the store of Orth in a PostgreSQL database.
//
// It knows the connections, their settings, the schema and what PostgreSQL's errors
// mean. It must never know a statement about jobs or runs: those are in sqlstore, in
// words that every database understands but for what [rebind] translates. An address
// comes in; a store that several servers may have open goes out.
//
// Each server has one connection that writes, and a pool of others that read. The first sends
// a transaction as a pipeline, and waits only for answers that matter and are not expected;
// docs/decisions/postgres-writer.md explains why that is correct. Writers take turns by a lock that lasts as long as their transaction: each sees what those
// before it have committed, as the only writer of a SQLite file does.
package postgres
