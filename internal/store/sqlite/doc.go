// Package sqlite opens the store of Orth in a SQLite file.
//
// It knows the file, its lock, its settings, its schema and what SQLite's errors
// mean. It must never know a statement about jobs or runs, but for counting them in a
// copy: those are in
// sqlstore. A path comes in; a store that one server owns alone goes out.
//
// The file is in WAL mode and each transaction is synced before it is
// acknowledged; many writes share one transaction, so that costs little. One
// connection writes, a pool of others reads.
package sqlite
