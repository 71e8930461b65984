// Package runs has the operations about runs: their lists, attempts, shards and logs, the
// dead letters, and why they ended as they did.
//
// It knows how these look in JSON and in server-sent events. It must never know how a run
// goes on. A checked request comes from the guard, one question goes to the stores.
package runs
