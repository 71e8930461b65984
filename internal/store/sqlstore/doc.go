// Package sqlstore is the store of Orth in SQL, written once for every database.
//
// It knows the tables, the statements and the index that carries each, and how
// writes share transactions. It must never know a driver: what differs between
// databases comes in as a [Dialect], a [Connector] and a pool. The calls of the rooms come
// in; rows, and errors of the kinds of job, go out.
//
//	caller ──▶ update ──▶ queue ──▶ writer: BEGIN, all that wait, COMMIT
//	caller ◀── result, durable ◀────────────────────────────────────┘
//	caller ──▶ reader: pool of connections that never write
//
// Instants are int64 milliseconds UTC, truth values 0 and 1, structures JSON
// text. A run has a ready_at exactly while it waits, so that the index of
// waiting runs holds nothing else; an attempt has an open_on, the address of
// its executor, exactly while it is open.
//
// A job has a next_at exactly while it has a firing that is not planned, and
// then a look_at, when a planner looks at it; a fixed delay whose run is open has
// neither, but awaits that run. A backfill has a look_at exactly while it runs.
//
// Executors name no namespace when they register. All groups therefore live in
// the default namespace and the jobs of all namespaces share them.
package sqlstore
