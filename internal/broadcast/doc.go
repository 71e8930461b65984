// Package broadcast ends runs that were split into shards, once all of these are
// over: the barrier of a broadcast.
//
// It knows runs that were split, how many of their shards are open, and what
// their ends mean together. It must never know executors, protocols or SQL, nor
// how a run is split and its shards are sent: the dispatcher does that. What is to
// be looked at comes in from the store; one outcome of the whole goes out to the
// completer, which starts the children as it does for every run. Shards that
// nobody wants any more are ended.
//
//	dispatcher: a run ──▶ broadcast + shards     completer: the end of a shard
//	                                                          │ (its transaction)
//	        ClaimBroadcasts ◀── look_at ◀── the last is over ◀┘
//	             └──▶ decide ──▶ Complete │ CancelRun of each shard │ PutOff
//
// The transaction that ends the last shard says that there is something to be
// done, so a crash anywhere leaves a row that any server finds.
package broadcast
