// Package service executes threads: each one that is due once, whatever happens on the way.
//
// It connects the other packages under solana. An event of a thread that is due becomes a
// task of the ledger; workers build, sign and send its transaction; one watcher finds its
// outcome; the ledger and listeners get it. It decides what follows from a failure, by its
// class. It must never know a layout of the chain, a file format, a command line or a
// server.
//
// There are two ways to feed it: by hand, with Offer, Tick, Changed and Gone, or with an
// observer.
//
// # Two clocks
//
// Whether a thread is due is for the chain's clock alone, which Tick delivers. When a
// failed execution is tried again is for the local clock. A task waits for one of them at a
// time.
//
// # One at a time
//
// Of a thread one execution is under way at most. A task is started in the ledger, with the
// bytes of its transaction, before the first of them is sent. When the service begins, it
// reads the fate of each started task by its signature, before anything else is done for
// its thread.
package service
