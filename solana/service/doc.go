// Package service executes threads: each one that is due once, whatever happens on the way.
//
// It connects what the other packages under solana do: an event of a thread that is due becomes a task of the ledger; workers
// build, sign and send its transaction; one watcher finds out what became of it; the ledger is told, and who listens. It decides
// what follows from a failure, by its class. It must never know a layout of the chain, a file format, a command line or a server.
//
// There are two ways to feed it: by hand, with Offer, Tick, Changed and Gone, or with an observer.
//
// # Two clocks
//
// Whether a thread is due is for the chain's clock alone, which Tick tells. When something that failed is tried again is for the
// local clock. A task waits for one of them at a time.
//
// # One at a time
//
// Of a thread one execution is under way at most. A task is started in the ledger, with the bytes of its transaction, before the
// first of them is sent; what is found started when the service begins is asked for by its signature before anything else is done
// for its thread.
package service
